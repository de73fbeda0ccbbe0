// The texts of the editor of a state, translated in the page as `data-word-…`.

import type { NotJson } from "./model/scan";

export type Words = Readonly<Record<string, string>>;

/** The words of an element: `data-word-open-all` is `openAll`. */
export function wordsOf(element: HTMLElement): Words {
  const found: Record<string, string> = {};
  for (const [name, text] of Object.entries(element.dataset)) {
    if (!name.startsWith("word") || text === undefined) continue;
    const bare = name.slice("word".length);
    found[bare.charAt(0).toLowerCase() + bare.slice(1)] = text;
  }
  return found;
}

export function say(words: Words, name: string, values: Readonly<Record<string, string | number>> = {}): string {
  return (words[name] ?? name).replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
}

/** What is wrong with a text, with its line and column. */
export function problemOf(words: Words, error: NotJson, text: string): string {
  const before = text.slice(0, error.at);
  const line = before.split("\n").length;
  const column = error.at - before.lastIndexOf("\n");
  const what = say(words, `wrong${error.reason.charAt(0).toUpperCase()}${error.reason.slice(1)}`);
  return say(words, "problem", { line, column, what });
}
