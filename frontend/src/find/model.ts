// Finds words in a conversation: their positions in a text, the next hit, and the status text.

import { folded, foldedWithPlaces } from "./folding";

const ALL_QUOTED = /^(?:["“][^"“”]*[^"“”\s][^"“”]*["”]\s*)+$/u;
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const QUOTED = /["“]([^"“”]+)["”]/gu;

/** The texts that are looked for, perhaps only as whole words. */
export interface Wanted {
  readonly texts: readonly string[];
  readonly isWhole: boolean;
}

/** The texts that a message has to have, as the server reads them: those in quotes if all words are. */
export function textsIn(words: string): readonly string[] {
  return ALL_QUOTED.test(words) ? [...words.matchAll(QUOTED)].map(([, text = ""]) => text) : [words];
}

/** The words that look for some texts: one as it is, several in quotes. */
export function wordsFor(texts: readonly string[]): string {
  return texts.length > 1 ? texts.map((text) => `"${text}"`).join(" ") : (texts[0] ?? "");
}

/** Whether several words are looked for only as they follow each other. */
export function isPhrase(words: string): boolean {
  return /\s/u.test(words) && !/["“]/u.test(words);
}

/** The places of words in a text, which are compared as the server does; without overlaps, and `isWhole` without parts of words. */
export function placesOf(text: string, words: string, isWhole = false): readonly (readonly [start: number, end: number])[] {
  const wanted = folded(words).trim();
  if (!wanted || !folded(text).includes(wanted)) return [];
  const { letters, starts, ends } = foldedWithPlaces(text);
  const found: [number, number][] = [];
  for (let at = letters.indexOf(wanted); at >= 0; ) {
    const end = at + wanted.length;
    const isFound = !isWhole || !(isWithinWord(letters, at) || isWithinWord(letters, end));
    const [first, last] = [starts[at] ?? 0, ends[end - 1] ?? text.length];
    if (isFound && first >= (found.at(-1)?.[1] ?? 0)) found.push([first, last]);
    at = letters.indexOf(wanted, isFound ? end : at + 1);
  }
  return found;
}

/** Whether a place has letters of one word on both sides; scripts without spaces have no such letters. */
function isWithinWord(text: string, place: number): boolean {
  return isWordLetter(text.slice(0, place).slice(-1)) && isWordLetter(text.slice(place, place + 1));
}

function isWordLetter(letter: string): boolean {
  return /[\p{L}\p{N}]/u.test(letter) && !UNSPACED.test(letter);
}

export function has(text: string | null, words: string, isWhole = false): boolean {
  if (isWhole) return placesOf(text ?? "", words, true).length > 0;
  return folded(text ?? "").includes(folded(words).trim());
}

/** What stands above the hits: `place` counts from 0, -1 for none; `hasMore` if others can be loaded. */
export interface Stand {
  readonly place: number;
  readonly total: number;
  readonly hasMore: boolean;
}

export interface Told {
  readonly text: string;
  readonly isEmpty: boolean;
  readonly mayGoBack: boolean;
  readonly mayGoOn: boolean;
}

export interface Texts {
  readonly hits: string;
  readonly more: string;
  readonly none: string;
}

export function told({ place, total, hasMore }: Stand, { hits, more, none }: Texts): Told {
  const words = total ? (hasMore ? more : hits) : hasMore ? "" : none;
  return {
    text: words.replace("{place}", String(place + 1)).replace("{count}", String(total)),
    isEmpty: !total && !hasMore,
    mayGoBack: place > 0,
    mayGoOn: place < total - 1 || hasMore,
  };
}

/** What going to a hit means: there, loading more, or nothing. */
export function step(to: number, { total }: Pick<Stand, "total">): "go" | "load" | "stay" {
  if (to >= total) return "load";
  return to < 0 ? "stay" : "go";
}
