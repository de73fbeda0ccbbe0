// The path of a line from one card to another, between the sides that face each other.

import { boxSize, CHIP_HEIGHT, roomOf } from "./chips";
import type { Key, Position, WorkflowDocument, WorkflowEdge } from "./document";
import { indexOf } from "./document";
import { around, type Box, CARD } from "./places";

/** Where a graph leads as a whole: a line that could go either way follows it. */
export type Flow = "right" | "down";

export interface Way {
  readonly path: string;
  /** Ahead along one axis, back in its row, up to the next column, aside and then down, or around cards: beside them, or over them. */
  readonly shape: Shape;
  /** Where its chips stand. */
  readonly x: number;
  readonly y: number;
}

type Shape = Flow | "left" | Lane["shape"];
/** The end of a line at which no other line is, where its chips stand: between both if there is none, or two. */
export type End = "start" | "middle" | "end";

// Less room than this between two cards is none for a line.
const GAP = 24;
const TIP = 2;
const CLEAR = 28;
const CORNER = 12;
const LANE = 26;
/** How far below or above a card a line goes to a lane, and below it where nothing else is: cards get longer by their names. */
export const DROP = 24;
const FREE_DROP = 40;
/** Where chips stand, as a share of the whole way: short of the arrow, and clear of the lines beside it. */
export const AT: { readonly [end in End]: number } = { start: 0.3, middle: 0.5, end: 0.7 };
// How far chips reach over the line that they begin at.
const INSET = 12;
// Between chips and the cards below or above which they stand.
const BESIDE_CARDS = 4;
// Beside the middle of a side, where the lines ahead leave and arrive.
const ASIDE = 12;
// A card in the way of every line is looked for up to so many pairs of both.
const MOST_CHECKED = 100_000;

/** The flow that most lines between neighbours have; to the right, or as is said, if none says anything. */
export function flowOf({ edges }: Pick<WorkflowDocument, "edges">, places: ReadonlyMap<Key, Position>, otherwise: Flow = "right"): Flow {
  let down = 0;
  for (const { from, to } of edges) {
    const [a, b] = [places.get(from), places.get(to)];
    if (!a || !b || from === to) continue;
    const [isAbove, isBeside] = [overlaps(a.x, b.x, CARD.width), overlaps(a.y, b.y, CARD.height)];
    if (isAbove !== isBeside) down += isAbove ? 1 : -1;
  }
  return down === 0 ? otherwise : down > 0 ? "down" : "right";
}

function overlaps(a: number, b: number, length: number): boolean {
  return Math.abs(a - b) < length * 0.75;
}

/** The shape of the line between two cards with nothing between them. */
export function shapeOf(from: Position, to: Position, flow: Flow): Shape {
  const [across, below] = [to.x - from.x - CARD.width, to.y - from.y - CARD.height];
  const isAbove = overlaps(from.x, to.x, CARD.width);
  if (below >= GAP && (isAbove || flow === "down" || across < GAP)) return "down";
  if (across >= GAP) return flow === "down" && to.y < from.y ? "up" : "right";
  if (flow === "down" && from.x - to.x - CARD.width >= GAP && to.y > from.y - CARD.height) return "left";
  return aroundOf(from, to, flow);
}

/** The shape of a line that leads back, around cards. */
function aroundOf(from: Position, to: Position, flow: Flow): "beside" | "over" {
  return flow === "down" && to.y < from.y ? "beside" : "over";
}

/** A way between the upper left corners of two cards; `lane` is where it goes around others. */
export function wayOf(from: Position, to: Position, flow: Flow, lane?: Lane, end: End = "middle"): Way {
  const shape = lane?.shape ?? shapeOf(from, to, flow);
  const [left, right] = [{ x: to.x - TIP, y: to.y + CARD.height / 2 }, { x: from.x + CARD.width, y: from.y + CARD.height / 2 }];
  if (shape === "right") return ahead(shape, right, left, "middle");
  if (shape === "left") return ahead(shape, { x: from.x, y: right.y }, { x: to.x + CARD.width + TIP, y: left.y }, "middle");
  if (shape === "down") return ahead(shape, { x: from.x + CARD.width / 2, y: from.y + CARD.height }, { x: to.x + CARD.width / 2, y: to.y - TIP }, end);
  if (shape === "aside") return aside(from, to);
  const own = nearest(from, to, shape);
  const at = lane ? (shape === "beside" ? Math.max(lane.at, own) : Math.min(lane.at, own)) : own;
  if (shape === "over") return over(from, to, at);
  return (shape === "up" ? up : beside)(from, to, { ...lane, at });
}

function ahead(shape: Flow | "left", start: Position, end: Position, chips: End): Way {
  const [x, y] = [(start.x + end.x) / 2, (start.y + end.y) / 2];
  const bends = shape !== "down" ? `${x} ${start.y} ${x} ${end.y}` : `${start.x} ${y} ${end.x} ${y}`;
  const path = `M${start.x} ${start.y}C${bends} ${end.x} ${end.y}`;
  return { shape, path, x: start.x + (end.x - start.x) * smooth(AT[chips]), y: start.y + (end.y - start.y) * AT[chips] };
}

/** As far across as a line ahead is at a part of its length: flat at both ends. */
const smooth = (part: number): number => part * part * (3 - 2 * part);

/** The x at which a line down to the next row is at a y. */
export function alongOf(from: Position, to: Position, y: number): number {
  const [start, end] = [from.y + CARD.height, to.y - TIP];
  const share = Math.min(Math.max((y - start) / Math.max(end - start, 1), 0), 1);
  return from.x + (to.x - from.x) * smooth(share) + CARD.width / 2;
}

/** Out of the side of a card that the other one is at, and down into its top. */
function aside(from: Position, to: Position): Way {
  const [x, y] = [to.x + CARD.width / 2, from.y + CARD.height / 2];
  const out = to.x < from.x ? from.x : from.x + CARD.width;
  return { shape: "aside", path: rounded([{ x: out, y }, { x, y }, { x, y: to.y - TIP }]), x, y: (y + to.y) / 2 };
}

/** Whether the way aside and then down is clear of all cards. */
function isAsideFree(from: Position, to: Position, cards: readonly Position[]): boolean {
  const [x, y] = [to.x + CARD.width / 2, from.y + CARD.height / 2];
  const [left, right] = x < from.x ? [x, from.x] : [from.x + CARD.width, x];
  if (right - left < CLEAR) return false;
  const isIn = (card: Position, a: number, b: number, top: number, bottom: number): boolean => card.x < b + CLEAR / 2 && card.x + CARD.width > a - CLEAR / 2 && card.y < bottom + CLEAR / 2 && card.y + CARD.height > top - CLEAR / 2;
  return !cards.some((card) => card !== from && card !== to && (isIn(card, left, right, y, y) || isIn(card, x, x, y, to.y)));
}

/** Out of the right of a card, up before the other one and into its left. */
function up(from: Position, to: Position, { at, under, above }: Bent): Way {
  const [start, end] = [from.y + CARD.height / 2, to.y + CARD.height / 2];
  const points = [...outOf(from, at, start, under), ...(above ? intoTop(to, at) : [{ x: at, y: end }, { x: to.x - TIP, y: end }])];
  return { shape: "up", path: rounded(points), x: at, y: (start + end) / 2 };
}

/** Out of the right of a card and into the right of the other. */
function beside(from: Position, to: Position, { at, under, above }: Bent): Way {
  const [start, end] = [from.y + CARD.height / 2 + ASIDE, to.y + CARD.height / 2 - ASIDE];
  const points = [...outOf(from, at, start, under), ...(above ? intoTop(to, at) : [{ x: at, y: end }, { x: to.x + CARD.width + TIP, y: end }])];
  return { shape: "beside", path: rounded(points), x: at, y: (start + end) / 2 };
}

/** To a lane: from the right of a card, or from its bottom where others stand between. */
function outOf(from: Position, lane: number, side: number, under: number | undefined): Position[] {
  if (under === undefined) return [{ x: from.x + CARD.width, y: side }, { x: lane, y: side }];
  const [x, bottom] = [from.x + CARD.width / 2 + ASIDE, from.y + CARD.height];
  return [{ x, y: bottom }, { x, y: under }, { x: lane, y: under }];
}

/** From a lane into the top of a card. */
function intoTop(to: Position, lane: number): Position[] {
  const x = to.x + CARD.width / 2 + ASIDE;
  return [{ x: lane, y: to.y - DROP }, { x, y: to.y - DROP }, { x, y: to.y - TIP }];
}

/** A path with rounded corners. */
function rounded(points: readonly Position[]): string {
  const [first, ...others] = points as [Position, ...Position[]];
  const last = others.pop() as Position;
  const corners = others.map((corner, place) => {
    const [before, after] = [points[place] as Position, points[place + 2] as Position];
    const [{ x: a, y: b }, { x: c, y: d }] = [towards(corner, before), towards(corner, after)];
    return `L${a} ${b}Q${corner.x} ${corner.y} ${c} ${d}`;
  });
  return `M${first.x} ${first.y}${corners.join("")}L${last.x} ${last.y}`;
}

function towards(from: Position, to: Position): Position {
  const part = Math.min(CORNER / Math.max(Math.hypot(to.x - from.x, to.y - from.y), 1), 0.5);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

/** Out of the top of a card and into the top of the other, also of the same. */
function over(from: Position, to: Position, lane: number): Way {
  const isBack = to.x <= from.x;
  const [start, end] = [from.x + CARD.width / 2 + (isBack ? -ASIDE : ASIDE), to.x + CARD.width / 2 + (isBack ? ASIDE : -ASIDE)];
  const [out, into] = from === to || (from.x === to.x && from.y === to.y) ? [from.x + CARD.width * 0.7, from.x + CARD.width * 0.3] : [start, end];
  const turn = into < out ? -CORNER : CORNER;
  const path = `M${out} ${from.y}L${out} ${lane + CORNER}Q${out} ${lane} ${out + turn} ${lane}L${into - turn} ${lane}Q${into} ${lane} ${into} ${lane + CORNER}L${into} ${to.y - TIP}`;
  return { shape: "over", path, x: (out + into) / 2, y: lane };
}

/** The lane right of both cards, above both, or left of the one that is reached. */
function nearest(from: Position, to: Position, shape: Lane["shape"]): number {
  if (shape === "up") return to.x - CLEAR;
  return shape === "beside" ? Math.max(from.x, to.x) + CARD.width + CLEAR : Math.min(from.y, to.y) - CLEAR;
}

/** Where a way leaves a card by its bottom, to a y, or reaches one by its top, because others stand at its side. */
interface Bent {
  readonly at: number;
  readonly under?: number;
  readonly above?: boolean;
}

/** A way around cards, and where it goes: an x beside or before them, or above the one that is reached, a y over them. */
export interface Lane extends Bent {
  readonly shape: "beside" | "over" | "up" | "aside";
}

/** Says of a line at which of its ends it is alone. */
export function endsOf(edges: readonly { readonly from: string; readonly to: string }[]): (edge: { readonly from: string; readonly to: string }) => End {
  const [out, into] = [new Map<string, number>(), new Map<string, number>()];
  for (const { from, to } of edges) {
    out.set(from, (out.get(from) ?? 0) + 1);
    into.set(to, (into.get(to) ?? 0) + 1);
  }
  return ({ from, to }) => {
    const [starts, ends] = [out.get(from) === 1, into.get(to) === 1];
    return starts === ends ? "middle" : starts ? "start" : "end";
  };
}

// A sign of an edge begins at its lane.
const SIGN = 40;

/** The box around cards and the lanes around them, which may say how wide the chips beside them are. */
export function graphBox(places: readonly Position[], lanes: Iterable<Lane & { readonly chips?: number }>): Box {
  const box = around(places);
  let [right, top] = [box.x + box.width, box.y];
  for (const { shape, at, chips = 0 } of lanes) {
    if (shape === "beside") right = Math.max(right, at + Math.max(SIGN, chips - INSET));
    if (shape === "over") top = Math.min(top, at);
  }
  return { x: box.x, y: top, width: right - box.x, height: box.y + box.height - top };
}

type Ends = readonly [key: Key, from: Position, to: Position];

/** The lanes of lines that lead back, and of those that would run through a card; by key. */
export function lanesOf({ edges }: Pick<WorkflowDocument, "edges">, places: ReadonlyMap<Key, Position>, flow: Flow): Map<Key, Lane> {
  const cards = [...places.values()];
  const check = cards.length * edges.length <= MOST_CHECKED;
  const { keys } = indexOf(edges);
  const away: (readonly [Ends, Lane["shape"]])[] = [];
  const straight: [Key, Lane][] = [];
  const taken: Taken[] = [];
  edges.forEach((edge, place) => {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (!from || !to) return;
    const ends: Ends = [keys[place] as Key, from, to];
    const shape = shapeOf(from, to, flow);
    if (shape === "left") {
      if (check && isBlocked(to, from, "right", cards)) away.push([ends, aroundOf(from, to, flow)]);
    } else if (shape !== "right" && shape !== "down") away.push([ends, shape]);
    else if (check && isBlocked(from, to, shape, cards)) {
      if (shape === "down" && isAsideFree(from, to, cards)) {
        const lane = { shape: "aside" as const, at: to.x + CARD.width / 2 };
        straight.push([ends[0], lane]);
        taken.push({ ...lane, start: from.y + CARD.height / 2, end: to.y });
      } else away.push([ends, shape === "down" ? "beside" : "over"]);
    }
  });
  // The shorter ones are inside.
  away.sort(([a], [b]) => lengthOf(a) - lengthOf(b));
  const around = away.map(([ends, wished]): [Key, Lane] => {
    const { shape, at } = free(ends, wished, check ? cards : [], taken);
    return [ends[0], check && shape !== "over" ? { shape, at, ...bent(ends, shape, at, cards) } : { shape, at }];
  });
  return new Map([...straight, ...around]);
}

/** At which of its ends a way to a lane beside cards would run through others, and has room below or above. */
function bent([, from, to]: Ends, shape: Lane["shape"], at: number, cards: readonly Position[]): Omit<Bent, "at"> {
  if (from === to) return {};
  const isIn = ({ x, y }: Position, left: number, right: number, top: number, bottom: number): boolean => x < right && x + CARD.width > left && y < bottom && y + CARD.height > top;
  const others = cards.filter((card) => card !== from && card !== to);
  const through = (card: Position, left: number, right: number): boolean => others.some((other) => isIn(other, left, right, card.y + CARD.height / 2 - ASIDE, card.y + CARD.height / 2 + ASIDE));
  const hasRoom = (middle: number, y: number): boolean => !cards.some((card) => isIn(card, Math.min(middle, at), Math.max(middle, at), y - 4, y + 4));
  const low = belowOf(from, at, cards);
  const under = through(from, from.x + CARD.width, at) && hasRoom(from.x + CARD.width / 2, low);
  const above = (shape === "up" ? through(to, at, to.x) : through(to, to.x + CARD.width, at)) && hasRoom(to.x + CARD.width / 2, to.y - DROP);
  return { ...(under && { under: low }), ...(above && { above }) };
}

/** Where a line goes to its lane below a card: next to the cards below rather than to those of its row, which get longer by their names. */
function belowOf(from: Position, at: number, cards: readonly Position[]): number {
  const [left, right] = [Math.min(from.x + CARD.width / 2, at), Math.max(from.x + CARD.width / 2, at)];
  const bottom = from.y + CARD.height;
  const tops = cards.filter(({ x, y }) => y >= bottom && x < right && x + CARD.width > left).map(({ y }) => y);
  const gap = Math.min(...tops) - bottom;
  return bottom + (gap < CARD.height * 2 ? Math.max(gap - DROP, DROP) : FREE_DROP);
}

/** The straight parts of the lines around cards, and their chips. */
export function laneBoxes(document: Pick<WorkflowDocument, "edges">, places: ReadonlyMap<Key, Position>, flow: Flow): Box[] {
  const lanes = lanesOf(document, places, flow);
  const { keys } = indexOf(document.edges);
  return document.edges.flatMap((edge, place): Box[] => {
    const lane = lanes.get(keys[place] as Key);
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (!lane || !from || !to || lane.shape === "up") return [];
    if (lane.shape === "aside") {
      const [y, out] = [from.y + CARD.height / 2, to.x < from.x ? from.x : from.x + CARD.width];
      const down = { x: lane.at, y, width: 0, height: Math.max(to.y - y, 0) };
      return [{ x: Math.min(out, lane.at), y, width: Math.abs(lane.at - out), height: 0 }, down, ...chipsOn(edge, down, false)];
    }
    const isOver = lane.shape === "over";
    const legs = [from, to].map((card, end): Box => {
      const row = end === 0 ? lane.under : lane.above ? card.y - DROP : undefined;
      if (row !== undefined) return { x: Math.min(card.x + CARD.width / 2, lane.at), y: row, width: Math.abs(lane.at - card.x - CARD.width / 2), height: 0 };
      if (isOver) return { x: card.x + CARD.width / 2, y: lane.at, width: 0, height: Math.max(card.y - lane.at, 0) };
      const right = card.x + CARD.width;
      return { x: right, y: card.y + CARD.height / 2, width: Math.max(lane.at - right, 0), height: 0 };
    });
    const [start, end] = isOver ? [Math.min(from.x, to.x), Math.max(from.x, to.x)] : [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    const along = isOver ? { x: start + CARD.width / 2, y: lane.at, width: end - start, height: 0 } : { x: lane.at, y: start + CARD.height / 2, width: SIGN, height: end - start };
    return [...legs, along, ...chipsOn(edge, along, isOver)];
  });
}

/** The chips in the middle of a line around cards; those beside cards begin at the line. */
function chipsOn(edge: WorkflowEdge, along: Box, isOver: boolean): Box[] {
  const room = roomOf(edge, undefined);
  if (!room) return [];
  const { width, height } = boxSize(room, !isOver);
  const [x, y] = isOver ? [along.x + (along.width - width) / 2, along.y] : [along.x - INSET, along.y + along.height / 2];
  return [{ x, y: y - height / 2, width, height }];
}

const lengthOf = ([, from, to]: Ends): number => Math.abs(from.x - to.x) + Math.abs(from.y - to.y);

interface Taken extends Lane {
  readonly start: number;
  readonly end: number;
}

/** The nearest lane with no card and no other line on it; a line up that has none between its cards goes around them. */
function free(ends: Ends, shape: Lane["shape"], cards: readonly Position[], taken: Taken[]): Pick<Lane, "shape" | "at"> {
  const [, from, to] = ends;
  const isOver = shape === "over";
  const along = isOver ? "x" : "y";
  const length = isOver ? CARD.width : CARD.height;
  const [start, end] = [Math.min(from[along], to[along]), Math.max(from[along], to[along]) + length];
  const between = cards.filter((card) => card[along] < end && card[along] + length > start);
  const room = shape === "up" ? widest(from, to, between) : null;
  if (shape === "up" && room === null) return free(ends, "beside", cards, taken);
  let at = room ?? nearest(from, to, shape);
  for (let step = 0; step < 100; step += 1) {
    const card = between.find(({ x, y }) => (isOver ? y - LANE / 2 < at && at < y + CARD.height + LANE / 2 : x - LANE / 2 < at && at < x + CARD.width + LANE / 2));
    const line = card ? undefined : taken.find((each) => (each.shape === "over") === isOver && Math.abs(each.at - at) < LANE && each.start < end && each.end > start);
    if (card) at = shape === "beside" ? card.x + CARD.width + CLEAR : isOver ? card.y - CLEAR : card.x - CLEAR;
    else if (line) at = line.at + (shape === "beside" ? LANE : -LANE);
    else break;
  }
  // No lane is left between the two: rather on another line than through cards.
  if (room !== null && at < from.x + CARD.width + CORNER) at = room;
  taken.push({ shape, at, start, end });
  return { shape, at };
}

/** At the end of the widest room between two cards that is free of others: no card there loses its room for a name. */
function widest(from: Position, to: Position, cards: readonly Position[]): number | null {
  let [best, found, reached] = [0, null as number | null, from.x + CARD.width];
  for (const x of [...cards.map((card) => card.x), to.x].sort((a, b) => a - b)) {
    if (x > to.x) break;
    if (x - reached >= 2 * CLEAR && x - reached >= best) [best, found] = [x - reached, x - CLEAR];
    reached = Math.max(reached, x + CARD.width);
  }
  return found;
}

/** Whether a line ahead would run through a third card. */
function isBlocked(from: Position, to: Position, shape: Flow, cards: readonly Position[]): boolean {
  const isDown = shape === "down";
  const [along, across] = isDown ? (["y", "x"] as const) : (["x", "y"] as const);
  const [length, breadth] = isDown ? [CARD.height, CARD.width] : [CARD.width, CARD.height];
  const [start, end] = [from[along] + length, to[along]];
  return cards.some((card) => {
    if (card === from || card === to || card[along] >= end || card[along] + length <= start) return false;
    const share = Math.min(Math.max((card[along] + length / 2 - start) / (end - start), 0), 1);
    const at = from[across] + (to[across] - from[across]) * smooth(share) + breadth / 2;
    return card[across] - 4 < at && at < card[across] + breadth + 4;
  });
}

/** The box of chips of a size on the way between two cards. */
export function chipBox(way: Way, from: Position, to: Position, { width, height }: { readonly width: number; readonly height: number }): Box {
  const { x, y } = chipSpot(way, from, to, width, height);
  const { across, down } = anchorOf(way);
  return { x: x - width * across, y: y - height * down, width, height };
}

/** The part of chips that is at their spot, as shares of their width and height. */
export interface Anchor {
  readonly across: number;
  readonly down: number;
}

/** Chips of a line around cards begin at the line and lead away from the cards, however large they are. */
export function anchorOf({ shape }: Pick<Way, "shape">): Anchor {
  if (shape === "over") return { across: 0.5, down: 1 };
  return { across: shape === "beside" ? 0 : shape === "up" ? 1 : 0.5, down: 0.5 };
}

/** Where the anchor of chips of a width is on a way: on its middle, or where they cover neither card. */
export function chipSpot(way: Way, from: Position, to: Position, width: number, height = CHIP_HEIGHT): Position {
  const { shape, x, y } = way;
  if (shape === "beside") return { x: x - INSET, y };
  if (shape === "up") return { x: x + INSET, y };
  if (shape === "over") return { x, y: y + INSET };
  const isAcross = shape === "right" || shape === "left";
  if (!isAcross || width <= Math.abs(to.x - from.x) - CARD.width - 8 || Math.abs(to.y - from.y) >= CARD.height + 24) return { x, y };
  const away = height / 2 + BESIDE_CARDS;
  return { x, y: to.y < from.y ? to.y - away : to.y + CARD.height + away };
}
