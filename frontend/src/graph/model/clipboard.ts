// Copies of elements: what is copied, and what is pasted with new ids.

import { parse } from "../io/json";
import type { Chosen } from "./commands";
import { freeName, ids, namesIn } from "./commands";
import type { Key, Position, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find, freeId, indexOf, normalised } from "./document";
import type { Edit } from "./edits";

const FORMAT = "ctxadmin-elements";

export interface Clip {
  readonly format: typeof FORMAT;
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly WorkflowEdge[];
}

/** The chosen nodes and all edges between them; places are those where they are seen. */
export function copied(document: WorkflowDocument, chosen: Chosen, places: ReadonlyMap<Key, Position>): Clip {
  const nodes = chosen.nodes.flatMap((key) => {
    const node = find(document.nodes, key);
    const position = places.get(key) ?? node?.position;
    return node ? [position ? { ...node, position } : node] : [];
  });
  const inside = new Set(nodes.map((node) => node.id));
  const edges = document.edges.filter((edge) => inside.has(edge.from) && inside.has(edge.to));
  return { format: FORMAT, nodes, edges };
}

/** The clip in a text of the clipboard, or null for any other text: it may come from anywhere. */
export function clipIn(text: string): Clip | null {
  if (!text.includes(FORMAT)) return null;
  try {
    const found = parse(text) as Clip;
    if (found.format !== FORMAT) return null;
    const { nodes, edges } = normalised({ name: "", nodes: found.nodes, edges: found.edges });
    return nodes.every(isNode) && edges.every(isEdge) ? { format: FORMAT, nodes, edges } : null;
  } catch {
    return null;
  }
}

type Loose = { readonly [name: string]: unknown };

const isText = (value: unknown): boolean => typeof value === "string";
const isMaybe = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);
const isRecord = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

function isElement(element: unknown): element is Loose {
  return isRecord(element) && isText(element.id) && isText(element.type) && isMaybe(element.properties, isRecord);
}

function isNode(node: unknown): boolean {
  if (!isElement(node)) return false;
  const isPlace = (value: unknown): boolean => isRecord(value) && isNumber(value.x) && isNumber(value.y);
  const texts = [node.name, node.description, node.context_type];
  return texts.every((text) => isMaybe(text, isText)) && isMaybe(node.position, isPlace) && isMaybe(node.config, isRecord);
}

function isEdge(edge: unknown): boolean {
  if (!isElement(edge)) return false;
  const { from, to, condition, weight, context_filter } = edge;
  return isText(from) && isText(to) && isMaybe(condition, isText) && isMaybe(weight, isNumber) && isMaybe(context_filter, isRecord);
}

/** The edit that puts a clip into a document, with new ids, `by` beside where it was. */
export function pasted(document: WorkflowDocument, clip: Clip, by: Position): { edit: Edit; keys: Key[] } {
  const [taken, takenEdges] = [ids(document.nodes), ids(document.edges)];
  const news = new Map<string, string>();
  const names = namesIn(document.nodes);
  const nodes = clip.nodes.map((node) => {
    const name = node.name?.trim() && freeName(names, node.name.trim());
    if (name) names.add(name);
    const id = freeId(node.id, taken);
    taken.add(id);
    if (!news.has(node.id)) news.set(node.id, id);
    const { x, y } = node.position ?? { x: 0, y: 0 };
    return { element: { ...node, id, ...(name ? { name } : {}), position: { x: x + by.x, y: y + by.y } } };
  });
  const edges = clip.edges.map((edge) => {
    const [from, to] = [news.get(edge.from) ?? edge.from, news.get(edge.to) ?? edge.to];
    // An id that was made of its ends is made again of the new ends.
    const id = freeId(edge.id === `${edge.from}-${edge.to}` ? `${from}-${to}` : edge.id, takenEdges);
    takenEdges.add(id);
    return { element: { ...edge, id, from, to } };
  });
  return { edit: { kind: "add", nodes, edges, isNew: true }, keys: nodes.map(({ element }) => element.id) };
}

/** All keys of a document. */
export function everything(document: WorkflowDocument): Chosen {
  return { nodes: indexOf(document.nodes).keys, edges: indexOf(document.edges).keys };
}
