// How a canvas is shown near and far: text has a size on the screen, not on the canvas.

/** Pixels on the screen below which nothing is written. */
const LEAST_LETTER = 11.2;
// Letters change their size in steps, so that zooming styles cards a few times and not with every picture.
const FARTHEST = 0.1;
const STEP = 1.07;

/** All of a card; its name and what it sees; its name with its problems; its name alone. */
export type Level = "near" | "middle" | "brief" | "far";

// Below this letters grow on the canvas.
const GROWS = 0.85;
// Three rows fit a card down to here.
const NEAR = 0.69;
// Down to here a name of two rows and what it sees.
const MIDDLE = 0.55;
// The words of edges are a third wider than the layout takes them to be from here on.
const WORDS = 0.63;
const BRIEF = 0.4;
const LARGE = 100; // nodes
/** The height of a card that its name may take, and that of a row of it as a share of its letters. */
export const NAME = { height: 80, row: 1.05 };

/** The zoom for which a canvas is styled: the step below. */
export function stepOf(zoom: number): number {
  if (zoom >= GROWS) return GROWS;
  const steps = Math.ceil(Math.log(GROWS / Math.max(zoom, FARTHEST)) / Math.log(STEP) - 1e-9);
  return Math.max(GROWS / STEP ** steps, FARTHEST);
}

export function levelOf(step: number): Level {
  return step >= NEAR ? "near" : step >= MIDDLE ? "middle" : step >= BRIEF ? "brief" : "far";
}

/** Whether a graph is drawn from far away without what learns of every move: its cards are not connected from there. */
export function isLarge(count: number): boolean {
  return count > LARGE;
}

export function hasWords(step: number): boolean {
  return step >= WORDS;
}

/** How wide a canvas of so many pixels is in canvas units, at least. */
export function canvasAt(width: number, step: number): number {
  return Math.round(width / (step < GROWS ? step * STEP : 1));
}

/** The size of the smallest letters in canvas units, so that they are read on the screen. */
export function letterAt(step: number): number {
  return Math.round((LEAST_LETTER / step) * 10) / 10;
}

// The letters of a name that fill a card (graph.css).
const MOST_LETTER = 84;

/** Whether a card has room for letters that can be read. */
export function hasNames(step: number): boolean {
  return letterAt(step) <= MOST_LETTER;
}

/** The size of the letters of a name (graph.css). */
export function nameLetterAt(step: number): number {
  return nameLetterOf(levelOf(step), letterAt(step));
}

/** The same, beside other letters of a size. */
export function nameLetterOf(level: Level, letter: number): number {
  return level === "far" ? letter : Math.max(15, letter * 1.07);
}

/** In how many rows a card that shows its name alone has room for it. */
export function rowsAt(step: number): number {
  const letter = nameLetterAt(step);
  // Of the first row the letters count, not what is between it and another one.
  return Math.max(1, Math.floor((withinBorder(step) / letter - 1) / NAME.row + 1));
}

/** The height of what is within the border of a card, which is as thick as lines are from far away (graph.css). */
export function withinBorder(step: number): number {
  return NAME.height + 2 - (levelOf(step) === "far" ? 2 * Math.max(1, letterAt(step) * 0.06) : 2);
}
