// The values of an element's form, and the edit that applies them to a document that changed
// meanwhile.

import { HIDDEN } from "../../state/model/hidden";
import type { Changes } from "./changes";
import { change } from "./commands";
import type { Element, Key, Reducers, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find, isObject, same } from "./document";
import { type Edit, withPosition } from "./edits";
import { type NewIds, withNewIds } from "./rekeyed";

export type ElementKind = "node" | "edge" | "reducers" | "workflow";

/** What a form is about: an element, all reducers, or the name of the workflow. */
export type Value = Element | Reducers | string;

const NO_REDUCERS: Reducers = {};

export function elementOf(document: WorkflowDocument, kind: ElementKind, key: Key): Value | undefined {
  if (kind === "reducers") return document.reducers ?? NO_REDUCERS;
  if (kind === "workflow") return document.name;
  return find<Element>(kind === "node" ? document.nodes : document.edges, key);
}

/** As the server read it; where the card stands is the canvas's to say. */
export function saidBy(kind: ElementKind, element: object, before: Value): Value {
  if (kind === "workflow") return (element as { name: string }).name;
  if (kind !== "node") return element as Value;
  return withPosition(element as WorkflowNode, (before as WorkflowNode).position ?? null);
}

const MOST_OF_NAME = 200;

/** Whether the server takes a name of a node: it is not too long, has no control characters, and something of it is seen. */
export function isPlainName(name: string): boolean {
  const isSeen = name === "" || name.replace(HIDDEN, "").trim() !== "";
  return isSeen && [...name].length <= MOST_OF_NAME && !/[\p{Cc}\p{Cs}]/u.test(name);
}

/** A node with another name, or with none. */
export function renamedTo({ name: _, ...rest }: WorkflowNode, name = ""): WorkflowNode {
  return name ? { ...rest, name } : rest;
}

/** Whether a form that shows one shows the other. */
export function looksSame(a: Value | undefined, b: Value | undefined): boolean {
  return same(placeless(a), placeless(b));
}

/** A value without the position of its card. */
export function placeless(value: unknown): unknown {
  return isObject(value) && "position" in value ? withPosition(value as unknown as WorkflowNode, null) : value;
}

export function editTo(document: WorkflowDocument, kind: ElementKind, key: Key, value: Value): Edit {
  if (kind === "workflow") return { kind: "rename", to: value as string };
  if (kind === "reducers") return { kind: "reducers", to: Object.keys(value).length ? (value as Reducers) : null };
  return change(document, kind, key, value as Element);
}

/** The change from `before` to `after` as changes of a document, to be merged. */
export function changesTo(kind: ElementKind, key: Key, before: Value, after: Value): Changes {
  const none = { nodes: [], edges: [] };
  if (kind === "workflow") return { ...none, name: { before: before as string, after: after as string } };
  if (kind === "reducers") return { ...none, reducers: { before: before as Reducers, after: after as Reducers } };
  if (kind === "node") return { ...none, nodes: [{ key, before: before as WorkflowNode, after: after as WorkflowNode }] };
  return { ...none, edges: [{ key, before: before as WorkflowEdge, after: after as WorkflowEdge }] };
}

/** A form of an element with a new id, or of an edge to such a node, with all that it says of ids. */
export function withFormIds<T extends { readonly kind: ElementKind; readonly key: Key; readonly base: Value; readonly over?: Value; readonly fields: readonly (readonly [name: string, value: string])[] }>(form: T, { nodes, edges }: NewIds): T {
  const { kind, key, base, over, fields } = form;
  if (kind !== "node" && kind !== "edge") return form;
  const own = kind === "node" ? nodes : edges;
  const now = (value: Value): Value => withNewIds(value as Element, own, nodes);
  const idOf = (name: string, value: string): string | undefined => (name === `${kind}-id` ? own : name === "edge-from" || name === "edge-to" ? nodes : NO_IDS).get(value);
  return { ...form, key: own.get(key) ?? key, base: now(base), ...(over && { over: now(over) }), fields: fields.map(([name, value]) => [name, idOf(name, value) ?? value] as const) };
}

const NO_IDS: ReadonlyMap<Key, string> = new Map();
