// Which of the waiting reviews were opened, and whether they are still as they were then.

/** What a card said when it was open; the server accepts `proof` for just that. */
export interface Look {
  readonly seen: string;
  readonly proof: string;
  /** When, in milliseconds. */
  readonly at: number;
}

export type Opened = "unopened" | "opened" | "changed";

/** Looks that are remembered; older ones are forgotten, and their cards opened again. */
const MOST_LOOKS = 300;

export function readLook(text: string | null): Look | null {
  try {
    const found = JSON.parse(text ?? "") as Partial<Look> | null;
    const isLook = typeof found?.seen === "string" && typeof found.proof === "string" && typeof found.at === "number";
    return isLook ? (found as Look) : null;
  } catch {
    return null;
  }
}

export function openedOf(look: Look | null, seen: string): Opened {
  if (look === null) return "unopened";
  return look.seen === seen ? "opened" : "changed";
}

/** Whether what someone did to a conversation can change what the card of its review shows. */
export function changesCard(what: string): boolean {
  return !/^(review|comment|label)\./.test(what);
}

/** The names of the looks to forget, so that the latest remain. */
export function forgotten(looks: ReadonlyMap<string, Look | null>, most = MOST_LOOKS): string[] {
  const byAge = [...looks].sort(([, one], [, other]) => (other?.at ?? 0) - (one?.at ?? 0));
  return byAge.slice(most).map(([name]) => name);
}

/** What a claim on the queue finds again on its page: what was selected, the reason, and the place. */
export interface Selection {
  readonly ids: readonly string[];
  readonly reason: string;
  readonly scroll: number;
}

const LONGEST_MS = 30_000;

export function writeSelection(selection: Selection, path: string, at: number): string {
  return JSON.stringify({ ...selection, path, at });
}

/** The selection that the page before wrote down; null if it is of another page, or too old to be of the last form. */
export function readSelection(text: string | null, path: string, now: number): Selection | null {
  try {
    const found = (JSON.parse(text ?? "") ?? {}) as Partial<Selection & { readonly path: string; readonly at: number }>;
    const { ids, reason, scroll, at } = found;
    if (found.path !== path || typeof at !== "number" || now - at > LONGEST_MS) return null;
    return Array.isArray(ids) && typeof reason === "string" && typeof scroll === "number" ? { ids, reason, scroll } : null;
  } catch {
    return null;
  }
}

/** Who did what to a review that was selected, as the socket tells it. */
export interface Decided {
  readonly what: string;
  readonly who: string;
}

/** The name of the text that says why a review is no longer selected. */
export function goneBy(decided: Decided | undefined): "approvedBy" | "rejectedBy" | "gone" {
  if (decided?.what === "execution.approve") return "approvedBy";
  return decided?.what === "execution.reject" ? "rejectedBy" : "gone";
}

export interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly isComposing: boolean;
}

/** What a key does in the reason; a line ends with Shift+Enter once a rejection asked for it. */
export function doneBy(pressed: Pressed, asked: boolean): "reject" | "leave" | "nothing" {
  if (pressed.isComposing) return "nothing";
  if (pressed.key === "Escape") return asked ? "leave" : "nothing";
  if (pressed.key !== "Enter" || pressed.shiftKey) return "nothing";
  return asked || pressed.ctrlKey || pressed.metaKey ? "reject" : "nothing";
}
