// The unsaved changes of a document, as little data as a journal needs.

import type { Element, Key, Reducers, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { indexOf, same } from "./document";
import { type Changed, difference, type Edit, type Placed } from "./edits";

/** An element before and after; null where it is not there. `at` is the place of a new one. */
interface Change<T> {
  readonly key: Key;
  readonly before: T | null;
  readonly after: T | null;
  readonly at?: number;
}

export interface Changes {
  readonly nodes: readonly Change<WorkflowNode>[];
  readonly edges: readonly Change<WorkflowEdge>[];
  readonly reducers?: { readonly before: Reducers; readonly after: Reducers };
  readonly name?: { readonly before: string; readonly after: string };
}

export function changesBetween(before: WorkflowDocument, after: WorkflowDocument): Changes {
  const reducers = { before: before.reducers ?? {}, after: after.reducers ?? {} };
  const name = { before: before.name, after: after.name };
  return {
    nodes: listed(before.nodes, after.nodes),
    edges: listed(before.edges, after.edges),
    ...(same(reducers.before, reducers.after) ? {} : { reducers }),
    ...(name.before === name.after ? {} : { name }),
  };
}

export function isNothing(changes: Changes): boolean {
  return !changes.nodes.length && !changes.edges.length && !changes.reducers && !changes.name;
}

/** How many elements are changed, or have a form that is ahead of them; both for one are one. */
export function countOf(parts: readonly Changes[], forms: readonly { readonly kind: string; readonly key: Key }[] = []): number {
  const changed = parts.flatMap(({ nodes, edges, reducers, name }) => [...nodes.map(({ key }) => `node ${key}`), ...edges.map(({ key }) => `edge ${key}`), ...(reducers ? ["reducers "] : []), ...(name ? ["workflow "] : [])]);
  return new Set([...changed, ...forms.map(({ kind, key }) => `${kind} ${key}`)]).size;
}

function listed<T extends Element>(before: readonly T[], after: readonly T[]): Change<T>[] {
  if (before === after) return [];
  const [old, now] = [indexOf(before), indexOf(after)];
  const found: Change<T>[] = [];
  before.forEach((element, place) => {
    const key = old.keys[place] as Key;
    const there = now.at.get(key);
    const left = there === undefined ? null : (after[there] as T);
    if (!same(element, left)) found.push({ key, before: element, after: left });
  });
  after.forEach((element, at) => {
    const key = now.keys[at] as Key;
    if (!old.at.has(key)) found.push({ key, before: null, after: element, at });
  });
  return found;
}

/** The edit that makes these changes. */
export function editOf({ nodes, edges, reducers, name }: Changes): Edit {
  const edits: Edit[] = [
    { kind: "remove", nodes: gone(nodes), edges: gone(edges) },
    { kind: "change", nodes: other(nodes), edges: other(edges) },
    { kind: "add", nodes: come(nodes), edges: come(edges) },
  ];
  if (reducers) edits.push({ kind: "reducers", to: Object.keys(reducers.after).length ? reducers.after : null });
  if (name) edits.push({ kind: "rename", to: name.after });
  return { kind: "together", edits };
}

function gone(changes: readonly Change<Element>[]): Key[] {
  return changes.flatMap(({ key, after }) => (after ? [] : [key]));
}

function other(changes: readonly Change<Element>[]): Changed[] {
  return changes.flatMap(({ key, before, after }) => (before && after ? [{ key, fields: difference(before, after) }] : []));
}

function come<T extends Element>(changes: readonly Change<T>[]): Placed<T>[] {
  return changes.flatMap(({ before, after, at }) => (!before && after ? [{ at, element: after }] : []));
}

/**
 * The documents to merge, made of what is there now and what was changed from an older one that
 * nobody has any more: with all that was not changed as it is now.
 */
export function sides(changes: Changes, theirs: WorkflowDocument): { base: WorkflowDocument; mine: WorkflowDocument } {
  const made = (side: "before" | "after"): WorkflowDocument => {
    const { reducers: _, ...rest } = theirs;
    const reducers = changes.reducers ? changes.reducers[side] : theirs.reducers;
    return {
      ...rest,
      name: changes.name ? changes.name[side] : theirs.name,
      nodes: put(theirs.nodes, changes.nodes, side),
      edges: put(theirs.edges, changes.edges, side),
      ...(reducers && Object.keys(reducers).length ? { reducers } : {}),
    };
  };
  return { base: made("before"), mine: made("after") };
}

/** Whether all that was changed is in a document already. */
export function isIn(changes: Changes, document: WorkflowDocument): boolean {
  const has = <T extends Element>(elements: readonly T[]) => ({ key, after }: Change<T>) => {
    const place = indexOf(elements).at.get(key);
    return same(place === undefined ? null : elements[place], after);
  };
  return (
    changes.nodes.every(has(document.nodes)) &&
    changes.edges.every(has(document.edges)) &&
    (!changes.reducers || same(changes.reducers.after, document.reducers ?? {})) &&
    (!changes.name || changes.name.after === document.name)
  );
}

function put<T extends Element>(elements: readonly T[], changes: readonly Change<T>[], side: "before" | "after"): readonly T[] {
  const { keys, at } = indexOf(elements);
  const byKey = new Map(changes.map((change) => [change.key, change[side]]));
  const kept = elements.flatMap((element, place) => {
    const key = keys[place] as Key;
    const value = byKey.has(key) ? byKey.get(key) : element;
    return value ? [value] : [];
  });
  for (const change of changes) {
    const value = change[side];
    if (value && !at.has(change.key)) kept.splice(change.at ?? kept.length, 0, value);
  }
  return kept;
}
