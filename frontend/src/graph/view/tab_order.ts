// Tab on the canvas. React Flow draws all edges before all nodes, and Tab would go through them so.

import { tabStops, type TabStop } from "../model/tab_stops";
import type { EditorStore } from "../store";
import { drawnOf } from "./element_focus";

/** Edges have the focus by `tabbed` and by a click only. */
export const EDGE_STOPS = { domAttributes: { tabIndex: -1 } };

/** Go on from an element to the next one that is drawn; true if there is one, else Tab leaves the canvas. */
export function tabbed(store: EditorStore, from: TabStop, isBack: boolean): boolean {
  const stops = tabStops(store.getState().document);
  const here = stops.findIndex(({ kind, key }) => kind === from.kind && key === from.key);
  const ahead = isBack ? stops.slice(0, here).reverse() : stops.slice(here + 1);
  for (const stop of ahead) {
    const element = drawnOf(stop);
    if (!element) continue;
    element.focus({ preventScroll: true });
    return true;
  }
  // The browser goes on from the end of the page's order, which is the last node.
  if (!isBack) [...document.querySelectorAll<HTMLElement>(".react-flow__node[tabindex]")].at(-1)?.focus({ preventScroll: true });
  return false;
}
