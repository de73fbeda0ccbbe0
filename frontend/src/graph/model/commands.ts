// What people do, as edits: each function takes a document and returns an edit of it.

import { groupOf, withGroup } from "./canvas_data";
import type { Element, Key, Position, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find, freeId, indexOf } from "./document";
import { type Changed, difference, type Edit } from "./edits";

/** A type of node as the palette offers it. */
export interface NodeKind {
  readonly type: string;
  readonly label: string;
  readonly tone: string;
  readonly icon: string;
  readonly context_type: string;
  /** What such a node sees, in words. */
  readonly context_label: string;
  readonly config?: WorkflowNode["config"];
}

export interface Chosen {
  readonly nodes: readonly Key[];
  readonly edges: readonly Key[];
}

const GRID = 10;

function snapped({ x, y }: Position): Position {
  return { x: Math.round(x / GRID) * GRID, y: Math.round(y / GRID) * GRID };
}

export function ids(elements: readonly Element[]): Set<string> {
  return new Set(elements.map((element) => element.id));
}

/** What a new node is tied to: it follows a node, leads to one, or stands on an edge between two. */
export type Tie = { readonly from: string } | { readonly to: string } | { readonly edge: Key };

/** Whether a new node follows the selected one by itself: nothing follows an end, and a start follows nothing. */
export function mayFollow(type: string, next: string): boolean {
  return type !== "end" && next !== "start" && next !== "trigger";
}

/** Whether a new node can stand where it is tied: no start after a node, no end before one. */
export function maySuit(document: WorkflowDocument, tie: Tie | undefined, next: string): boolean {
  if (!tie) return true;
  const isBetween = "edge" in tie;
  if ("from" in tie) {
    const before = find(document.nodes, tie.from)?.type ?? "";
    return before === "end" || mayFollow(before, next);
  }
  return next !== "end" && (!isBetween || mayFollow("", next));
}

/** A new node of a kind with the edges that tie it. The first part of an edge that it stands on keeps its filter. */
export function addition(document: WorkflowDocument, kind: NodeKind, position: Position, tie?: Tie): { edit: Edit; key: Key } {
  const name = freeName(namesIn(document.nodes), kind.label);
  const id = freeId(idWords(name) || kind.type, ids(document.nodes));
  const node: WorkflowNode = { id, type: kind.type, name, position: snapped(position), ...(kind.config ? { config: kind.config } : {}) };
  const add = (...edges: WorkflowEdge[]): Edit => ({ kind: "add", nodes: [{ element: node }], edges: edges.map((element) => ({ element })), isNew: true });
  if (!tie) return { edit: add(), key: id };
  if ("from" in tie) return { edit: add(edgeBetween(document, tie.from, id)), key: id };
  if ("to" in tie) return { edit: add(edgeBetween(document, id, tie.to)), key: id };
  const edge = find(document.edges, tie.edge);
  if (!edge) return { edit: add(), key: id };
  const first: Edit = { kind: "change", nodes: [], edges: [{ key: tie.edge, fields: { to: id } }] };
  return { edit: { kind: "together", edits: [add(edgeBetween(document, id, edge.to)), first] }, key: id };
}

/** The id of the node that is called so, has this id, or is the only one whose name or id begins so; null for none and for several. */
export function namedNode(nodes: readonly WorkflowNode[], words: string): string | null {
  if (nodes.some(({ id }) => id === words)) return words;
  const wanted = words.toLowerCase();
  const called = nodes.filter(({ name }) => name && name.trim().toLowerCase() === wanted);
  const begun = called.length || !wanted ? called : nodes.filter(({ id, name }) => [id, name?.trim() ?? ""].some((each) => each.toLowerCase().startsWith(wanted)));
  const [found, ...others] = begun;
  return found && !others.length ? found.id : null;
}

/** What nodes are called. */
export function namesIn(nodes: readonly WorkflowNode[]): Set<string> {
  return new Set(nodes.map(({ id, name }) => name?.trim() || id));
}

/** A name with the next free number if a node is called that already: Draft 2 for Draft, Draft 3 for Draft 2. */
export function freeName(taken: ReadonlySet<string>, wished: string): string {
  if (!taken.has(wished)) return wished;
  const [, label = wished, last = "1"] = /^(.*\S) (\d{1,4})$/.exec(wished) ?? [];
  for (let number = Number(last) + 1; ; number += 1) {
    const name = `${label} ${number}`;
    if (!taken.has(name)) return name;
  }
}

const MOST_OF_NAME = 40;

/** The id that a node gets of its name; null without a name that has letters of ids, and for the id that it has. */
export function idOfName(document: WorkflowDocument, { id, name = "" }: Pick<WorkflowNode, "id" | "name">): string | null {
  const plain = idWords(name);
  if (!plain || plain === id) return null;
  return freeId(plain, ids(document.nodes));
}

// Letters that Unicode does not take apart; as in id_words.py.
const LETTERS: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th", ı: "i" };

function idWords(name: string): string {
  const bare = name.replace(/<\/?[a-z][^<>]*>/gi, " ").toLowerCase().replace(/[ßæœøđðłþı]/g, (letter) => LETTERS[letter] ?? "");
  const words = bare.normalize("NFKD").replace(/\p{M}/gu, "").match(/[a-z0-9_]+/g) ?? [];
  return words.join("-").slice(0, MOST_OF_NAME).replace(/^-+|-+$/g, "");
}

function edgeBetween(document: WorkflowDocument, from: string, to: string, type = "sequence"): WorkflowEdge {
  return { id: freeId(`${from}-${to}`.slice(0, 60), ids(document.edges)), type, from, to };
}

export function connection(document: WorkflowDocument, from: string, to: string, type?: string): { edit: Edit; key: Key } {
  const edge = edgeBetween(document, from, to, type);
  return { edit: { kind: "add", nodes: [], edges: [{ element: edge }], isNew: true }, key: edge.id };
}

/** Whether an edge that says nothing leads from one node to the other already. */
export function isConnected(document: WorkflowDocument, from: string, to: string): boolean {
  return document.edges.some((edge) => edge.from === from && edge.to === to && !edge.condition && edge.type === "sequence");
}

/** Without what was chosen, and without the edges of the nodes that go. */
export function removal(document: WorkflowDocument, chosen: Chosen): Edit {
  const going = new Set(chosen.nodes);
  const left = new Set(document.nodes.filter((_, place) => !going.has(indexOf(document.nodes).keys[place] as Key)).map((node) => node.id));
  const gone = new Set(chosen.nodes.flatMap((key) => find(document.nodes, key)?.id ?? []).filter((id) => !left.has(id)));
  const wanted = new Set(chosen.edges);
  const edges = indexOf(document.edges).keys.filter((key, place) => {
    const edge = document.edges[place] as WorkflowEdge;
    return wanted.has(key) || gone.has(edge.from) || gone.has(edge.to);
  });
  return { kind: "remove", nodes: chosen.nodes, edges };
}

/** An element as it is now said to be. A node's new id is followed by its edges. */
export function change(document: WorkflowDocument, kind: "node" | "edge", key: Key, to: Element): Edit {
  const before = find<Element>(kind === "node" ? document.nodes : document.edges, key);
  const own = before ? [{ key, fields: difference(before, to) }] : [];
  if (kind === "edge") return { kind: "change", nodes: [], edges: own };
  const edges = before && before.id !== to.id ? followed(document, before.id, to.id) : [];
  return { kind: "change", nodes: own, edges };
}

function followed(document: WorkflowDocument, from: string, to: string): Changed[] {
  const { keys } = indexOf(document.edges);
  return document.edges.flatMap((edge, place) => {
    const fields = { ...(edge.from === from ? { from: to } : {}), ...(edge.to === from ? { to } : {}) };
    return Object.keys(fields).length ? [{ key: keys[place] as Key, fields }] : [];
  });
}

export function reconnection(document: WorkflowDocument, key: Key, from: string, to: string): Edit | null {
  const edge = find(document.edges, key);
  if (!edge || (edge.from === from && edge.to === to)) return null;
  return { kind: "change", nodes: [], edges: [{ key, fields: { from, to } }] };
}

/** Several nodes as a function makes them, where it makes them anything else. */
export function reshaped(document: WorkflowDocument, keys: readonly Key[], make: (node: WorkflowNode, key: Key) => WorkflowNode): Edit {
  const nodes = keys.flatMap((key) => {
    const node = find(document.nodes, key);
    const fields = node ? difference(node, make(node, key)) : {};
    return Object.keys(fields).length ? [{ key, fields }] : [];
  });
  return { kind: "change", nodes, edges: [] };
}

/** Into a group by its name, or out of any for an empty one. */
export function grouping(document: WorkflowDocument, keys: readonly Key[], group: string): Edit {
  return reshaped(document, keys, (node) => withGroup(node, group));
}

export function members(document: WorkflowDocument, group: string): Key[] {
  const { keys } = indexOf(document.nodes);
  return document.nodes.flatMap((node, place) => (groupOf(node) === group ? [keys[place] as Key] : []));
}

/** A name for a new group that no group has. */
export function freeGroup(document: WorkflowDocument, word: string): string {
  const taken = new Set(document.nodes.map(groupOf));
  for (let number = 1; ; number += 1) {
    const name = `${word} ${number}`;
    if (!taken.has(name)) return name;
  }
}
