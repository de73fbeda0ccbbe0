// A form with a row more, less or elsewhere, as the server makes it of all that is typed.

import { wordsOf } from "../io/error_text";
import { type Fields, Refused } from "../io/server";
import { same } from "../model/document";
import { elementFrom } from "./panel_form";

export const AGAIN_MS = 3_000;

interface Asked {
  /** What is typed now. */
  readonly now: () => Fields;
  readonly ask: (fields: Fields) => Promise<string>;
  /** Why it cannot be had; "" once it is here. */
  readonly tell: (words: string) => void;
}

/** The form as a button of a list wants it, of all that is typed by then; null if it cannot be had. */
export async function arranged(button: readonly [string, string], { now, ask, tell }: Asked): Promise<HTMLElement | null> {
  for (let sent = now(); ; ) {
    try {
      const html = await ask([...sent, button]);
      const typed = now();
      if (same(typed, sent)) {
        tell("");
        return elementFrom(html);
      }
      // Someone typed meanwhile: that, too, is to be in it.
      sent = typed;
    } catch (error) {
      tell(wordsOf(error));
      if (!isAway(error)) return null;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      sent = now();
    }
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof Refused && (error.kind === "offline" || error.kind === "signed-out");
}
