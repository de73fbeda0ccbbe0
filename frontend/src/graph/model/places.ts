// The positions of cards: chosen by a person, else by the server, else below all others.

import { groupOf } from "./canvas_data";
import type { Key, Position, WorkflowDocument } from "./document";
import { indexOf } from "./document";

// As wide as two dozen letters; the same for the drawings of the server (workflows/domain/document/layout.py).
export const CARD = { width: 220, height: 84 };
const ACROSS = CARD.width + 80;
const DOWN = CARD.height + 60;
const A_ROW = 6;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function placesOf(document: WorkflowDocument, given: { readonly [id: string]: Position }): Map<Key, Position> {
  const places = new Map<Key, Position>();
  const { keys } = indexOf(document.nodes);
  const lost: Key[] = [];
  document.nodes.forEach((node, place) => {
    const key = keys[place] as Key;
    const spot = node.position ?? given[key];
    if (spot) places.set(key, spot);
    else lost.push(key);
  });
  if (lost.length) {
    const spots = [...places.values()];
    const left = Math.min(...(spots.length ? spots.map((spot) => spot.x) : [0]));
    const top = spots.length ? Math.max(...spots.map((spot) => spot.y)) + DOWN : 0;
    lost.forEach((key, number) => {
      places.set(key, { x: left + (number % A_ROW) * ACROSS, y: top + Math.floor(number / A_ROW) * DOWN });
    });
  }
  return places;
}

export function around(spots: readonly Position[], margin = 0): Box {
  const [xs, ys] = [spots.map((spot) => spot.x), spots.map((spot) => spot.y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return {
    x: left - margin,
    y: top - margin,
    width: Math.max(...xs) + CARD.width - left + 2 * margin,
    height: Math.max(...ys) + CARD.height - top + 2 * margin,
  };
}

/** The box around some boxes. */
export function united(first: Box, others: readonly Box[]): Box {
  const [x, y] = [Math.min(first.x, ...others.map((box) => box.x)), Math.min(first.y, ...others.map((box) => box.y))];
  const right = Math.max(first.x + first.width, ...others.map((box) => box.x + box.width));
  const bottom = Math.max(first.y + first.height, ...others.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** From where to where a canvas is shown, in its units. */
export interface Extent {
  readonly left: number;
  readonly right: number;
}

// Lines from one row to the next swing out beside the cards.
export const SWING = 48;

/** What a canvas of a width surely shows when all of a graph is in it, which may stand beside the tools, and never under them. */
export function shownExtent(graph: Box, width: number, tools: number): Extent {
  const room = (taken: number): number => Math.max(width - taken - graph.width, 0) / 2;
  return { left: graph.x - room(tools), right: graph.x + graph.width + room(2 * tools) };
}

/** The frames of the groups around their members, by name. */
export function frames(document: WorkflowDocument, places: ReadonlyMap<Key, Position>): Map<string, Box> {
  const spots = new Map<string, Position[]>();
  const { keys } = indexOf(document.nodes);
  document.nodes.forEach((node, place) => {
    const group = groupOf(node);
    const spot = places.get(keys[place] as Key);
    if (group && spot) spots.set(group, [...(spots.get(group) ?? []), spot]);
  });
  return new Map([...spots].map(([group, own]) => [group, around(own, 28)]));
}

// Between a new card and those that stand there: what lines and chips need.
const GAP = { x: 40, y: 60 };
const BESIDE_LINE = 12;
const STEP = 10;
const MOST_STEPS = 400;

/** How far new cards go across the flow, so that they keep their gap to all others and cover no line around cards: the nearer way. */
export function freeShift(places: ReadonlyMap<Key, Position>, wished: readonly Position[], flow: "right" | "down", lines: readonly Box[] = []): Position {
  const spots = [...places.values()];
  const isTaken = (by: Position): boolean =>
    wished.some(({ x, y }) => {
      const [left, top] = [x + by.x, y + by.y];
      const isNear = spots.some((spot) => Math.abs(spot.x - left) < CARD.width + GAP.x && Math.abs(spot.y - top) < CARD.height + GAP.y);
      return isNear || lines.some((line) => line.x < left + CARD.width + BESIDE_LINE && line.x + line.width > left - BESIDE_LINE && line.y < top + CARD.height + BESIDE_LINE && line.y + line.height > top - BESIDE_LINE);
    });
  const across = (length: number): Position => (flow === "right" ? { x: 0, y: length } : { x: length, y: 0 });
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const found = [across(step * STEP), across(-step * STEP)].find((by) => !isTaken(by));
    if (found) return found;
  }
  return across(0);
}

/** The nearest free spot across the flow. */
export function freeSpot(places: ReadonlyMap<Key, Position>, wished: Position, flow: "right" | "down" = "right", lines: readonly Box[] = []): Position {
  const by = freeShift(places, [wished], flow, lines);
  return { x: wished.x + by.x, y: wished.y + by.y };
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface View extends Position {
  readonly zoom: number;
}

const MARGIN = 24;

/** Whether all of a box is in the view. */
export function isSeen(view: View, size: Size, box: Box): boolean {
  const [left, top] = [box.x * view.zoom + view.x, box.y * view.zoom + view.y];
  return left >= 0 && top >= 0 && left + box.width * view.zoom <= size.width && top + box.height * view.zoom <= size.height;
}

/** The view in which a box is whole with all cards that were: smaller if that goes, else moved as little as shows it. */
export function shownToo(view: View, size: Size, box: Box, cards: readonly Position[], least: number): View | null {
  if (isSeen(view, size, box)) return null;
  const seen = cards.filter((card) => isSeen(view, size, { ...card, ...CARD }));
  const all = united(box, seen.map((card) => ({ ...card, ...CARD })));
  const zoom = Math.min(view.zoom, (size.width - 2 * MARGIN) / all.width, (size.height - 2 * MARGIN) / all.height);
  return zoom >= Math.min(least, view.zoom) ? (shownWhole({ ...view, zoom }, size, all) ?? { ...view, zoom }) : shownWhole(view, size, box);
}

/** The view of a box in the middle, with names that can be read; null where they can be, or where the box is too large. */
export function shownNear(view: View, size: Size, box: Box, least: number): View | null {
  const zoom = Math.min(least, (size.width - 2 * MARGIN) / box.width, (size.height - 2 * MARGIN) / box.height);
  if (view.zoom >= least || zoom <= view.zoom) return null;
  return { x: size.width / 2 - (box.x + box.width / 2) * zoom, y: size.height / 2 - (box.y + box.height / 2) * zoom, zoom };
}

/** The view moved as little as shows all of a box, or its start if it is larger; null if it is seen. */
export function shownWhole(view: View, size: Size, box: Box): View | null {
  const along = (offset: number, room: number, from: number, length: number): number => {
    const [start, end] = [from * view.zoom + offset, (from + length) * view.zoom + offset];
    const back = Math.min(room - MARGIN - end, 0);
    return start + back < MARGIN ? offset + MARGIN - start : offset + back;
  };
  const moved = { x: along(view.x, size.width, box.x, box.width), y: along(view.y, size.height, box.y, box.height), zoom: view.zoom };
  return moved.x === view.x && moved.y === view.y ? null : moved;
}

interface Span {
  readonly left: number;
  readonly right: number;
}

// Between what is shown and the border of the canvas.
const BORDER = 8;

/** How far to move what is partly out of sight at one side, its beginning first; 0 for what is in sight, or not at all. */
export function shiftInto(canvas: Span, { left, right }: Span, covered: number): number {
  const [from, to] = [canvas.left + BORDER, canvas.right - covered - BORDER];
  if (right <= canvas.left || left >= canvas.right) return 0;
  if (left < from) return from - left;
  return right > to ? Math.max(to - right, from - left) : 0;
}
