// How a canvas is shown from near and from far: letters have a size on the screen, not on the canvas.

/** Pixels on the screen below which nothing is written. */
const LEAST_LETTER = 11.2;
// Letters change their size in steps, so that zooming styles cards a few times and not with every picture.
const FARTHEST = 0.1;
const STEP = 1.07;

/** All of a card; its name and what it sees; its icon and name; its name alone. */
export type Level = "near" | "middle" | "brief" | "far";

const NEAR = 0.85;
/** From here on the words of edges are as wide as the layout takes them to be, or less than a quarter more. */
const WORDS = 0.7;
const BRIEF = 0.6;
const FAR = 0.4;
/** The height of a card that its name may take, and that of a row of it. */
const NAME = { height: 80, row: 1.1 };

/** The zoom for which a canvas is styled: the step below. */
export function stepOf(zoom: number): number {
  if (zoom >= NEAR) return NEAR;
  const steps = Math.ceil(Math.log(NEAR / Math.max(zoom, FARTHEST)) / Math.log(STEP) - 1e-9);
  return Math.max(NEAR / STEP ** steps, FARTHEST);
}

export function levelOf(step: number): Level {
  return step >= NEAR ? "near" : step >= BRIEF ? "middle" : step >= FAR ? "brief" : "far";
}

export function hasWords(step: number): boolean {
  return step >= WORDS;
}

/** The size of the smallest letters in canvas units, so that they are read on the screen. */
export function letterAt(step: number): number {
  return Math.round((LEAST_LETTER / step) * 10) / 10;
}

/** In how many rows a card that shows its name alone has room for it. */
export function rowsAt(step: number): number {
  return Math.max(1, Math.floor(NAME.height / (letterAt(step) * NAME.row)));
}
