// What buttons, keys and the mouse do: each reads the store and makes one step.

import type { Problem } from "../io/server";
import type { Setup } from "../io/setup";
import { laidOut } from "../io/layout";
import { hint } from "../io/notice";
import { folded, pairs } from "../model/arrangement";
import { withNoteAt } from "../model/canvas_data";
import { type Clip, clipIn, copied, pasted } from "../model/clipboard";
import { addition, type Chosen, freeGroup, grouping, mayFollow, type NodeKind, removal, reshaped, type Tie } from "../model/commands";
import type { Key, Position } from "../model/document";
import { find, indexOf } from "../model/document";
import { nameOfPlace } from "../model/element_names";
import type { Edit } from "../model/edits";
import { flowOf, laneBoxes } from "../model/lines";
import { around, CARD, freeShift, freeSpot, placesOf } from "../model/places";
import { nameOfProblem, problemAfter, targetOf } from "../model/problem_list";
import { type EditorStore, onlyOne } from "../store";
import { t, tn } from "../texts";
import { keepOnCanvas } from "./element_focus";
import { type FlowNode, noteKey } from "./flow";
import { problemsOf } from "./all_problems";

// The type under which a kind of node is dragged from the palette.
export const KIND_TYPE = "application/x-ctxadmin-kind";
/** The field of a form that has the name of a node. */
export const NAME_FIELD = "node-name";
/** The first field of an edge. */
export const TYPE_FIELD = "edge-type";
const BESIDE = { right: { x: CARD.width + 90, y: 0 }, down: { x: 0, y: CARD.height + 76 } };

/** Add a node where it is dropped, tied to others. */
export function addKind(store: EditorStore, kind: NodeKind, spot: Position, tie?: Tie): void {
  const { document, places, edit, choose, set, say, unnamed } = store.getState();
  const all = placesOf(document, places);
  const before = tie && "from" in tie ? find(document.nodes, tie.from)?.type : undefined;
  const tied = before === undefined || mayFollow(before, kind.type) ? tie : undefined;
  const flow = flowOf(document, all);
  const made = addition(document, kind, freeSpot(all, spot, flow, laneBoxes(document, all, flow)), tied);
  edit(made.edit, t("Add {what}", { what: kind.label }));
  choose({ nodes: [made.key] });
  set({ followed: [made.key], unnamed: [...unnamed, made.key] });
  say(t("{name} added", { name: find(store.getState().document.nodes, made.key)?.name ?? made.key }));
}

/** Where a new node goes: behind a node, or the only one that is selected; else into the middle of what is seen. */
export function nextSpot(store: EditorStore, middle: Position, after?: Key): { spot: Position; tie?: Tie } {
  const { document, places, chosen } = store.getState();
  const only = after ?? (chosen.nodes.length === 1 ? chosen.nodes[0] : undefined);
  const all = placesOf(document, places);
  const there = only === undefined ? undefined : all.get(only);
  const node = only === undefined ? undefined : find(document.nodes, only);
  if (!there || !node) return { spot: centred(middle) };
  // A flow that goes on to the right is soon wider than the canvas beside the panel.
  const by = BESIDE[flowOf(document, all, "down")];
  return { spot: { x: there.x + by.x, y: there.y + by.y }, tie: { from: node.id } };
}

/** The place of a card around a point. */
export function centred({ x, y }: Position): Position {
  return { x: x - CARD.width / 2, y: y - CARD.height / 2 };
}

/** The place of a card on an edge; between cards that stand close it goes aside. */
export function spotOn(store: EditorStore, key: Key, middle: Position): Position {
  const { document, places } = store.getState();
  const edge = find(document.edges, key);
  const all = placesOf(document, places);
  const [from, to] = [all.get(edge?.from ?? ""), all.get(edge?.to ?? "")];
  return from && to ? { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } : centred(middle);
}

export function removeChosen(store: EditorStore): void {
  const { document, chosen, edit, choose, say } = store.getState();
  const count = chosen.nodes.length + chosen.edges.length;
  if (!count) return;
  const only = onlyOne(chosen);
  const name = only && nameOfPlace(document, `${only.kind}:${only.key}`);
  edit(removal(document, chosen), name ? t("Delete {what}", { what: name }) : tn("Delete {n} element", "Delete {n} elements", count));
  choose({});
  keepOnCanvas();
  say(tn("{n} element deleted", "{n} elements deleted", count));
}

/** Undo the last step, and say what of it others have changed since. */
export function undoLast(store: EditorStore): void {
  const { history, undo } = store.getState();
  const what = history.past.at(-1)?.words;
  if (what === undefined) return;
  const share = undo();
  if (share === "none") hint(t("“{what}” was not undone: someone else has changed or deleted it since.", { what }));
  if (share === "part") hint(t("“{what}” was undone, except for what someone else has changed or deleted since.", { what }));
}

export function redoNext(store: EditorStore): void {
  const { history, redo } = store.getState();
  const what = history.future[0]?.words;
  if (what === undefined) return;
  const share = redo();
  if (share === "none") hint(t("“{what}” was not redone: someone else has changed or deleted it since.", { what }));
  if (share === "part") hint(t("“{what}” was redone, except for what someone else has changed or deleted since.", { what }));
}

/** The chosen nodes as text for the clipboard, or null if none is chosen. */
export function clipOf(store: EditorStore): string | null {
  const { document, places, chosen } = store.getState();
  if (!chosen.nodes.length) return null;
  return JSON.stringify(copied(document, chosen, placesOf(document, places)));
}

export function pasteText(store: EditorStore, text: string, at: Position | null): boolean {
  const clip = clipIn(text);
  if (!clip?.nodes.length) return false;
  paste(store, clip, at ? shiftTo(clip, at) : { x: 40, y: 40 });
  return true;
}

export function duplicateChosen(store: EditorStore): void {
  const { document, places, chosen } = store.getState();
  if (chosen.nodes.length) paste(store, copied(document, chosen, placesOf(document, places)), { x: 0, y: CARD.height + 60 });
}

function paste(store: EditorStore, clip: Clip, by: Position): void {
  const { document, places, edit, choose, set, say } = store.getState();
  const all = placesOf(document, places);
  const wished = clip.nodes.map(({ position = { x: 0, y: 0 } }) => ({ x: position.x + by.x, y: position.y + by.y }));
  const flow = flowOf(document, all);
  const free = freeShift(all, wished, flow, laneBoxes(document, all, flow));
  const { edit: made, keys } = pasted(document, clip, { x: by.x + free.x, y: by.y + free.y });
  edit(made, tn("Paste {n} node", "Paste {n} nodes", keys.length));
  choose({ nodes: keys });
  set({ followed: keys });
  say(tn("{n} node pasted", "{n} nodes pasted", keys.length));
}

function shiftTo(clip: Clip, middle: Position): Position {
  const box = around(clip.nodes.map((node) => node.position ?? { x: 0, y: 0 }));
  const round = (value: number): number => Math.round(value / 10) * 10;
  return { x: round(middle.x - box.x - box.width / 2), y: round(middle.y - box.y - box.height / 2) };
}

/** Take the places of the canvas into the document, where they differ from what it says. */
export function moved(store: EditorStore, nodes: readonly FlowNode[], touch = ""): void {
  const { document, places: given, edit } = store.getState();
  const places = placesOf(document, given);
  const to: Record<Key, Position> = {};
  const notes: Record<Key, Position> = {};
  const spots = new Map(nodes.map((node) => [node.id, node.position]));
  for (const [key, was] of places) {
    const spot = spots.get(key) ?? was;
    if (spot.x !== was.x || spot.y !== was.y) to[key] = { x: Math.round(spot.x), y: Math.round(spot.y) };
    const note = spots.get(noteKey(key));
    if (note) notes[key] = { x: note.x - spot.x, y: note.y - spot.y };
  }
  const noted = reshaped(document, Object.keys(notes), (node, key) => {
    const spot = notes[key] as Position;
    return withNoteAt(node, spot.x, spot.y);
  });
  const edits: Edit[] = [];
  const count = Object.keys(to).length;
  if (count) edits.push({ kind: "move", to });
  if (noted.kind === "change" && noted.nodes.length) edits.push(noted);
  if (!edits.length) return;
  const step: Edit = edits.length === 1 ? (edits[0] as Edit) : { kind: "together", edits };
  edit(step, count ? tn("Move {n} node", "Move {n} nodes", count) : t("Move a note"), touch && `${touch} ${Object.keys(to).join(" ")}`);
}

const NUDGE = 10;

/** Move what is chosen by keys, a step of the grid each; a run of them is undone as one. */
export function nudged(store: EditorStore, { x, y }: Position, factor: number): void {
  const { document, places: given, chosen, edit } = store.getState();
  const places = placesOf(document, given);
  const to: Record<Key, Position> = {};
  for (const key of chosen.nodes) {
    const spot = places.get(key);
    if (spot) to[key] = { x: spot.x + x * factor * NUDGE, y: spot.y + y * factor * NUDGE };
  }
  const count = Object.keys(to).length;
  if (count) edit({ kind: "move", to }, tn("Move {n} node", "Move {n} nodes", count), `arrows ${Object.keys(to).join(" ")}`);
}

export async function layOut(store: EditorStore, setup: Setup): Promise<void> {
  const { document, chosen } = store.getState();
  if (!document.nodes.length) return;
  const keys = chosen.nodes.length > 1 ? chosen.nodes : indexOf(document.nodes).keys;
  const { to, flow } = await laidOut(setup.urls.worker, document, keys, { words: store.getState().words });
  const { document: now, places, edit, set, arranged } = store.getState();
  const rows = folded(to, pairs(document, new Set(keys)), flow);
  edit({ kind: "move", to: anchored(rows, placesOf(now, places), chosen.nodes) }, t("Auto layout"));
  set(chosen.nodes.length > 1 ? { followed: keys } : { arranged: arranged + 1 });
}

/** A part that was laid out stays where it was. */
function anchored(to: { readonly [key: Key]: Position }, places: ReadonlyMap<Key, Position>, chosen: readonly Key[]): Record<Key, Position> {
  const keys = Object.keys(to);
  const was = chosen.length > 1 ? around(keys.flatMap((key) => places.get(key) ?? [])) : { x: 0, y: 0 };
  const is = around(Object.values(to));
  return Object.fromEntries(keys.map((key) => {
    const { x, y } = to[key] as Position;
    return [key, { x: Math.round(x - is.x + was.x), y: Math.round(y - is.y + was.y) }];
  }));
}

export function groupChosen(store: EditorStore): void {
  const { document, chosen, edit, say } = store.getState();
  if (!chosen.nodes.length) return;
  const name = freeGroup(document, t("Group"));
  edit(grouping(document, chosen.nodes, name), t("Group"));
  say(t("{name} created", { name }));
}

export function ungroupChosen(store: EditorStore): void {
  const { document, chosen, edit } = store.getState();
  edit(grouping(document, chosen.nodes, ""), t("Ungroup"));
}

export function chooseFound(store: EditorStore, kind: "node" | "edge", key: Key): Chosen {
  const chosen = kind === "node" ? { nodes: [key], edges: [] } : { nodes: [], edges: [key] };
  store.getState().choose(chosen);
  return chosen;
}

/** Select a node or an edge by its key and bring it near; an edge with both of its nodes. */
export function showElement(store: EditorStore, kind: "node" | "edge", key: Key): void {
  const edge = kind === "edge" ? find(store.getState().document.edges, key) : undefined;
  chooseFound(store, kind, key);
  store.getState().set({ zoomTarget: kind === "node" ? [key] : edge ? [edge.from, edge.to] : [] });
}

/** The name of the heading of a form, where a problem leads that has no field of its own. */
export const PANEL_TITLE = "panel-title";

/** Open the element of a problem, with the focus at the field. */
export function openProblem(store: EditorStore, problem: Problem): void {
  const { document, mayChange, set } = store.getState();
  const target = targetOf(document, problem);
  if (!target) return;
  set({ visited: nameOfProblem(problem), ...(mayChange ? { wanted: problem.input || PANEL_TITLE } : {}) });
  showElement(store, target.kind, target.key);
}

export function nextProblem(store: EditorStore, step: 1 | -1): void {
  const { document, visited, say } = store.getState();
  const found = problemAfter(problemsOf(store.getState()) ?? [], document, visited, step);
  if (!found) return showProblems(store);
  openProblem(store, found);
  say(found.message);
}

/** Show the list of problems, with the focus on the one that was opened last. */
export function showProblems(store: EditorStore): void {
  const { choose, set } = store.getState();
  choose({});
  set({ part: "problems" });
  requestAnimationFrame(() => {
    const panel = globalThis.document.querySelector<HTMLElement>(".editor-panel");
    const row = panel?.querySelector<HTMLElement>("button.editor-problem[aria-current]") ?? panel?.querySelector<HTMLElement>(":is(button, summary).editor-problem");
    (row ?? panel)?.focus();
  });
}
