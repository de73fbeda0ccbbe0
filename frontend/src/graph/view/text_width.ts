// How wide the chips of an edge are, measured with the letters of the page.

import { BETWEEN_CHIPS, PADDING } from "../model/chips";
import { USUAL_LETTER } from "../model/chip_room";

const widths = new Map<string, number>();
let context: CanvasRenderingContext2D | null | undefined;

/** The width of chips with some texts at their usual size, in canvas units; 0 for none. */
export function chipsWidth(texts: readonly string[]): number {
  if (!texts.length) return 0;
  return texts.reduce((sum, text) => sum + letters(text), PADDING + (texts.length - 1) * BETWEEN_CHIPS);
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
