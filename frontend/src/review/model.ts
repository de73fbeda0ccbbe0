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
