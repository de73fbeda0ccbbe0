// Why a request did not do what it should, in words.

import type { WorkflowDocument } from "../model/document";
import { t } from "../texts";
import { Refused } from "./server";

export function wordsOf(error: unknown): string {
  if (!(error instanceof Refused)) return String(error);
  if (error.kind === "offline") return t("The server does not answer.");
  if (error.kind === "signed-out") return t("You are signed out; sign in again.");
  return error.message;
}

/** Why a document was not saved, with the place in it. */
export function refusalOf({ message, problems }: Refused, document: WorkflowDocument): string {
  const [, , list, place, ...field] = problems[0]?.pointer?.split("/") ?? [];
  if (list === undefined) return message;
  const elements = list === "nodes" ? document.nodes : list === "edges" ? document.edges : [];
  const where = [list, ...(place === undefined ? [] : [elements[Number(place)]?.id ?? place]), ...field].join(" › ");
  return t("{where}: {why}", { where, why: message });
}
