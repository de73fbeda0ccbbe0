// What a canvas shows from how far away: which cards are larger, and which edges have room for their words.

import { useStore } from "@xyflow/react";
import { useMemo } from "react";
import { boxOf, MOST_REACHING, type Named, type Reach, reaches } from "../model/card_room";
import { nearBox, type Spoken, type Spot, spotsNearby, spotsWithRoom, USUAL_LETTER } from "../model/chip_room";
import { MOST_BESIDE, PADDING as PADDING_CHIPS } from "../model/chips";
import type { Key, Position } from "../model/document";
import { indexOf } from "../model/document";
import { graphBox } from "../model/lines";
import { type Box, type Extent, shownExtent, united } from "../model/places";
import { type Drawn, isLoud, nodeWords } from "../store";
import { titleOf } from "../model/element_names";
import { chipTexts, conditionOf, inLine } from "./accessible_names";
import { t } from "../texts";
import { tokenWords } from "./Card";
import { useDesk } from "./context";
import { AROUND_CHIPS, chipBoxes, TOOLS, withChips } from "./first_view";
import { drawnPlaces, type FlowEdge } from "./flow";
import { BOLD, chipsWidth, foldedWidth, signsWidth, textWidth } from "./text_width";
import { canvasAt, hasNames, hasWords, isLarge, letterAt, levelOf, NAME, nameLetterAt, rowsAt, stepOf } from "./zoom";

/** How the canvas is seen: the step of its zoom, and what cards and lines are told of it. */
export function useRoom(drawn: Drawn, edges: readonly FlowEdge[]) {
  // From far away a card shows its name alone; letters keep their size on the screen.
  const step = useStore((state) => stepOf(state.transform[2]));
  const width = useStore((state) => state.width);
  const { setup } = useDesk();
  const labels = useMemo(() => new Map(setup.kinds.map(({ type, label }) => [type, label])), [setup]);
  const level = levelOf(step);
  const large = isLarge(drawn.document.nodes.length);
  const shown = useMemo(() => shownAt(drawn, width, step), [drawn, width, step]);
  const reach = useMemo(() => reachAt(drawn, edges, { step, shown, labels }), [drawn, edges, step, shown, labels]);
  const words = useMemo(() => (hasWords(step) ? null : wordsAt(drawn, edges, reach, step, shown)), [drawn, edges, reach, step, shown]);
  const near = useMemo(() => (hasWords(step) ? nearAt(drawn, edges, reach, step, shown) : null), [drawn, edges, reach, step, shown]);
  const seen = useMemo(() => ({ level, words, near, large, reach, letter: letterAt(step) }), [level, words, near, large, reach, step]);
  return { step, across: canvasAt(width - AROUND_CHIPS, step), seen };
}

// What stands beside a name (graph.css): the padding of a card, its icon, and each sign behind the name.
const PADDING = { far: 18, other: 30, filter: 34 };
const LINE_LETTER = 13;
const SIGN = 2; // letters
// Of a type, beside a name that stands alone.
const SIGN_SHARE = 1.25;
const SIGN_GAP = 6;
const CHIP_ROOM = 2.2; // letters: a row of chips with what is around it

/** What is shown of the canvas when all of the graph is in it. */
function shownAt(drawn: Drawn, width: number, step: number): Extent {
  const { places, lanes } = drawnPlaces(drawn);
  const beside = hasWords(step) ? withChips(lanes, drawn, letterAt(step)) : lanes.values();
  if (!places.size) return { left: 0, right: 0 };
  const box = united(graphBox([...places.values()], beside), hasWords(step) ? chipBoxes(drawn, letterAt(step), canvasAt(width - AROUND_CHIPS, step)) : []);
  return shownExtent(box, canvasAt(width, step), canvasAt(TOOLS.width, step));
}

interface Seen {
  readonly step: number;
  readonly shown: Extent;
  /** What types of nodes are called. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The cards that are larger, so that their names are whole. */
function reachAt(drawn: Drawn, edges: readonly FlowEdge[], { step, shown, labels }: Seen): ReadonlyMap<Key, Reach> {
  const { places, flow } = drawnPlaces(drawn);
  const { document, tokens, costs, marks, whatIf } = drawn;
  if (document.nodes.length > MOST_REACHING) return NO_REACH;
  const [level, letter] = [levelOf(step), nameLetterAt(step)];
  const { keys } = indexOf(document.nodes);
  const tried = new Set(whatIf?.sums.map((sum) => sum.node));
  const speaks = new Set(edges.flatMap(({ source, data }) => (data && chipTexts(data).length ? [source] : [])));
  const cards = document.nodes.map((node, place): Named => {
    const key = keys[place] as Key;
    const shows = marks?.nodes[node.id] !== undefined || tried.has(node.id);
    const isAlone = level === "far" || (level === "brief" && !shows);
    const rows = level === "middle" ? 2 : level !== "near" ? (level === "brief" && shows ? 1 : rowsAt(step)) : shows || tokens[key] || costs?.nodes[key]?.line ? 1 : 2;
    const signs = Number(level === "near" || level === "middle") + Number(node.config?.pause !== undefined || shows) + Number(Boolean(nodeWords(drawn, key)?.problems.length)) + Number(level !== "near" && !shows && Boolean(costs?.nodes[key]?.warning));
    const beside = level === "far" ? PADDING.far + Number(isLoud(marks?.nodes[node.id]?.[0])) * SIGN * letter : PADDING.other + signs * SIGN * letter;
    const filter = level === "near" || (level === "middle" && !shows) ? inLine(nodeWords(drawn, key)?.filter.join(" · ") ?? "") : "";
    const mark = marks?.nodes[node.id]?.[1] ?? "";
    const figures = level === "near" && !shows ? [tokens[key] && tokenWords(tokens[key]), costs?.nodes[key]?.line].filter((text) => typeof text === "string" && text) as string[] : [];
    const size = Math.max(LINE_LETTER, letterAt(step));
    const least = Math.max(
      filter ? textWidth(filter, size) + PADDING.filter + 1.1 * letter : 0,
      // The word of a mark stands on all cards but those from far away, bold and in one row.
      mark && level !== "far" ? textWidth(mark, size) * (1 + BOLD) + PADDING.filter : 0,
      ...figures.map((text) => textWidth(text, size) + PADDING.filter + 1.5 * letter),
    );
    // From further away its mark, else what a node sees, or its type, stands below a short name.
    const seen = isAlone ? inLine(mark || nodeWords(drawn, key)?.filter.join(" · ") || (labels.get(node.type) ?? nodeWords(drawn, key)?.type_label ?? node.type)) : "";
    const below = seen ? textWidth(seen, size) * (mark ? 1 + BOLD : 1) + PADDING.filter + 1.1 * letter : 0;
    return { key, at: places.get(key) as Position, name: titleOf(node), below, sign: isAlone ? SIGN_SHARE * letter + SIGN_GAP : 0, rows, height: isAlone ? NAME.height : rows * letter * NAME.row, beside, least, said: speaks.has(node.id) ? letterAt(step) * CHIP_ROOM : 0 };
  });
  const lines = edges.flatMap(({ source, target, data }) => {
    const [from, to] = [places.get(source), places.get(target)];
    return from && to ? [{ from, to, lane: data?.lane }] : [];
  });
  return reaches(cards, { lines, flow, letter, shown });
}
const NO_REACH: ReadonlyMap<Key, Reach> = new Map();

/** How wide chips are that say in signs alone what there is: if, a filter. */
function shortWidth(data: NonNullable<FlowEdge["data"]>): number {
  if (data.mark) return chipsWidth([""]);
  return chipsWidth([conditionOf(data.edge) && t("if"), data.words?.chips.length ? SIGN_LETTERS : ""].filter(Boolean));
}
const SIGN_LETTERS = "mm";

/** The edges that have room for their words or signs, and where. */
function wordsAt(drawn: Drawn, edges: readonly FlowEdge[], reach: ReadonlyMap<Key, Reach>, step: number, shown: Extent): ReadonlyMap<Key, Spot> {
  return spotsWithRoom(spokenOf(drawn, edges), { cards: cardsOf(drawn, reach), flow: drawnPlaces(drawn).flow, letter: letterAt(step), shown, isUnreadable: !hasNames(step) });
}

/** Where marks stand from nearby, clear of the words that all other edges have there; without marks, what would cover other words. */
function nearAt(drawn: Drawn, edges: readonly FlowEdge[], reach: ReadonlyMap<Key, Reach>, step: number, shown: Extent): ReadonlyMap<Key, Spot> {
  const spoken = spokenOf(drawn, edges);
  const around = { cards: cardsOf(drawn, reach), flow: drawnPlaces(drawn).flow, letter: letterAt(step), shown };
  if (!drawn.marks) return spotsNearby(spoken, around);
  const words = spoken.filter(({ isMarked }) => !isMarked).map((each) => nearBox(each, around));
  return spotsWithRoom(spoken.filter(({ isMarked }) => isMarked), { ...around, cards: [...around.cards, ...words] });
}

function cardsOf(drawn: Drawn, reach: ReadonlyMap<Key, Reach>): Box[] {
  return [...drawnPlaces(drawn).places].map(([key, at]) => boxOf(at, reach.get(key)));
}

/** The edges that say something. */
function spokenOf(drawn: Drawn, edges: readonly FlowEdge[]): Spoken[] {
  const { places } = drawnPlaces(drawn);
  return edges.flatMap(({ id, source, target, data }): Spoken[] => {
    const [from, to] = [places.get(source), places.get(target)];
    const texts = data ? chipTexts(data) : [];
    if (!from || !to || !data || !texts.length) return [];
    const isMarked = data.mark !== undefined;
    const width = chipsWidth(texts) + signsWidth(data, texts);
    // The one word of a mark is never broken.
    const folded = isMarked ? width : foldedWidth(texts) + signsWidth(data, texts);
    return [{ key: id, from, to, lane: data.lane, end: data.end, width, folded, whole: isMarked ? undefined : wholeOf(data), signs: shortWidth(data) + signsWidth(data, []), isMarked }];
  });
}

// Rows that are broken between words are not full.
const BROKEN = 1.15;

/** The widths of what an edge says at full length. */
function wholeOf(data: NonNullable<FlowEdge["data"]>): Spoken["whole"] {
  const texts = chipTexts(data, "whole");
  const signs = signsWidth(data, texts);
  const rows = texts.reduce((sum, text) => sum + Math.ceil((textWidth(text, USUAL_LETTER) * BROKEN) / (MOST_BESIDE - PADDING_CHIPS)), 0);
  return { width: chipsWidth(texts) + signs, folded: foldedWidth(texts) + signs, rows };
}
