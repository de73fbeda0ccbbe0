// The direction and spacing of a layout, so that names can be read when the whole graph is shown.

import type { Key } from "./document";
import type { Flow } from "./lines";
import { CARD } from "./places";

export type Pair = readonly [from: Key, to: Key];

// What a window of 1280 × 800 has for the canvas beside the panel; places do not depend on who looks.
export const SCREEN = { width: 510, height: 640 };
export const MARGIN = 48;
// At this zoom everything on a card is read.
const NEAR = 0.7;

/** Room between the cards of a layer, and between two layers: with cards, steps of the grid. */
export const ROOM = { right: { beside: 36, ahead: 80 }, down: { beside: 40, ahead: 66 } };
/** More between two layers, for chips above cards. */
export const FOR_CHIPS = 20;

/** How large a graph of a size is when all of it is shown. */
export function zoomOf(width: number, height: number): number {
  return Math.min(SCREEN.width / (width + 2 * MARGIN), SCREEN.height / (height + 2 * MARGIN), 1);
}

/** The flow in which cards are larger when all are shown; to the right where they are large in both. */
export function wantedFlow(nodes: readonly Key[], edges: readonly Pair[]): Flow {
  const sizes = layerSizes(nodes, edges);
  const [deep, wide] = [sizes.length, Math.max(1, ...sizes)];
  const right = zoomOf(deep * (CARD.width + ROOM.right.ahead), wide * (CARD.height + ROOM.right.beside));
  const down = zoomOf(wide * (CARD.width + ROOM.down.beside), deep * (CARD.height + ROOM.down.ahead));
  return right >= Math.min(down, NEAR) ? "right" : "down";
}

/** How many nodes each layer has, by the longest way to each. */
export function layerSizes(nodes: readonly Key[], edges: readonly Pair[]): number[] {
  const next = new Map<Key, Key[]>(nodes.map((key) => [key, []]));
  for (const [from, to] of edges) next.get(from)?.push(to);
  const order = inOrder(nodes, next);
  const rank = new Map(order.map((key, place) => [key, place]));
  const depth = new Map<Key, number>();
  const sizes: number[] = [];
  order.forEach((key, place) => {
    const own = depth.get(key) ?? 0;
    sizes[own] = (sizes[own] ?? 0) + 1;
    // An edge that closes a circle leads back in the order.
    for (const to of next.get(key) ?? []) if ((rank.get(to) as number) > place) depth.set(to, Math.max(depth.get(to) ?? 0, own + 1));
  });
  return sizes;
}

/** Each node before those that it leads to, apart from circles. The walk has its own stack: a chain can be long. */
function inOrder(nodes: readonly Key[], next: ReadonlyMap<Key, readonly Key[]>): Key[] {
  const left: Key[] = [];
  const seen = new Set<Key>();
  const targets = new Set([...next.values()].flat());
  const starts = nodes.filter((key) => !targets.has(key));
  for (const start of [...starts, ...nodes]) {
    if (seen.has(start)) continue;
    seen.add(start);
    const stack = [{ key: start, at: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const to = next.get(top.key)?.[top.at++];
      if (to === undefined) left.push((stack.pop() as { key: Key }).key);
      else if (!seen.has(to)) {
        seen.add(to);
        stack.push({ key: to, at: 0 });
      }
    }
  }
  return left.reverse();
}
