// Which part of a graph is visible when its canvas opens.

import type { Viewport } from "@xyflow/react";
import { useLayoutEffect, useState } from "react";
import type { Key, Position } from "../model/document";
import { boxSize, MOST_BESIDE, roomOf } from "../model/chips";
import { USUAL_LETTER } from "../model/chip_room";
import { indexOf } from "../model/document";
import { chipBox, graphBox, type Lane, wayOf } from "../model/lines";
import { type Box, CARD, placesOf, SWING, united } from "../model/places";
import { markOf, type State } from "../store";
import { chipTexts } from "./accessible_names";
import { useDesk } from "./context";
import { drawnPlaces } from "./flow";
import { chipsWidth, signsWidth } from "./text_width";
import { hasWords, letterAt, stepOf } from "./zoom";

/** How wide the tools are, with the gap beside them. */
export const TOOLS = { width: 48, height: 200 };

// The legend of marks stands at the bottom.
const LEGEND = 56;
// Below this nobody can read a card: a large graph opens around its start instead, with names that are whole.
const READABLE = 0.17;
const AROUND_START = 0.42;
const BESIDE_CHIPS = 8;
// Pixels of a canvas that the widest chips leave on both sides (graph.css).
export const AROUND_CHIPS = 32;

/** Where the canvas opens: all of the graph, or its start if all of it would be too small. */
export function useOpening(frame: { readonly current: HTMLDivElement | null }): Viewport | null {
  const { store } = useDesk();
  const [start, setStart] = useState<Viewport | null>(null);
  useLayoutEffect(() => {
    let isGone = false;
    // Before it is painted, but after the panel beside it has the width that it was dragged to.
    queueMicrotask(() => {
      if (frame.current && !isGone) setStart(openingOf(store.getState(), frame.current.getBoundingClientRect()));
    });
    return () => {
      isGone = true;
    };
  }, [frame, store]);
  return start;
}

type Known = Pick<State, "document" | "places" | "marks" | "words" | "costs">;

/** What a canvas of a size shows first; `whole` shows all of a graph, however small. */
export function openingOf(state: Known, { width, height }: Size, whole = false): Viewport {
  const { document, places: given } = state;
  const places = placesOf(document, given);
  const below = state.marks ? LEGEND : 0;
  const spots = document.nodes.map((_, place) => places.get(indexOf(document.nodes).keys[place] as Key) as Position);
  const { lanes } = drawnPlaces({ document, places: given });
  const room = { width, height: height - below };
  const first = whole ? undefined : (markedSpot(state, places) ?? startOf(places, document));
  // From near enough all chips are in sight; from further away they find room. Their letters depend on the zoom.
  const withWords = (hasLargeLanes: boolean): Viewport | null => {
    let letter = USUAL_LETTER;
    let zoom = 1;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const beside = withChips(lanes, state, hasLargeLanes ? letter : USUAL_LETTER);
      const wide = opening(spots, beside, first, room, chipBoxes(state, letter, (width - AROUND_CHIPS) / zoom));
      const step = stepOf(wide.zoom);
      if (!hasWords(step)) return null;
      if (letterAt(step) <= letter) return wide;
      letter = letterAt(step);
      zoom = wide.zoom;
    }
    return null;
  };
  // Rather words that are cut at the side than cards without them.
  return withWords(true) ?? withWords(false) ?? opening(spots, lanes.values(), first, room);
}
const MOST_ATTEMPTS = 8;

/** The boxes of the chips on lines ahead, with letters of a size, none wider than `most`. */
export function chipBoxes(state: Pick<Known, "document" | "places" | "words" | "costs"> & Partial<Pick<Known, "marks">>, letter: number, most: number): Box[] {
  const { document } = state;
  const { places, flow, lanes, endOf } = drawnPlaces(state);
  const { keys } = indexOf(document.edges);
  const scale = letter / USUAL_LETTER;
  return document.edges.flatMap((edge, place) => {
    const key = keys[place] as Key;
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (!from || !to || lanes.has(key)) return [];
    const cost = state.costs?.edges[key];
    const shown = { edge, words: state.words?.edges[key], cost, mark: markOf(state.marks ?? null, "edges", edge.id) };
    const texts = chipTexts(shown);
    if (!texts.length) return [];
    const { width, height } = boxSize(chipsWidth(texts) + signsWidth(shown, texts));
    return [chipBox(wayOf(from, to, flow, undefined, endOf(edge)), from, to, { width: Math.min(width * scale, most), height: height * scale })];
  });
}

/** The lanes around cards with the width of the chips beside them, in letters of a size. */
export function withChips(lanes: ReadonlyMap<Key, Lane>, { document, words }: Pick<State, "document" | "words">, letter: number): (Lane & { readonly chips: number })[] {
  const { keys } = indexOf(document.edges);
  return document.edges.flatMap((edge, place) => {
    const key = keys[place] as Key;
    const lane = lanes.get(key);
    return lane ? [{ ...lane, chips: (Math.min(roomOf(edge, words?.edges[key]?.chips), MOST_BESIDE) * letter) / USUAL_LETTER }] : [];
  });
}

// What a reader looks for: where an execution is, or what differs.
const SOUGHT = ["paused", "failed", "ready", "added", "removed", "changed"];

/** The first node with a mark that is looked for; null if there is none. */
export function markedNode({ document, marks }: Pick<State, "document" | "marks">): Key | null {
  if (!marks) return null;
  const place = document.nodes.findIndex(({ id }) => SOUGHT.includes(marks.nodes[id]?.[0] ?? ""));
  return indexOf(document.nodes).keys[place] ?? null;
}

function markedSpot(state: Pick<State, "document" | "marks">, places: ReadonlyMap<Key, Position>): Position | undefined {
  const key = markedNode(state);
  return key === null ? undefined : places.get(key);
}

function startOf(places: ReadonlyMap<Key, Position>, document: State["document"]): Position | undefined {
  const targets = new Set(document.edges.map((edge) => edge.to));
  const first = document.nodes.find((node) => node.type === "start") ?? document.nodes.find((node) => !targets.has(node.id)) ?? document.nodes[0];
  return first && places.get(first.id);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export function opening(spots: readonly Position[], lanes: Iterable<Lane & { readonly chips?: number }>, first: Position | undefined, { width, height }: Size, chips: readonly Box[] = []): Viewport {
  if (!spots.length) return { x: 40, y: 40, zoom: 1 };
  const graph = graphBox(spots, lanes);
  const around = { x: graph.x - SWING, y: graph.y - SWING, width: graph.width + 2 * SWING, height: graph.height + 2 * SWING };
  const box = united(around, chips.map(({ x, y, width: wide, height: high }) => ({ x: x - BESIDE_CHIPS, y, width: wide + 2 * BESIDE_CHIPS, height: high })));
  const [beside, whole] = [middleOf(box, { width: width - TOOLS.width, height }), middleOf(box, { width, height })];
  if (whole.zoom < READABLE && first) return aroundStart(first, box, { width: width - TOOLS.width, height });
  // Beside the tools where that costs no size, or a card would be under them; else below them.
  const high = [...spots.map((spot) => ({ ...spot, width: CARD.width + SWING })), ...chips];
  return beside.zoom === whole.zoom || isUnderTools(high, whole, width) ? beside : whole;
}

function middleOf({ x, y, width, height }: Box, room: Size): Viewport {
  const zoom = Math.min(room.width / width, room.height / height, 1);
  return { x: (room.width - width * zoom) / 2 - x * zoom, y: (room.height - height * zoom) / 2 - y * zoom, zoom };
}

function isUnderTools(boxes: readonly Pick<Box, "x" | "y" | "width">[], { x, y, zoom }: Viewport, width: number): boolean {
  return boxes.some((box) => (box.x + box.width) * zoom + x > width - TOOLS.width && box.y * zoom + y < TOOLS.height);
}

/** As many cards as names allow, with the start in the middle or as near to it as the graph has more to show. */
function aroundStart(first: Position, box: Box, { width, height }: Size): Viewport {
  const zoom = AROUND_START;
  // A graph narrower than the room stands in its middle: cards with long words reach out on both sides.
  const from = (middle: number, start: number, length: number, shown: number): number =>
    length < shown ? start - (shown - length) / 2 : Math.max(Math.min(middle - shown / 2, start + length - shown), start);
  const left = from(first.x + CARD.width / 2, box.x, box.width, width / zoom);
  const top = from(first.y + CARD.height / 2, box.y, box.height, height / zoom);
  return { x: -left * zoom, y: -top * zoom, zoom };
}
