// The document as React Flow draws it. What did not change stays the same object, so that of 500
// cards only the one that moves is drawn again.

import { type Edge, MarkerType, type Node, Position as At } from "@xyflow/react";
import { groupOf, noteOf } from "../model/canvas_data";
import type { NodeKind } from "../model/commands";
import type { Key, Position, WorkflowDocument, WorkflowEdge, WorkflowNode } from "../model/document";
import { indexOf } from "../model/document";
import { type End, endsOf, type Flow, flowOf, type Lane, lanesOf } from "../model/lines";
import { CARD, frames, placesOf } from "../model/places";
import type { CostWords, EdgeWords, NodeSum, NodeWords } from "../io/server";
import { type Drawn, edgeWords, type Marked, markOf, nodeWords, type Tokens } from "../store";
import { type Ends, namesOf } from "../model/element_names";
import { spokenEdge, spokenNode } from "./accessible_names";

export interface CardData extends Record<string, unknown> {
  readonly node: WorkflowNode;
  readonly kind: NodeKind | undefined;
  readonly words: NodeWords | undefined;
  readonly tokens: Tokens | undefined;
  readonly cost: CostWords | undefined;
  readonly mark: Marked | undefined;
  /** Of the last what-if. */
  readonly tried: NodeSum | undefined;
  readonly mayChange: boolean;
  /** On which sides its dots are. */
  readonly flow: Flow;
}
interface NoteData extends Record<string, unknown> {
  readonly text: string;
  readonly of: Key;
}
interface FrameData extends Record<string, unknown> {
  readonly name: string;
}
export interface LineData extends Record<string, unknown> {
  readonly edge: WorkflowEdge;
  readonly names: Ends;
  readonly words: EdgeWords | undefined;
  readonly cost: CostWords | undefined;
  readonly mark: Marked | undefined;
  readonly flow: Flow;
  readonly lane: Lane | undefined;
  /** At which its chips stand. */
  readonly end: End;
}

export type CardNode = Node<CardData, "card">;
export type NoteNode = Node<NoteData, "note">;
export type FrameNode = Node<FrameData, "frame">;
export type FlowNode = CardNode | NoteNode | FrameNode;
export type FlowEdge = Edge<LineData, "line">;

export const HANDLE = 24;
const half = HANDLE / 2;
const dot = (type: "target" | "source", position: At, x: number, y: number) => ({ id: null, type, position, x: x - half, y: y - half, width: HANDLE, height: HANDLE });
// Told in advance, so that edges are drawn to cards that were never on the screen. Without the id that
// React Flow's own have, it finds neither the one from which a line is drawn nor the one that it reaches.
const HANDLES = {
  right: [dot("target", At.Left, 0, CARD.height / 2), dot("source", At.Right, CARD.width, CARD.height / 2)],
  down: [dot("target", At.Top, CARD.width / 2, 0), dot("source", At.Bottom, CARD.width / 2, CARD.height)],
};

export const noteKey = (key: Key): string => `note:${key}`;
export const frameKey = (group: string): string => `group:${group}`;

interface DrawnPlaces {
  readonly places: ReadonlyMap<Key, Position>;
  readonly flow: Flow;
  readonly lanes: ReadonlyMap<Key, Lane>;
  readonly endOf: (edge: WorkflowEdge) => End;
}

const known = new WeakMap<WorkflowDocument, DrawnPlaces & { readonly given: Drawn["places"] }>();

/** Where cards stand, where the graph leads, and which lines go around cards. */
export function drawnPlaces({ document, places: given }: Pick<Drawn, "document" | "places">): DrawnPlaces {
  const before = known.get(document);
  if (before?.given === given) return before;
  const places = placesOf(document, given);
  const flow = flowOf(document, places);
  const made = { given, places, flow, lanes: lanesOf(document, places, flow), endOf: endsOf(document.edges) };
  known.set(document, made);
  return made;
}

export function flowNodes(state: Drawn, kinds: ReadonlyMap<string, NodeKind>, before: readonly FlowNode[]): FlowNode[] {
  const { document, chosen, tokens, mayChange } = state;
  const known = new Map(before.map((node) => [node.id, node]));
  const { places, flow } = drawnPlaces(state);
  const tried = new Map(state.whatIf?.sums.map((sum) => [sum.node, sum]));
  const selected = new Set(chosen.nodes);
  const { keys } = indexOf(document.nodes);
  const shown: FlowNode[] = [];
  for (const [group, box] of frames(document, places)) {
    shown.push(keep(known, { id: frameKey(group), type: "frame", position: box, width: box.width, height: box.height, measured: { width: box.width, height: box.height }, data: { name: group }, zIndex: -1, selectable: false, draggable: mayChange, focusable: false, dragHandle: ".flow-frame-title" }));
  }
  document.nodes.forEach((node, place) => {
    const key = keys[place] as Key;
    const position = places.get(key) as Position;
    const data: CardData = { node, kind: kinds.get(node.type), words: nodeWords(state, key), tokens: tokens[key], cost: state.costs?.nodes[key], mark: markOf(state.marks, "nodes", node.id), tried: tried.get(node.id), mayChange, flow };
    const old = known.get(key);
    // What is said follows from the data, and saying it takes as long as all else.
    const ariaLabel = old?.type === "card" && sameValues(old.data, data) ? old.ariaLabel : spokenNode(data, groupOf(node));
    shown.push(keep(known, { id: key, type: "card", position, width: CARD.width, height: CARD.height, measured: CARD, handles: HANDLES[flow], data, selected: selected.has(key), ariaLabel }));
    const note = noteOf(node);
    if (note) {
      const spot = { x: position.x + note.x, y: position.y + note.y };
      shown.push(keep(known, { id: noteKey(key), type: "note", position: spot, data: { text: note.text, of: key }, selectable: false, draggable: mayChange, focusable: false, zIndex: 2 }));
    }
  });
  return shown;
}

export function flowEdges(state: Drawn, before: readonly FlowEdge[]): FlowEdge[] {
  const { document, chosen } = state;
  const { flow, lanes, endOf } = drawnPlaces(state);
  const known = new Map(before.map((edge) => [edge.id, edge]));
  const selected = new Set(chosen.edges);
  const there = indexOf(document.nodes).at;
  const { keys } = indexOf(document.edges);
  const called = namesOf(document.nodes);
  return document.edges.flatMap((edge, place): FlowEdge[] => {
    // An edge that hangs in the air is in the outline and among the problems.
    if (!there.has(edge.from) || !there.has(edge.to)) return [];
    const key = keys[place] as Key;
    const words = edgeWords(state, key);
    const mark = markOf(state.marks, "edges", edge.id);
    const cost = state.costs?.edges[key];
    const lane = lanes.get(key);
    const end = endOf(edge);
    const names: Ends = [called.get(edge.from) ?? edge.from, called.get(edge.to) ?? edge.to];
    const old = known.get(key);
    if (old && old.data?.edge === edge && old.data.names[0] === names[0] && old.data.names[1] === names[1] && old.data.words === words && old.data.cost === cost && old.data.mark === mark && old.data.flow === flow && old.data.end === end && sameLane(old.data.lane, lane) && old.selected === selected.has(key)) return [old];
    const isError = edge.type === "error";
    return [
      {
        id: key,
        type: "line",
        source: edge.from,
        target: edge.to,
        data: { edge, names, words, cost, mark, flow, lane, end },
        selected: selected.has(key),
        className: `flow-line-${["conditional", "error"].includes(edge.type) ? edge.type : "sequence"}${state.marks ? ` mark-${mark?.sign ?? "none"}` : ""}`,
        ariaLabel: spokenEdge(edge, names, words, mark, cost),
        interactionWidth: 24,
        markerEnd: { type: MarkerType.ArrowClosed, width: 15, height: 15, color: isError ? "var(--flow-error)" : "var(--flow-line)" },
      },
    ];
  });
}

function keep<T extends FlowNode>(known: ReadonlyMap<string, FlowNode>, made: T): FlowNode {
  const old = known.get(made.id);
  if (!old || old.type !== made.type) return made;
  const data = sameValues(old.data, made.data) ? old.data : made.data;
  const placed = old.position.x === made.position.x && old.position.y === made.position.y;
  const sized = old.width === made.width && old.height === made.height;
  if (data === old.data && placed && sized && (!("handles" in made) || old.handles === made.handles) && Boolean(old.selected) === Boolean(made.selected) && old.draggable === made.draggable && !old.dragging) return old;
  return { ...old, ...made, data, dragging: false } as FlowNode;
}

function sameLane(a: Lane | undefined, b: Lane | undefined): boolean {
  return a?.at === b?.at && a?.shape === b?.shape && a?.under === b?.under && a?.above === b?.above;
}

function sameValues(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return Object.keys(b).every((name) => Object.is(a[name], b[name]));
}
