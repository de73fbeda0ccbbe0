// Texts for requests that failed or were refused.

import { type Element, find } from "../model/document";
import type { DocumentChanges } from "../model/patch";
import type { State } from "../store";
import { t } from "../texts";
import { type Problem, Refused } from "./server";

export function wordsOf(error: unknown): string {
  if (!(error instanceof Refused)) return String(error);
  if (error.kind === "offline") return t("The server does not respond.");
  if (error.kind === "signed-out") return t("You are signed out; sign in again.");
  return error.message;
}

/** The problem of an element of the document for which a request was refused: it names its field, and leads there. */
export function problemOfElement(error: unknown): Problem | null {
  const problem = error instanceof Refused ? error.problems[0] : undefined;
  return problem?.element ? problem : null;
}

/** The same with the place in what was sent, for who has written it. */
export function wordsWithPlace(error: unknown): string {
  const [, ...place] = error instanceof Refused && !problemOfElement(error) ? (error.problems[0]?.pointer?.split("/") ?? []) : [];
  return place.length ? t("{where}: {why}", { where: place.join(" › "), why: wordsOf(error) }) : wordsOf(error);
}

/** Why changes were not saved: the element by its name, and its field as the form calls it. */
export function refusalOf({ message, problems }: Refused, changes: DocumentChanges, { document, words }: Pick<State, "document" | "words">): string {
  const [, , list, how, place = "", ...rest] = problems[0]?.pointer?.split("/") ?? [];
  if (list === undefined) return message;
  if ((list !== "nodes" && list !== "edges") || how === undefined) return t("{where}: {why}", { where: [list, ...(place ? [place] : [])].join(" › "), why: message });
  const added = how === "added" ? changes[list]?.added?.[Number(place)]?.element : undefined;
  const element: Element | undefined = added ?? find<Element>(document[list], place);
  // A list of problems writes each with a capital.
  const found = words?.problems.find((each) => each.message.toLowerCase() === message.toLowerCase() && (each.node ?? each.edge) === element?.id);
  const field = found?.field || (how === "added" ? rest.slice(1) : rest).join(" › ");
  const where = [nameOf(element, document) || place, field].filter(Boolean).join(" › ");
  return where ? t("{where}: {why}", { where, why: message }) : message;
}

function nameOf(element: Element | undefined, { nodes }: State["document"]): string {
  if (!element) return "";
  if (!("from" in element)) return ("name" in element && element.name) || element.id;
  return [element.from, element.to].map((end) => find(nodes, end)?.name || end).join(" → ");
}
