// Whether something on the canvas is under way that refers to its cards: a gesture, a menu, a dialog.

const UNDER_WAY = [".editor-popover", "dialog[open]", ".flow-wants-source", ".flow-wants-target", ".flow :active", ".flow .clickconnecting"].join(", ");
const PAUSE_MS = 40;

/** Resolves when a card may become another element. */
export async function untilNothingIsUnderWay(): Promise<void> {
  while (document.querySelector(UNDER_WAY)) await new Promise((then) => setTimeout(then, PAUSE_MS));
}
