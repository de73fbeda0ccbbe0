// How far cards reach into the free room beside them, so that their names are whole from further away.

import { lettersOf } from "./chips";
import type { Key, Position } from "./document";
import { AT, alongOf, DROP, type Flow, type Lane, shapeOf } from "./lines";
import { type Box, CARD, type Extent } from "./places";

/** A card: its name, in how many rows of which height it is written, the width of what stands beside it, and that of a line below. */
export interface Named {
  readonly key: Key;
  readonly at: Position;
  readonly name: string;
  readonly rows: number;
  readonly height: number;
  readonly beside: number;
  readonly least: number;
  /** The width of a line that stands below the name from further away, where the name leaves a row; 0 for none. */
  readonly below?: number;
  /** The width of the sign of its type, which stands beside the name where that leaves the room; 0 for none. */
  readonly sign?: number;
  /** The height that what the lines below it say takes; 0 for nothing. */
  readonly said?: number;
}

/** A line as far as cards must leave it in sight. */
export interface Passing {
  readonly from: Position;
  readonly to: Position;
  readonly lane: Lane | undefined;
}

/** By how much a card is larger than usual on each side, and how many rows its name has. */
export interface Reach {
  readonly left: number;
  readonly right: number;
  readonly up: number;
  readonly down: number;
  readonly rows: number;
  /** Whether the line below the name has a row. */
  readonly hasBelow?: boolean;
  /** Whether the sign of its type has room beside the name. */
  readonly hasSign?: boolean;
}

/** The graph as cards find it: their lines, the size of the letters of names, and what is shown of the canvas. */
interface Around {
  readonly lines: readonly Passing[];
  readonly flow: Flow;
  readonly letter: number;
  readonly shown: Extent;
}

// In a larger graph nobody reads all names at once, and each card is compared with all others.
export const MOST_REACHING = 60;
/** A usual letter as a share of its size; a Chinese one counts as two. */
const BREADTH = 0.57;
const ROW = 1.12;
/** Above and below the rows of a longer card, in letters. */
const AROUND_ROWS = 0.4;
const BETWEEN = 16;
const FROM_LINE = 10;
const NONE: ReadonlyMap<Key, Reach> = new Map();
// No name needs more, and no card is wider.
const MOST_LETTERS = 60;
const MOST_HIGHER = CARD.height / 2;
const MOST_LONGER = CARD.height;
const MOST_MORE_ROWS = 2;
// Below a card, for its lines and their arrows; of a line to a lane beside others only its corner.
const LINES_BELOW = 36;
const OVER_LINE = 16;

/** The cards that have to be larger and have the room for it. In a flow to the right they are higher, else wider, and then longer. */
export function reaches(cards: readonly Named[], around: Around): ReadonlyMap<Key, Reach> {
  if (!cards.length || cards.length > MOST_REACHING) return NONE;
  const found = new Map<Key, Reach>();
  for (const card of cards) {
    const reach = withBelow(card, cards, around) ?? withSign(card, cards, around) ?? forName(card, cards, around);
    if (reach) found.set(card.key, reach);
  }
  return found;
}

function forName(card: Named, cards: readonly Named[], around: Around): Reach | null {
  return around.flow === "down" ? longer(card, wider(card, cards, around), cards, around) : higher(card, cards, around);
}

/** A card with the sign of its type, whose name is whole beside it in no more rows; null without the room. */
function withSign(card: Named, cards: readonly Named[], around: Around): Reach | null {
  if (!card.sign) return null;
  const beside = card.beside + card.sign;
  const reach = forName({ ...card, beside }, cards, around) ?? { left: 0, right: 0, up: 0, down: 0, rows: card.rows };
  if (reach.rows > (forName(card, cards, around)?.rows ?? card.rows)) return null;
  return widthIn(reach.rows, card.name, around.letter) + beside <= CARD.width + reach.left + reach.right + 1 ? { ...reach, hasSign: true } : null;
}

/** The box of a card with its reach. */
export function boxOf({ x, y }: Position, reach: Reach | undefined): Box {
  if (!reach) return { x, y, ...CARD };
  const { left, right, up, down } = reach;
  return { x: x - left, y: y - up, width: CARD.width + left + right, height: CARD.height + up + down };
}

/** A card whose name is whole in a row less, so that a line stands below it; null for all others. */
function withBelow(card: Named, cards: readonly Named[], around: Around): Reach | null {
  if (!card.below || card.rows < 2) return null;
  const rows = card.rows - 1;
  const reach = around.flow === "down" ? wider({ ...card, rows, least: card.below }, cards, around) : null;
  const { left, right } = reach ?? { left: 0, right: 0 };
  const free = CARD.width + left + right - widthIn(rows, card.name, around.letter) - card.beside;
  if (free < 0) return null;
  return { left, right, up: 0, down: 0, rows, hasBelow: true, ...(card.sign && free >= card.sign ? { hasSign: true } : {}) };
}

function wider({ at, name, rows, beside, least }: Named, cards: readonly Named[], { lines, letter, shown }: Around): Reach | null {
  const wanted = Math.min(Math.max(widthIn(rows, name, letter) + beside, least), MOST_LETTERS * letter * BREADTH) - CARD.width;
  if (wanted <= 0) return null;
  let [left, right] = [at.x - shown.left, shown.right - at.x - CARD.width];
  for (const { at: other } of cards) {
    if (other === at || Math.abs(other.y - at.y) >= CARD.height + BETWEEN) continue;
    if (other.x > at.x) right = Math.min(right, (other.x - at.x - CARD.width - BETWEEN) / 2);
    else left = Math.min(left, (at.x - other.x - CARD.width - BETWEEN) / 2);
  }
  for (const x of lines.flatMap((line) => crossings(line, at))) {
    if (x >= at.x + CARD.width / 2) right = Math.min(right, x - FROM_LINE - at.x - CARD.width);
    else left = Math.min(left, at.x - x - FROM_LINE);
  }
  if (lines.some((line) => isAtSide(line, at, "right"))) right = 0;
  if (lines.some((line) => isAtSide(line, at, "left"))) left = 0;
  [left, right] = shared(wanted, Math.max(left, 0), Math.max(right, 0));
  return left + right > 0 ? { left, right, up: 0, down: 0, rows } : null;
}

/** A card whose name is not whole as wide as it can be gets rows at its lower end, as far as its lines below leave room. */
function longer({ at, name, rows, height, beside, said = 0 }: Named, wide: Reach | null, cards: readonly Named[], { lines, letter }: Around): Reach | null {
  const { left, right } = wide ?? { left: 0, right: 0 };
  const width = CARD.width + left + right - beside;
  let most = rows;
  while (most < rows + MOST_MORE_ROWS && widthIn(most, name, letter) > width) most += 1;
  const bottom = at.y + CARD.height;
  const below = lines.flatMap(levelParts).filter((part) => part.y >= bottom && isAlong(part, at.x - left, at.x + CARD.width + right));
  let room = Math.min(MOST_LONGER, ...below.map(({ y }) => y - OVER_LINE - bottom));
  for (const { at: other } of cards) {
    if (other.y <= at.y || Math.abs(other.x - at.x) >= CARD.width * 2) continue;
    const gap = other.y - bottom;
    room = Math.min(room, gap - LINES_BELOW, ...(said ? [gap * AT.start - said / 2] : []));
  }
  const [row, around] = [letter * ROW, letter * AROUND_ROWS];
  const fitting = Math.min(most, Math.floor((height + Math.max(room, 0) - around) / row));
  if (fitting <= rows) return wide;
  return { left, right, up: 0, down: Math.max(fitting * row + around - height, 0), rows: fitting };
}

function higher({ at, name, rows, height, beside }: Named, cards: readonly Named[], { lines, letter }: Around): Reach | null {
  let most = rows;
  while (most < rows + 3 && widthIn(most, name, letter) + beside > CARD.width) most += 1;
  if (most === rows) return null;
  let [up, down] = [MOST_HIGHER, MOST_HIGHER];
  for (const { at: other } of cards) {
    if (other === at || Math.abs(other.x - at.x) >= CARD.width + BETWEEN) continue;
    if (other.y > at.y) down = Math.min(down, (other.y - at.y - CARD.height - BETWEEN / 2) / 2);
    else up = Math.min(up, (at.y - other.y - CARD.height - BETWEEN / 2) / 2);
  }
  for (const { y } of lines.flatMap(levelParts).filter((part) => isAlong(part, at.x, at.x + CARD.width))) {
    if (y > at.y + CARD.height) down = Math.min(down, y - FROM_LINE - at.y - CARD.height);
    else if (y < at.y) up = Math.min(up, at.y - FROM_LINE - y);
  }
  // Lines leave the middle of its sides.
  const row = letter * ROW;
  const shown = Math.min(most, Math.floor((height + 2 * Math.max(Math.min(up, down), 0)) / row));
  if (shown <= rows) return null;
  const each = Math.max(shown * row - height, 0) / 2;
  return { left: 0, right: 0, up: each, down: each, rows: shown };
}

/** As even as it goes. */
function shared(wanted: number, left: number, right: number): [number, number] {
  const half = wanted / 2;
  const own = Math.min(left, Math.max(half, wanted - right));
  return [own, Math.min(right, wanted - own)];
}

/** Where a line that is neither from nor to a card passes beside it. */
function crossings({ from, to, lane }: Passing, at: Position): number[] {
  const [top, bottom] = [at.y, at.y + CARD.height];
  const [start, end] = lane ? [Math.min(from.y, to.y), Math.max(from.y, to.y) + CARD.height] : [from.y + CARD.height, to.y];
  if (start > bottom || end < top || lane?.shape === "over") return [];
  const isOwn = from === at || to === at;
  if (lane) return lane.shape === "aside" && isOwn ? [] : [lane.at];
  if (isOwn) return [];
  return [top, (top + bottom) / 2, bottom].map((y) => alongOf(from, to, y));
}

interface LevelPart {
  readonly y: number;
  readonly left: number;
  readonly right: number;
}

/** The level parts of a line around cards, which leave or reach them below, above or aside, or go over them. */
function levelParts({ from, to, lane }: Passing): LevelPart[] {
  if (!lane) return [];
  const part = (y: number, a: number, b: number): LevelPart => ({ y, left: Math.min(a, b), right: Math.max(a, b) });
  const [start, end] = [from.x + CARD.width / 2, to.x + CARD.width / 2];
  if (lane.shape === "over") return [part(lane.at, start, end)];
  if (lane.shape === "aside") return [part(from.y + CARD.height / 2, start, lane.at)];
  return [...(lane.under === undefined ? [] : [part(lane.under, start, lane.at)]), ...(lane.above ? [part(to.y - DROP, end, lane.at)] : [])];
}

const isAlong = (part: LevelPart, left: number, right: number): boolean => part.left < right + FROM_LINE && part.right > left - FROM_LINE;

function isAtSide({ from, to, lane }: Passing, at: Position, side: "left" | "right"): boolean {
  const shape = lane?.shape ?? shapeOf(from, to, "down");
  if (shape === "beside") return side === "right" && (from === at || to === at);
  if (shape === "aside") return from === at && (side === "right") === to.x > from.x;
  if (shape === "left") return side === "right" ? to === at : from === at;
  return (shape === "right" || shape === "up") && (side === "right" ? from === at : to === at);
}

/** The least width at which a name takes so many rows, broken between words, or Chinese letters. */
export function widthIn(rows: number, name: string, letter: number): number {
  const parts = [...name.matchAll(/[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]+\s*|\s+/gu)].map(([part]) => lettersOf(part));
  const total = parts.reduce((sum, part) => sum + part, 0);
  let width = Math.max(Math.ceil(total / rows), ...parts);
  while (width < total && rowsOf(parts, width) > rows) width += 1;
  return (width + 1) * letter * BREADTH;
}

function rowsOf(parts: readonly number[], width: number): number {
  let [rows, used] = [1, 0];
  for (const part of parts) {
    if (used && used + part > width + 1) [rows, used] = [rows + 1, 0];
    used += part;
  }
  return rows;
}
