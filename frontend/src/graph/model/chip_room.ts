// Which edges have room for their words where letters are large beside the cards: from further away.

import { CHIP_HEIGHT, PADDING } from "./chips";
import type { Key, Position } from "./document";
import { anchorOf, chipSpot, type End, type Flow, type Lane, wayOf } from "./lines";
import type { Box, Extent } from "./places";

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
const MOST_ASIDE = 0.35;
// What is around letters does not grow with them.
const USUAL_LINE = 16;

/** The graph as its words find it: its cards, the size of letters, and what is shown of the canvas. */
export interface Surroundings {
  readonly cards: readonly Box[];
  readonly flow: Flow;
  readonly letter: number;
  readonly shown: Extent;
}

/** Where words stand: at which end of their line, and how far aside, so that the canvas does not cut them. */
export interface Spot {
  readonly end: End;
  readonly aside: number;
}

const NONE: ReadonlyMap<Key, Spot> = new Map();

/**
 * The edges whose words cover no card and no other words and are whole when all of the graph is shown,
 * each with where they stand. The shortest are placed first, so that most have their words.
 */
export function spotsWithRoom(spoken: readonly Spoken[], { cards, flow, letter, shown }: Surroundings): ReadonlyMap<Key, Spot> {
  if (!cards.length || spoken.length > MOST_SPOKEN) return NONE;
  const found = new Map<Key, Spot>();
  const taken: Box[] = [...cards];
  for (const each of [...spoken].sort((a, b) => a.width - b.width)) {
    for (const end of new Set<End>([each.end, "middle"])) {
      const box = boxOf({ ...each, end }, flow, letter / USUAL_LETTER);
      const aside = Math.max(shown.left - box.x, 0) + Math.min(shown.right - box.x - box.width, 0);
      const moved = { ...box, x: box.x + aside };
      // They stay on their line.
      if (Math.abs(aside) > (each.lane ? 0 : box.width * MOST_ASIDE) || moved.x < shown.left - 1 || taken.some((other) => overlap(moved, other))) continue;
      found.set(each.key, { end, aside });
      taken.push(moved);
      break;
    }
  }
  return found;
}

function boxOf({ from, to, lane, end, width }: Spoken, flow: Flow, scale: number): Box {
  const way = wayOf(from, to, flow, lane, end);
  const wide = PADDING + (width - PADDING) * scale;
  const high = CHIP_HEIGHT - USUAL_LINE + USUAL_LINE * scale;
  const spot = chipSpot(way, from, to, wide);
  const { across, down } = anchorOf(way);
  return { x: spot.x - wide * across, y: spot.y - high * down, width: wide, height: high };
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width + BETWEEN && b.x < a.x + a.width + BETWEEN && a.y < b.y + b.height + BETWEEN && b.y < a.y + a.height + BETWEEN;
}
