// The focus on the element that is selected: its card or line, or its row in the outline.

import type { TabStop } from "../model/tab_stops";
import type { EditorStore } from "../store";
import { onlyOne } from "../store";

const FRAMES = 30; // what is out of sight is not drawn before the canvas has moved

/** The card or line of an element, if it is in sight. */
export function drawnOf({ kind, key }: TabStop): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.react-flow__${kind}[data-id="${CSS.escape(key)}"]`);
}

/** Put the focus on a card or line; false if it is not drawn. */
export function focusDrawn(stop: TabStop): boolean {
  const drawn = drawnOf(stop);
  drawn?.focus({ preventScroll: true });
  return drawn !== null;
}

function elementOf(store: EditorStore): HTMLElement | null {
  const only = onlyOne(store.getState().chosen);
  if (!only) return null;
  const drawn = drawnOf(only);
  return drawn?.checkVisibility() ? drawn : document.querySelector<HTMLElement>(".editor-main tr[aria-current] button");
}

/** Put the focus on what is selected, as soon as it is drawn. */
export function focusChosen(store: EditorStore, frames = FRAMES): void {
  if (focusNow(elementOf(store)) || frames <= 0) return;
  requestAnimationFrame(() => focusChosen(store, frames - 1));
}

/** Leave the panel: to what is selected, or where that is not drawn to the canvas, whose keys are about it. */
export function leavePanel(store: EditorStore): void {
  store.getState().set({ wanted: "" }); // the form need not take the focus once it is here
  const canvas = document.querySelector<HTMLElement>(".flow");
  if (!focusNow(elementOf(store)) && canvas?.checkVisibility()) focusNow(canvas);
}

function focusNow(element: HTMLElement | null): boolean {
  element?.focus({ preventScroll: element.matches(".react-flow__node, .react-flow__edge, .flow") });
  return element !== null;
}

/** Where keys go on in the other view, if what had the focus is hidden there: what is selected, else the view itself. */
export function keepInView(store: EditorStore): void {
  requestAnimationFrame(() => {
    if (document.activeElement?.checkVisibility() && document.activeElement !== document.body) return;
    const views = [...document.querySelectorAll<HTMLElement>(".flow, .editor-main section")];
    (elementOf(store) ?? views.find((each) => each.checkVisibility()))?.focus();
  });
}

/** Keep the keys on the canvas when what had the focus is gone. */
export function keepOnCanvas(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>(".flow")?.focus({ preventScroll: true });
  });
}
