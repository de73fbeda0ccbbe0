// The element on which the context menu was opened, by the right button or the Menu key.

import type { MenuFor } from "../model/menu";

const NOTE = "note:";

/** The element of the canvas in which something of the page is. */
export function aboutOf(target: EventTarget | null): MenuFor {
  if (!(target instanceof Element)) return { kind: "canvas" };
  const node = target.closest<HTMLElement>(".react-flow__node")?.dataset.id;
  const isFrame = target.closest(".react-flow__node-frame") !== null;
  if (node && !isFrame) return { kind: "node", key: node.startsWith(NOTE) ? node.slice(NOTE.length) : node };
  const edge = target.closest<HTMLElement>(".react-flow__edge")?.dataset.id ?? target.closest<HTMLElement>(".flow-chips")?.dataset.edge;
  return edge ? { kind: "edge", key: edge } : { kind: "canvas" };
}

/** The middle of what has the focus, where its menu opens. */
export function middleOf(target: EventTarget | null): { x: number; y: number } {
  const { x = 0, y = 0, width = 0, height = 0 } = target instanceof Element ? target.getBoundingClientRect() : {};
  return { x: x + width / 2, y: y + height / 2 };
}
