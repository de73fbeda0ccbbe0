// The values of an element's form, and the edit that applies them to a document that changed
// meanwhile.

import type { Changes } from "./changes";
import { change } from "./commands";
import type { Element, Key, Reducers, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find, same } from "./document";
import { type Edit, withPosition } from "./edits";

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

/** Whether a form that shows one shows the other. */
export function looksSame(a: Value | undefined, b: Value | undefined): boolean {
  return same(placeless(a), placeless(b));
}

function placeless(value: Value | undefined): unknown {
  if (typeof value !== "object" || !("position" in value)) return value;
  return withPosition(value as WorkflowNode, null);
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
