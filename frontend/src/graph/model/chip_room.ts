// Which edges have room for their words where letters are large beside the cards: from further away.

import { CHIP_HEIGHT } from "./chips";
import type { Key, Position } from "./document";
import { anchorOf, chipSpot, type End, type Flow, type Lane, wayOf } from "./lines";
import { around, type Box, CARD } from "./places";

/** An edge that says something: the corners of its cards, its way, and how wide its chips are at their usual size. */
export interface Spoken {
  readonly key: Key;
  readonly from: Position;
  readonly to: Position;
  readonly lane: Lane | undefined;
  readonly end: End;
  readonly width: number;
}

/** The letter for which `width` is measured, in canvas units, as graph.css has it. */
export const USUAL_LETTER = 12;
// Beyond so many nobody reads chips from far away, and each is compared with all others.
export const MOST_SPOKEN = 60;
const BETWEEN = 4;

/** The graph as its words find it: its cards, the size of letters, and how wide the canvas is, in canvas units. */
export interface Surroundings {
  readonly cards: readonly Position[];
  readonly flow: Flow;
  readonly letter: number;
  readonly canvas: number;
}

/**
 * The edges whose words cover no card and no other words and are whole when all of the graph is shown,
 * each with the end at which they stand. The shortest are placed first, so that most have their words.
 */
export function endsWithRoom(spoken: readonly Spoken[], { cards, flow, letter, canvas }: Surroundings): Map<Key, End> {
  const found = new Map<Key, End>();
  if (!cards.length || spoken.length > MOST_SPOKEN) return found;
  const graph = around(cards);
  const width = Math.max(graph.width, canvas);
  const shown = { left: graph.x + (graph.width - width) / 2, right: graph.x + (graph.width + width) / 2 };
  const taken: Box[] = cards.map(({ x, y }) => ({ x, y, ...CARD }));
  for (const each of [...spoken].sort((a, b) => a.width - b.width)) {
    for (const end of new Set<End>([each.end, "middle"])) {
      const box = boxOf({ ...each, end }, flow, letter / USUAL_LETTER);
      if (box.x < shown.left || box.x + box.width > shown.right || taken.some((other) => overlap(box, other))) continue;
      found.set(each.key, end);
      taken.push(box);
      break;
    }
  }
  return found;
}

function boxOf({ from, to, lane, end, width }: Spoken, flow: Flow, scale: number): Box {
  const way = wayOf(from, to, flow, lane, end);
  const [wide, high] = [width * scale, CHIP_HEIGHT * scale];
  const spot = chipSpot(way, from, to, wide);
  const { across, down } = anchorOf(way);
  return { x: spot.x - wide * across, y: spot.y - high * down, width: wide, height: high };
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width + BETWEEN && b.x < a.x + a.width + BETWEEN && a.y < b.y + b.height && b.y < a.y + a.height;
}
