// Which edges have room for their words where letters are large beside the cards: from further away.

import { boxSize, CHIP_HEIGHT, MOST_BESIDE, PADDING } from "./chips";
import type { Key, Position } from "./document";
import { alongOf, anchorOf, chipBox, chipSpot, type End, type Flow, type Lane, type Way, wayOf } from "./lines";
import { type Box, CARD, type Extent } from "./places";

/** An edge that says something: the corners of its cards, its way, and how wide its chips are at their usual size. */
export interface Spoken {
  readonly key: Key;
  readonly from: Position;
  readonly to: Position;
  readonly lane: Lane | undefined;
  readonly end: End;
  readonly width: number;
  /** How wide they are in two rows. */
  readonly folded: number;
  /** The same of its words at full length, and how many rows they take where they are broken beside a line around cards. */
  readonly whole?: { readonly width: number; readonly folded: number; readonly rows: number } | undefined;
  /** How wide the signs are that stand for them where they have no room. */
  readonly signs: number;
  /** Whether it says how it differs, or what became of it, which is never left out. */
  readonly isMarked?: boolean;
}

/** The letter for which `width` is measured, in canvas units, as graph.css has it. */
export const USUAL_LETTER = 12;
// Beyond so many nobody reads chips from far away, and each is compared with all others.
export const MOST_SPOKEN = 60;
// From nearby they are compared with their neighbours alone: 470 took 7 ms of each selection.
const MOST_NEAR = 200;
// On the screen, where the letters of a canvas have LEAST_LETTER (view/zoom.ts): as it should be, and
// where that has no room.
const BETWEEN = [6, 2];
const LEAST_BETWEEN = 2;
const LETTER_ON_SCREEN = 11.2;
const MOST_ASIDE = 0.35;
// What is around letters does not grow with them.
const USUAL_LINE = 16;

/** The graph as its words find it: its cards, the size of letters, and what is shown of the canvas. */
export interface Surroundings {
  readonly cards: readonly Box[];
  readonly flow: Flow;
  readonly letter: number;
  readonly shown: Extent;
  /** From so far away that no letter can be read, only marks have their signs. */
  readonly isUnreadable?: boolean;
}

/** Where words at full length or in short, or signs for them, stand: at which end of their line, how far from there, and in how many rows of which width. */
export interface Spot {
  readonly says: "whole" | "words" | "signs";
  readonly end: End;
  readonly aside: number;
  readonly down: number;
  readonly rows: number;
  readonly width: number;
}

const NONE: ReadonlyMap<Key, Spot> = new Map();

/**
 * Where each edge says what it has. Its words cover no card and no other words and are whole when all of
 * the graph is shown; without room for them an edge has signs, and without room for these it is not
 * here: a dot on its line. The shortest words are placed first, so that most edges have theirs, and are
 * at full length where no other words have to give way to that. None of
 * too many edges to be read are here. Marks come before all other words, and are always here.
 */
export function spotsWithRoom(spoken: readonly Spoken[], around: Surroundings): ReadonlyMap<Key, Spot> {
  const found = placedWithRoom(spoken, around);
  const boxes = new Map([...found].map(([key, { box }]) => [key, box]));
  const long = spoken.filter((each) => found.get(each.key)?.spot.says === "words" && isLonger(each, each.width));
  return new Map([...spotsOf(found), ...spotsOf(atFullLength(long, boxes, around))]);
}

const spotsOf = (found: ReadonlyMap<Key, Placed>): [Key, Spot][] => [...found].map(([key, { spot }]) => [key, spot]);

const isLonger = ({ whole }: Spoken, shown: number): boolean => (whole?.width ?? 0) > shown;

/** Words at full length where they cover neither cards nor `boxes`, what other edges say; the shortest first. */
function atFullLength(long: readonly Spoken[], boxes: Map<Key, Box>, around: Surroundings): ReadonlyMap<Key, Placed> {
  const found = new Map<Key, Placed>();
  const whole = long.map((each) => ({ ...each, ...each.whole })).sort((a, b) => a.width - b.width);
  for (const each of whole.slice(0, MOST_SPOKEN)) {
    const others = [...boxes].flatMap(([key, box]) => (key === each.key ? [] : [box]));
    const placed = firstFree(each, "whole", [...around.cards, ...others], around);
    if (!placed) continue;
    found.set(each.key, placed);
    boxes.set(each.key, placed.box);
  }
  return found;
}

function placedWithRoom(spoken: readonly Spoken[], around: Surroundings): ReadonlyMap<Key, Placed> {
  const marked = spoken.filter(({ isMarked }) => isMarked);
  const others = spoken.length > MOST_SPOKEN || around.isUnreadable ? [] : spoken.filter(({ isMarked }) => !isMarked);
  const found = new Map<Key, Placed>();
  if (!around.cards.length || marked.length > MOST_SPOKEN) return found;
  const taken: Box[] = [...around.cards];
  const place = ({ key }: Spoken, placed: Placed): void => {
    found.set(key, placed);
    taken.push(placed.box);
  };
  const placeAll = (some: readonly Spoken[]): Spoken[] => {
    const rest = [...some].sort((a, b) => a.width - b.width).filter((each) => {
      const placed = around.isUnreadable ? null : firstFree(each, "words", taken, around);
      if (placed) place(each, placed);
      return !placed;
    });
    // Signs give way to words.
    return rest.filter((each) => {
      const placed = firstFree(inSigns(each), "signs", taken, around);
      if (placed) place(each, placed);
      return !placed;
    });
  };
  const hidden = placeAll(marked);
  const marks = taken.slice(around.cards.length);
  for (const each of hidden) {
    const placed = firstFree(inSigns(each), "signs", marks, around) ?? onLine(inSigns(each), around);
    place(each, placed);
    marks.push(placed.box);
  }
  placeAll(others);
  return found;
}

/**
 * Where edges say what they have from nearby: all of them where their lines are, but those that would
 * cover each other there, which find room as from further away, and those that have more to say than is
 * shown there and the room for it. Only these are here.
 */
export function spotsNearby(spoken: readonly Spoken[], around: Surroundings): ReadonlyMap<Key, Spot> {
  if (spoken.length > MOST_NEAR) return NONE;
  const near = spoken.map((each) => nearBox(each, around));
  const together = overlapping(near, (LEAST_BETWEEN * around.letter) / LETTER_ON_SCREEN);
  const crowded = spoken.filter((_, place) => together.has(near[place] as Box));
  if (crowded.length > MOST_SPOKEN) return NONE;
  const cards = [...around.cards, ...near.filter((box) => !together.has(box))];
  const found = new Map(placedWithRoom(crowded, { ...around, cards }));
  for (const each of crowded) if (!found.has(each.key)) found.set(each.key, onLine(inSigns(each), around));
  const boxes = new Map(spoken.map(({ key }, place) => [key, found.get(key)?.box ?? (near[place] as Box)]));
  const long = spoken.filter((each, place) => {
    const spot = found.get(each.key)?.spot;
    return spot ? spot.says === "words" && isLonger(each, each.width) : isLonger(each, Math.min(each.width, (near[place] as Box).width * (USUAL_LETTER / around.letter)));
  });
  return new Map([...spotsOf(found), ...spotsOf(atFullLength(long, boxes, around))]);
}

/** The boxes that overlap others; each is compared only with those that begin before it ends. */
function overlapping(boxes: readonly Box[], gap: number): Set<Box> {
  const sorted = [...boxes].sort((a, b) => a.x - b.x);
  const found = new Set<Box>();
  sorted.forEach((box, place) => {
    for (let at = place + 1; at < sorted.length; at += 1) {
      const other = sorted[at] as Box;
      if (other.x >= box.x + box.width + gap) break;
      if (overlap(box, other, gap)) found.add(box).add(other);
    }
  });
  return found;
}

/** The box of the words of an edge where its line is. */
export function nearBox({ from, to, lane, end, width: usual }: Spoken, { flow, letter }: Pick<Surroundings, "flow" | "letter">): Box {
  const way = wayOf(from, to, flow, lane, end);
  const { width, height } = boxSize(usual, way.shape === "beside");
  const scale = letter / USUAL_LETTER;
  return chipBox(way, from, to, { width: width * scale, height: height * scale });
}

const inSigns = (each: Spoken): Spoken => ({ ...each, width: each.signs, folded: each.signs });

/** Where it stands on its line, whatever is there. */
function onLine({ from, to, lane, end, width: usual }: Spoken, { flow, letter }: Surroundings): Placed {
  const way = wayOf(from, to, flow, lane, end);
  const width = wideAt(usual, letter);
  const height = CHIP_HEIGHT - USUAL_LINE + (USUAL_LINE * letter) / USUAL_LETTER;
  return { spot: { says: "signs", end, rows: 1, width, aside: 0, down: 0 }, box: chipBox(way, from, to, { width, height }) };
}

/** Chips in letters of a size; what is around letters does not grow with them. */
const wideAt = (width: number, letter: number): number => PADDING + ((width - PADDING) * letter) / USUAL_LETTER;

interface Placed {
  readonly spot: Spot;
  readonly box: Box;
}

/** The wider gap before the other, one row before two, and its own end of the line before others. */
function firstFree(each: Spoken, says: Spot["says"], taken: readonly Box[], around: Surroundings): Placed | null {
  const rows = each.folded < each.width ? [1, 2] : [1];
  if (says === "whole" && each.lane?.shape === "beside" && each.whole && each.whole.rows > 2) rows.push(each.whole.rows);
  for (const between of BETWEEN) {
    for (const count of rows) {
      for (const end of new Set<End>([each.end, "middle", "start", "end"])) {
        const placed = placedAt(each, { says, end, rows: count, gap: (between * around.letter) / LETTER_ON_SCREEN }, taken, around);
        if (placed) return placed;
      }
    }
  }
  return null;
}

interface Wish {
  readonly says: Spot["says"];
  readonly end: End;
  readonly rows: number;
  readonly gap: number;
}

function placedAt(each: Spoken, { says, end, rows, gap }: Wish, taken: readonly Box[], { flow, letter, shown }: Surroundings): Placed | null {
  const { from, to, lane } = each;
  const scale = letter / USUAL_LETTER;
  const way = wayOf(from, to, flow, lane, end);
  const width = rows > 2 ? MOST_BESIDE * scale : wideAt(rows === 1 ? each.width : each.folded, letter);
  const height = CHIP_HEIGHT - USUAL_LINE + USUAL_LINE * scale * rows;
  const base = chipSpot(way, from, to, width);
  const spot = between(way, from, to, base, height, gap);
  if (!spot) return null;
  const { across, down } = anchorOf(way);
  const box = { x: spot.x - width * across, y: spot.y - height * down, width, height };
  // They stay on their line.
  const most = lane ? 0 : width * MOST_ASIDE;
  // Broken words are as wide as what is there without them.
  const isBroken = rows > 2;
  const inSight = isBroken ? 0 : Math.max(shown.left - box.x, 0) + Math.min(shown.right - box.x - width, 0);
  const tries = [inSight, ...shiftsBeside(box, taken, gap)].filter((shift) => Math.abs(shift) <= most).map((x) => ({ x, y: 0 }));
  for (const by of lane ? [...tries, ...shiftsAlong(way.shape, from, to, box, gap)] : tries) {
    const moved = { ...box, x: box.x + by.x, y: box.y + by.y };
    const isSeen = isBroken || (moved.x >= shown.left - 1 && moved.x + width <= shown.right + 1);
    if (!isSeen || taken.some((other) => overlap(moved, other, gap))) continue;
    return { spot: { says, end, rows, width, aside: spot.x - base.x + by.x, down: spot.y - base.y + by.y }, box: moved };
  }
  return null;
}

/** Moves along the straight part of a line around cards, the least first. */
function shiftsAlong(shape: Way["shape"], from: Position, to: Position, box: Box, gap: number): Position[] {
  const isOver = shape === "over";
  const [length, size] = isOver ? [Math.abs(to.x - from.x), box.width] : [Math.abs(to.y - from.y), box.height];
  const most = (length - size) / 2;
  const found: Position[] = [];
  for (let by = (size + gap) / 2; by <= most; by += (size + gap) / 2) {
    for (const shift of [by, -by]) found.push(isOver ? { x: shift, y: 0 } : { x: 0, y: shift });
  }
  return found;
}

/** The place on a line from one row to the next that keeps clear of both cards; null without room. */
function between(way: Way, from: Position, to: Position, base: Position, height: number, gap: number): Position | null {
  if (way.shape !== "down") return base;
  const [top, bottom] = [from.y + CARD.height + gap + height / 2, to.y - gap - height / 2];
  if (top > bottom + 0.5) return null;
  const y = Math.min(Math.max(base.y, top), bottom);
  return y === base.y ? base : { x: alongOf(from, to, y), y };
}

/** The least moves to either side after which a box is clear of what it overlaps. */
function shiftsBeside(box: Box, taken: readonly Box[], gap: number): number[] {
  const others = taken.filter((other) => overlap(box, other, gap));
  if (!others.length) return [];
  const left = Math.min(...others.map((other) => other.x - gap - box.width - box.x));
  const right = Math.max(...others.map((other) => other.x + other.width + gap - box.x));
  return [left, right].sort((a, b) => Math.abs(a) - Math.abs(b));
}

function overlap(a: Box, b: Box, gap: number): boolean {
  const least = gap - 0.5;
  return a.x < b.x + b.width + least && b.x < a.x + a.width + least && a.y < b.y + b.height + least && b.y < a.y + a.height + least;
}
