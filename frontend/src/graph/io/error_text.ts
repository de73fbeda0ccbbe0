// Texts for requests that failed or were refused.

import type { Element } from "../model/document";
import type { DocumentChanges } from "../model/patch";
import { t } from "../texts";
import { Refused } from "./server";

export function wordsOf(error: unknown): string {
  if (!(error instanceof Refused)) return String(error);
  if (error.kind === "offline") return t("The server does not respond.");
  if (error.kind === "signed-out") return t("You are signed out; sign in again.");
  return error.message;
}

/** The same with the place in what was sent, for who has written it. */
export function wordsWithPlace(error: unknown): string {
  const [, ...place] = error instanceof Refused ? (error.problems[0]?.pointer?.split("/") ?? []) : [];
  return place.length ? t("{where}: {why}", { where: place.join(" › "), why: wordsOf(error) }) : wordsOf(error);
}

/** Why changes were not saved, with the place in the document. */
export function refusalOf({ message, problems }: Refused, changes: DocumentChanges): string {
  const [, , list, ...steps] = problems[0]?.pointer?.split("/") ?? [];
  if (list === undefined) return message;
  const where = [list, ...(list === "nodes" || list === "edges" ? placeIn(changes[list]?.added, steps) : steps)].join(" › ");
  return t("{where}: {why}", { where, why: message });
}

/** `changed/ID/field` or `added/0/element/field` as what a person reads. */
function placeIn(added: readonly { readonly element: Element }[] | undefined, [how, place = "", ...field]: readonly string[]): readonly string[] {
  if (how !== "added") return place ? [place, ...field] : [];
  return [added?.[Number(place)]?.element.id ?? place, ...field.slice(1)];
}
