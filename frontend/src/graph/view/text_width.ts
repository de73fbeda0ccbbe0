// How wide the chips of an edge are, measured with the letters of the page.

import { BETWEEN_CHIPS, PADDING } from "../model/chips";
import { USUAL_LETTER } from "../model/chip_room";
import type { LineData } from "./flow";

// A browser breaks a row that is as wide as its box by a share of a pixel.
const SLACK = 2;
const widths = new Map<string, number>();
let context: CanvasRenderingContext2D | null | undefined;

/** The width of chips with some texts at their usual size, in canvas units; 0 for none. */
export function chipsWidth(texts: readonly string[]): number {
  if (!texts.length) return 0;
  return texts.reduce((sum, text) => sum + letters(text), PADDING + (texts.length - 1) * BETWEEN_CHIPS);
}

/** The width of chips in two rows: broken between texts, or a single one between its words. */
export function foldedWidth(texts: readonly string[]): number {
  const [first = ""] = texts;
  const parts = texts.length > 1 ? texts : first.match(/[\u2e80-\u9fff\uff00-\uff60]|[^\s\u2e80-\u9fff\uff00-\uff60]+\s*/gu) ?? [];
  const widthOf = (row: readonly string[]): number => (texts.length > 1 ? chipsWidth(row) : chipsWidth([row.join("")]));
  const splits = parts.slice(1).map((_, place) => Math.max(widthOf(parts.slice(0, place + 1)), widthOf(parts.slice(place + 1))));
  return Math.min(chipsWidth(texts), ...splits.map((width) => width + SLACK));
}

// A sign is 1.15 letters wide with a gap, and the letters of a mark are bold (graph.css).
const SIGN = 17;
export const BOLD = 0.1;

/** How much wider chips are than their texts: by signs before the words, and by the bold letters of a mark. */
export function signsWidth({ mark, words, cost }: Pick<LineData, "mark" | "words" | "cost">, texts: readonly string[]): number {
  const signs = Number(Boolean(words?.problems.length)) + Number(Boolean(mark)) + Number(Boolean(cost?.warning));
  return signs * SIGN + (mark ? chipsWidth(texts) * BOLD : 0);
}

/** The width of a text in letters of a size, in canvas units. */
export function textWidth(text: string, letter: number): number {
  return (letters(text) * letter) / USUAL_LETTER;
}

function letters(text: string): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * USUAL_LETTER;
  context.font = `${USUAL_LETTER}px ${getComputedStyle(document.body).fontFamily}`;
  const width = context.measureText(text).width;
  widths.set(text, width);
  return width;
}
