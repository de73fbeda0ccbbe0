// Where cards stand that nobody placed: in layers, folded only where they could not be read, beside what is placed already.

import type { Key, Position, WorkflowDocument } from "./document";
import { indexOf } from "./document";
import type { Edit } from "./edits";
import { MARGIN, type Pair, SCREEN, zoomOf } from "./layers";
import type { Flow } from "./lines";
import { around, type Box, CARD } from "./places";

export type Places = { readonly [key: Key]: Position };

// Between two parts of a folded graph there is room for the line that leads from one to the next.
const BETWEEN = 120;
const BESIDE = { right: { x: CARD.width + 100, y: 0 }, down: { x: 0, y: CARD.height + 70 } };
// Shown whole at a smaller zoom, cards that lead to the right have no room for six letters of a size that one can
// read, and cards that lead down none for a line; these take the room beside them for their names.
const LEGIBLE = { right: 0.22, down: 0.17 };
// From further away names need more room than cards have, and a flow that leads down has some beside it.
const NAMES = 0.3;
const MOST_SPREAD = 2.5;
const MOST_PARTS = 8;
// A fold that makes less of a difference is not worth its long lines.
const WORTH = 1.3;
// What a loop that is torn apart costs, and a part of twice the length that was meant, in lines that cross.
const BACK = 3;
const UNEVEN = 20;
// A cut that more lines cross than this is harder to read than a long row.
const MOST_CROSSING = 8;

// Cards are moved by mouse and keys in steps of this.
const onGrid = (value: number): number => Math.ceil(value / 10) * 10;

/** The keys of the nodes that have no position of their own. */
export function unplaced({ nodes }: WorkflowDocument): Key[] {
  const { keys } = indexOf(nodes);
  return nodes.flatMap((node, place) => (node.position ? [] : [keys[place] as Key]));
}

/** The edges between some nodes, without those from a node to itself. */
export function pairs({ edges }: WorkflowDocument, among: ReadonlySet<Key>): Pair[] {
  return edges.flatMap(({ from, to }) => (among.has(from) && among.has(to) && from !== to ? [[from, to] as const] : []));
}

/** The layers as they are, or cut where few lines cross and put side by side if nobody could read them. */
export function folded(spots: Places, edges: readonly Pair[], flow: Flow): Places {
  const keys = Object.keys(spots);
  if (!keys.length) return spots;
  const along = flow === "right" ? "x" : "y";
  const at = (key: Key): number => (spots[key] as Position)[along];
  const layers = [...new Set(keys.map(at))].sort((a, b) => a - b);
  const parts = partsFor(around(Object.values(spots)), flow, layers.length);
  const starts = parts > 1 ? [0, ...cuts(layers, parts, at, edges)] : [0];
  const split = starts.map((start, part) => {
    const [first, end] = [layers[start] as number, layers[starts[part + 1] ?? layers.length] ?? Number.POSITIVE_INFINITY];
    return keys.filter((key) => at(key) >= first && at(key) < end);
  });
  if (flow === "down") return spread(spots, split);
  return split.length === 1 ? spots : sideBySide(spots, flow, split);
}

/** Columns whose cards stand further apart, as far as the graph is not smaller for it. */
function spread(spots: Places, parts: readonly (readonly Key[])[]): Places {
  const boxes = parts.map((part) => around(part.map((key) => spots[key] as Position)));
  const zoom = zoomOf(0, Math.max(...boxes.map(({ height }) => height)));
  const width = boxes.reduce((sum, box) => sum + box.width - CARD.width, 0);
  const free = SCREEN.width / zoom - 2 * MARGIN - parts.length * CARD.width - (parts.length - 1) * BETWEEN;
  const by = zoom < NAMES && width > 0 ? Math.min(Math.max(free / width, 1), MOST_SPREAD) : 1;
  const to = Object.fromEntries(parts.flatMap((part, place) => part.map((key) => {
    const { x, y } = spots[key] as Position;
    const left = (boxes[place] as Box).x;
    return [key, { x: left + Math.round(((x - left) * by) / 10) * 10, y }];
  })));
  return parts.length === 1 ? to : sideBySide(to, "down", parts);
}

/** The fewest parts in which a graph can be read, else those in which it is largest; 1 if folding helps little. */
function partsFor({ width, height }: Box, flow: Flow, layers: number): number {
  const whole = zoomOf(width, height);
  if (whole >= LEGIBLE[flow]) return 1;
  let best = { parts: 1, zoom: whole * WORTH };
  for (let parts = 2; parts <= Math.min(MOST_PARTS, layers / 3); parts += 1) {
    const zoom = flow === "right" ? zoomOf(width / parts, (height + BETWEEN) * parts) : zoomOf((width + BETWEEN) * parts, height / parts);
    if (zoom > best.zoom) best = { parts, zoom };
    if (flow === "down" && best.zoom >= LEGIBLE.down) break; // fewer columns leave names more room
  }
  return best.parts;
}

/** Rows below each other of a graph that leads to the right, columns beside each other of one that leads down. */
function sideBySide(spots: Places, flow: Flow, parts: readonly (readonly Key[])[]): Places {
  const whole = around(Object.values(spots));
  const to: Record<Key, Position> = {};
  let next = { x: whole.x, y: whole.y };
  for (const part of parts) {
    const box = around(part.map((key) => spots[key] as Position));
    for (const key of part) {
      const { x, y } = spots[key] as Position;
      to[key] = { x: x - box.x + next.x, y: y - box.y + next.y };
    }
    next = flow === "right" ? { x: whole.x, y: next.y + onGrid(box.height + BETWEEN) } : { x: next.x + onGrid(box.width + BETWEEN), y: whole.y };
  }
  return to;
}

/** The layers that begin a new part: parts of about one length, cut where few lines cross. */
function cuts(columns: readonly number[], rows: number, at: (key: Key) => number, edges: readonly Pair[]): number[] {
  const crossing = crossings(columns, at, edges);
  const size = columns.length / rows;
  const longest = Math.ceil(size * 2);
  // For each number of rows: what the columns before an end cost at best, and where their last row begins.
  let costs = new Array<number>(columns.length + 1).fill(Number.POSITIVE_INFINITY);
  costs[0] = 0;
  const begins: number[][] = [];
  for (let row = 0; row < rows; row += 1) {
    const next = new Array<number>(columns.length + 1).fill(Number.POSITIVE_INFINITY);
    const begin = new Array<number>(columns.length + 1).fill(0);
    for (let end = row + 1; end <= columns.length; end += 1) {
      for (let start = Math.max(row, end - longest); start < end; start += 1) {
        const cost = (costs[start] as number) + (crossing[start] as number) + UNEVEN * ((end - start) / size - 1) ** 2;
        if (cost < (next[end] as number)) [next[end], begin[end]] = [cost, start];
      }
    }
    costs = next;
    begins.push(begin);
  }
  const found: number[] = [];
  for (let row = rows - 1, end = columns.length; row > 0; row -= 1) {
    end = begins[row]?.[end] as number;
    found.unshift(end);
  }
  return found.some((column) => (crossing[column] as number) > MOST_CROSSING) ? [] : found;
}

/** How many lines a cut before each column crosses; one that leads back counts as more. */
function crossings(columns: readonly number[], at: (key: Key) => number, edges: readonly Pair[]): number[] {
  const places = new Map(columns.map((value, column) => [value, column]));
  const crossing = new Array<number>(columns.length + 1).fill(0);
  const columnOf = (key: Key): number => places.get(at(key)) as number;
  for (const [from, to] of edges) {
    const [a, b] = [columnOf(from), columnOf(to)];
    for (let column = Math.min(a, b) + 1; column <= Math.max(a, b); column += 1) crossing[column] = (crossing[column] as number) + (a < b ? 1 : BACK);
  }
  return crossing;
}

/**
 * Places for nodes without a position, of a layout of these alone. Each part of them that hangs
 * together stands behind a placed node that leads to it, else before one that it leads to, else
 * below all; lower if something stands there.
 */
export function arranged(document: WorkflowDocument, layout: Places, placed: ReadonlyMap<Key, Position>, flow: Flow): Places {
  const missing = new Set(Object.keys(layout));
  if (!placed.size) return folded(layout, pairs(document, missing), flow);
  const taken = new Map(placed);
  const to: Record<Key, Position> = {};
  for (const part of parts(document, missing)) {
    const own = Object.fromEntries(part.map((key) => [key, layout[key] as Position]));
    const spots = folded(own, pairs(document, new Set(part)), flow);
    const shift = clear(spots, shiftOf(document, spots, taken, flow), taken);
    const by = { x: onGrid(shift.x), y: onGrid(shift.y) };
    for (const key of part) {
      const { x, y } = spots[key] as Position;
      to[key] = { x: x + by.x, y: y + by.y };
      taken.set(key, to[key] as Position);
    }
  }
  return to;
}

/** The nodes that hang together, in the order of the document. */
function parts(document: WorkflowDocument, missing: ReadonlySet<Key>): Key[][] {
  const next = new Map<Key, Key[]>([...missing].map((key) => [key, []]));
  for (const [from, to] of pairs(document, missing)) {
    next.get(from)?.push(to);
    next.get(to)?.push(from);
  }
  const seen = new Set<Key>();
  return [...missing].flatMap((first) => {
    if (seen.has(first)) return [];
    seen.add(first);
    const part = [first];
    for (let at = 0; at < part.length; at += 1) {
      for (const key of next.get(part[at] as Key) ?? []) {
        if (seen.has(key)) continue;
        seen.add(key);
        part.push(key);
      }
    }
    return [part];
  });
}

function shiftOf({ edges }: WorkflowDocument, spots: Places, taken: ReadonlyMap<Key, Position>, flow: Flow): Position {
  const towards = (known: Key, own: Key, sign: 1 | -1): Position | null => {
    const [there, here] = [taken.get(known), spots[own]];
    return there && here ? { x: there.x + sign * BESIDE[flow].x - here.x, y: there.y + sign * BESIDE[flow].y - here.y } : null;
  };
  for (const { from, to } of edges) if (!spots[from] && towards(from, to, 1)) return towards(from, to, 1) as Position;
  for (const { from, to } of edges) if (!spots[to] && towards(to, from, -1)) return towards(to, from, -1) as Position;
  const [all, own] = [around([...taken.values()]), around(Object.values(spots))];
  return { x: all.x - own.x, y: all.y + all.height + BETWEEN / 2 - own.y };
}

/** The same shift, or one further down where the cards cover nothing. */
function clear(spots: Places, by: Position, taken: ReadonlyMap<Key, Position>): Position {
  const own = around(Object.values(spots));
  const [left, right] = [own.x + by.x, own.x + by.x + own.width];
  const lines = [...taken.values()].filter(({ x }) => x < right && x + CARD.width > left).map(({ y }) => y).sort((a, b) => a - b);
  let top = own.y + by.y;
  for (const y of lines) if (y < top + own.height && y + CARD.height > top) top = y + CARD.height + BETWEEN / 2;
  return { x: by.x, y: top - own.y };
}

/**
 * An edit that places cards, with the places of all others as they were seen: saved without them,
 * they would be laid out again and jump as soon as one card has a place.
 */
export function fixed(document: WorkflowDocument, edit: Edit, places: ReadonlyMap<Key, Position>): Edit {
  if (!isPlacing(edit)) return edit;
  const to = Object.fromEntries(unplaced(document).flatMap((key) => (places.has(key) ? [[key, places.get(key) as Position]] : [])));
  return Object.keys(to).length ? { kind: "together", edits: [{ kind: "move", to }, edit] } : edit;
}

function isPlacing(edit: Edit): boolean {
  if (edit.kind === "together") return edit.edits.some(isPlacing);
  return edit.kind === "move" || (edit.kind === "add" && edit.nodes.some(({ element }) => element.position));
}
