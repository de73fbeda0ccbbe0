// The document as React Flow draws it. What did not change stays the same object, so that of 500
// cards only the one that moves is drawn again.

import { type Edge, MarkerType, type Node, Position as At } from "@xyflow/react";
import { groupOf, noteOf } from "../model/canvas_data";
import type { NodeKind } from "../model/commands";
import type { Key, Position, WorkflowEdge, WorkflowNode } from "../model/document";
import { indexOf } from "../model/document";
import { CARD, frames, placesOf } from "../model/places";
import type { CostWords, EdgeWords, NodeSum, NodeWords } from "../io/server";
import { type Drawn, edgeWords, type Marked, markOf, nodeWords, type Tokens } from "../store";
import { spokenEdge, spokenNode } from "./spoken";

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
}
export interface NoteData extends Record<string, unknown> {
  readonly text: string;
  readonly of: Key;
}
export interface FrameData extends Record<string, unknown> {
  readonly name: string;
}
export interface LineData extends Record<string, unknown> {
  readonly edge: WorkflowEdge;
  readonly words: EdgeWords | undefined;
  readonly cost: CostWords | undefined;
  readonly mark: Marked | undefined;
}

export type CardNode = Node<CardData, "card">;
export type NoteNode = Node<NoteData, "note">;
export type FrameNode = Node<FrameData, "frame">;
export type FlowNode = CardNode | NoteNode | FrameNode;
export type FlowEdge = Edge<LineData, "line">;

const HANDLE = 24;
const MIDDLE = CARD.height / 2 - HANDLE / 2;
// Told in advance, so that edges are drawn to cards that were never on the screen. Without the id that
// React Flow's own have, it finds neither the one from which a line is drawn nor the one that it reaches.
const HANDLES = [
  { id: null, type: "target" as const, position: At.Left, x: -HANDLE / 2, y: MIDDLE, width: HANDLE, height: HANDLE },
  { id: null, type: "source" as const, position: At.Right, x: CARD.width - HANDLE / 2, y: MIDDLE, width: HANDLE, height: HANDLE },
];

export const noteKey = (key: Key): string => `note:${key}`;
export const frameKey = (group: string): string => `group:${group}`;

export function flowNodes(state: Drawn, kinds: ReadonlyMap<string, NodeKind>, before: readonly FlowNode[]): FlowNode[] {
  const { document, chosen, tokens, mayChange } = state;
  const known = new Map(before.map((node) => [node.id, node]));
  const places = placesOf(document, state.places);
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
    const data: CardData = { node, kind: kinds.get(node.type), words: nodeWords(state, key), tokens: tokens[key], cost: state.costs?.nodes[key], mark: markOf(state.marks, "nodes", node.id), tried: tried.get(node.id), mayChange };
    shown.push(keep(known, { id: key, type: "card", position, width: CARD.width, height: CARD.height, measured: CARD, handles: HANDLES, data, selected: selected.has(key), ariaLabel: spokenNode(data, groupOf(node)) }));
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
  const known = new Map(before.map((edge) => [edge.id, edge]));
  const selected = new Set(chosen.edges);
  const there = indexOf(document.nodes).at;
  const { keys } = indexOf(document.edges);
  return document.edges.flatMap((edge, place): FlowEdge[] => {
    // An edge that hangs in the air is in the outline and among the problems.
    if (!there.has(edge.from) || !there.has(edge.to)) return [];
    const key = keys[place] as Key;
    const words = edgeWords(state, key);
    const mark = markOf(state.marks, "edges", edge.id);
    const cost = state.costs?.edges[key];
    const old = known.get(key);
    if (old && old.data?.edge === edge && old.data.words === words && old.data.cost === cost && old.data.mark === mark && old.selected === selected.has(key)) return [old];
    const isError = edge.type === "error";
    return [
      {
        id: key,
        type: "line",
        source: edge.from,
        target: edge.to,
        data: { edge, words, cost, mark },
        selected: selected.has(key),
        className: `flow-line-${["conditional", "error"].includes(edge.type) ? edge.type : "sequence"}${state.marks ? ` mark-${mark?.sign ?? "none"}` : ""}`,
        ariaLabel: spokenEdge(edge, words, mark, cost),
        interactionWidth: 24,
        markerEnd: { type: MarkerType.ArrowClosed, width: 27, height: 27, markerUnits: "userSpaceOnUse", color: isError ? "var(--flow-error)" : "var(--flow-line)" },
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
  if (data === old.data && placed && sized && Boolean(old.selected) === Boolean(made.selected) && old.draggable === made.draggable && !old.dragging) return old;
  return { ...old, ...made, data, dragging: false } as FlowNode;
}

function sameValues(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return Object.keys(b).every((name) => Object.is(a[name], b[name]));
}
