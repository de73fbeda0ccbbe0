// Input of a tab that may not be saved: it stays with the tab until the next page sends it.

import type { Patch } from "./protocol";

export interface Unsent {
  readonly person: string;
  /** Where the patch goes. */
  readonly url: string;
  readonly patch: Patch;
  /** The server refused it: only the form that it was typed into says so again. */
  readonly refused: boolean;
}

/** What a page wrote down; null if it is nothing of this person. */
export function readUnsent(text: string | null, person: string): Unsent | null {
  try {
    const { patch, url, refused, ...found } = (JSON.parse(text ?? "") ?? {}) as Partial<Unsent>;
    if (found.person !== person || typeof url !== "string" || !Array.isArray(patch?.operations)) return null;
    return { person, url, patch, refused: refused === true };
  } catch {
    return null;
  }
}

/** What becomes of it with the status of an answer, 0 for none: it is kept, tried on the next page, or refused. */
export function outcomeOf(status: number): "kept" | "waits" | "refused" {
  if (status >= 200 && status < 300) return "kept";
  if (status === 404) return "kept"; // what it was typed into is erased
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status) ? "refused" : "waits";
}
