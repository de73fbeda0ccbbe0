// The size of the chip on an edge: as wide as its text, up to two rows of a most.

import type { WorkflowEdge } from "./document";

/** A usual letter of a chip, in canvas units; measured over the words of the demo's edges. */
const LETTER = 7;
export const PADDING = 22;
export const BETWEEN_CHIPS = 14;
// What a filter says before the server has put it into words.
const FILTER_LETTERS = 18;
export const CHIP_HEIGHT = 24;
/** Longer ones are broken into two rows, and what is left is cut (graph.css). */
const MOST_WIDE = 420;
const ROW = 16;

/** Beside a line around cards, where nothing but the end of the canvas is, they are broken earlier (graph.css). */
export const MOST_BESIDE = 200;

const isWide = (letter: string): boolean => /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(letter);

export function lettersOf(text: string): number {
  let count = 0;
  for (const letter of text) count += isWide(letter) ? 2 : 1;
  return count;
}

/** The width of chips with some texts; 0 for none. */
export function widthOf(texts: readonly string[]): number {
  if (!texts.length) return 0;
  const letters = texts.reduce((sum, text) => sum + lettersOf(text), 0);
  return Math.min(letters * LETTER + PADDING + (texts.length - 1) * BETWEEN_CHIPS, MOST_WIDE);
}

/** Of the texts in one row those that stay whole where it is too short for all: no longer than an equal share of it. */
export function heldOf(texts: readonly string[]): ReadonlySet<string> {
  const share = MOST_WIDE / texts.length;
  return new Set(texts.filter((text) => lettersOf(text) * LETTER + BETWEEN_CHIPS <= share));
}

/** A text whose first word does not stand alone in a row above a long one. */
export function bound(text: string): string {
  return text.replace(/^(\S+) (?=\S{25})/, "$1\u00a0");
}

const MOST_ROWS_BESIDE = 3;

/** The box of chips that are as wide as this in one row; beside a line around cards they take more rows. */
export function boxSize(width: number, isBeside = false): { readonly width: number; readonly height: number } {
  const [most, rows] = isBeside ? [MOST_BESIDE, MOST_ROWS_BESIDE] : [MOST_WIDE, 2];
  return { width: Math.min(width, most), height: CHIP_HEIGHT + (Math.min(Math.max(Math.ceil(width / most), 1), rows) - 1) * ROW };
}

/** About how wide the chips of an edge will be; 0 if it says nothing. */
export function roomOf(edge: WorkflowEdge, chips: readonly string[] | undefined): number {
  const condition = edge.condition ? [`if ${edge.condition.replaceAll("context.", "")}`] : [];
  const filter = edge.context_filter ? (chips ?? ["x".repeat(FILTER_LETTERS)]) : [];
  return widthOf([...condition, ...filter]);
}
