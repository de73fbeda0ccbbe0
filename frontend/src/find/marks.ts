// Words that are looked for in a part of a page: their marks, what is folded around them or left out, and where they stand.

import { folded } from "./folding";
import { has, placesOf, type Wanted, wordsFor } from "./model";
import { SaidText } from "./said_text";

const NAME = "found"; // of the highlight in the style sheet
// One for all scripts of the page; without it the words are only unfolded.
const marks = CSS.highlights ? (CSS.highlights.get(NAME) ?? new Highlight()) : null;
const marksOf = new WeakMap<Element, readonly StaticRange[]>();

if (marks) CSS.highlights.set(NAME, marks);

/** Mark texts in a part of the page, in place of what was marked in it; `isContent` leaves out words of the page itself. */
export function mark(root: Element, { texts, isWhole }: Wanted, isContent: (around: Element) => boolean): void {
  if (!marks) return;
  for (const range of marksOf.get(root) ?? []) marks.delete(range);
  const made: StaticRange[] = [];
  if (texts.length) {
    const said = new SaidText(root, isContent);
    for (const [start, end] of texts.flatMap((text) => placesOf(said.text, text, isWhole))) made.push(said.rangeOf(start, end));
  }
  for (const range of made) marks.add(range);
  marksOf.set(root, made);
}

export function unmarkAll(): void {
  marks?.clear();
}

/** Open what is folded around texts. */
export function unfold(folds: Iterable<HTMLDetailsElement>, { texts, isWhole }: Wanted): void {
  for (const fold of folds) {
    if (fold.open) continue;
    const said = new SaidText(fold).text;
    fold.open = texts.some((text) => has(said, text, isWhole));
  }
}

/** What is shown in part gets the passage with those of some texts that this part lacks, whatever the passage has by now. */
export function showPassage(passage: HTMLElement, shown: Element | null, { texts, isWhole }: Wanted): void {
  const part = shown ? new SaidText(shown, (around) => !passage.contains(around)).text : "";
  const words = wordsFor(texts.filter((text) => !has(part, text, isWhole)));
  const wanted = `${words.toLowerCase()}${isWhole ? " whole" : ""}`;
  if (!words || passage.dataset.words === wanted) return; // it is on its way, or has none
  passage.dataset.words = wanted;
  const url = new URL(passage.dataset.passage ?? "", location.href);
  url.searchParams.set("around", words);
  if (isWhole) url.searchParams.set("whole", "1");
  void window.htmx?.ajax("GET", url.href, { source: passage, target: passage, swap: "innerHTML" });
}

/** Where marked words stand that can be seen: the first ones, of several texts those that are there least often. */
export function placeOfWords(root: Element): DOMRect | null {
  const found = new Map<string, Range[]>();
  for (const { startContainer, startOffset, endContainer, endOffset } of marks ?? []) {
    // What a folded item begins with is not shown once it is unfolded.
    if (!root.contains(startContainer) || !startContainer.parentElement?.checkVisibility()) continue;
    const range = document.createRange();
    range.setStart(startContainer, startOffset);
    range.setEnd(endContainer, endOffset);
    const text = folded(range.toString());
    const same = found.get(text);
    if (same) same.push(range);
    else found.set(text, [range]);
  }
  const [rarest] = [...found.values()].sort((one, other) => one.length - other.length);
  return rarest?.[0]?.getBoundingClientRect() ?? null;
}
