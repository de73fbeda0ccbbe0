// Why a request did not do what it should, in words.

import type { WorkflowDocument } from "../model/document";
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

/** Why a document was not saved, with the place in it. */
export function refusalOf({ message, problems }: Refused, document: WorkflowDocument): string {
  const [, , list, place, ...field] = problems[0]?.pointer?.split("/") ?? [];
  if (list === undefined) return message;
  const elements = list === "nodes" ? document.nodes : list === "edges" ? document.edges : [];
  const where = [list, ...(place === undefined ? [] : [elements[Number(place)]?.id ?? place]), ...field].join(" › ");
  return t("{where}: {why}", { where, why: message });
}
