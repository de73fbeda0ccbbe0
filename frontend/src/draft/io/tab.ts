// Stores input of this tab that is not saved yet; it survives a reload and signing in again.

import type { Patch } from "../model/protocol";
import { outcomeOf, readUnsent, type Unsent } from "../model/unsent";

const PREFIX = "unsent:";

export function write(url: string, unsent: Unsent | null): void {
  try {
    if (unsent === null) sessionStorage.removeItem(PREFIX + url);
    else sessionStorage.setItem(PREFIX + url, JSON.stringify(unsent));
  } catch {
    // A browser that keeps nothing, or a text that is too large: it is sent when the page is left.
  }
}

export function read(url: string, person: string): Unsent | null {
  try {
    return readUnsent(sessionStorage.getItem(PREFIX + url), person);
  } catch {
    return null;
  }
}

/** Send what a form left that is not on this page. */
export async function sendAll(person: string, token: string): Promise<void> {
  let names: string[] = [];
  try {
    names = Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
  } catch {
    // Nothing is kept.
  }
  for (const name of names) {
    const found = read(name.slice(PREFIX.length), person);
    if (found === null || found.refused) continue;
    const outcome = outcomeOf(await sent(found.url, found.patch, token));
    if (outcome !== "waits") write(found.url, outcome === "kept" ? null : { ...found, refused: true });
  }
}

async function sent(url: string, patch: Patch, token: string): Promise<number> {
  const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": token };
  try {
    return (await fetch(url, { method: "PATCH", redirect: "manual", headers, body: JSON.stringify(patch), keepalive: true })).status;
  } catch {
    return 0;
  }
}
