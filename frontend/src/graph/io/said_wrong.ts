// Why a request did not do what it should, in words.

import { t } from "../texts";
import { Refused } from "./server";

export function wordsOf(error: unknown): string {
  if (!(error instanceof Refused)) return String(error);
  if (error.kind === "offline") return t("The server does not answer.");
  if (error.kind === "signed-out") return t("You are signed out; sign in again.");
  return error.message;
}
