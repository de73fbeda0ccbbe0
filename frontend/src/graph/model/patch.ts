// The changes of a document as a request sends them: the elements that differ, and no others.

import { changesBetween } from "./changes";
import type { Element, Key, Reducers, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { indexOf, same } from "./document";

export interface ElementChanges<T extends Element> {
  readonly changed?: { readonly [key: Key]: T };
  readonly removed?: readonly Key[];
  /** `at` is the place in the list that results; in rising order. */
  readonly added?: readonly { readonly at: number; readonly element: T }[];
}

export interface DocumentChanges {
  readonly name?: string;
  readonly nodes?: ElementChanges<WorkflowNode>;
  readonly edges?: ElementChanges<WorkflowEdge>;
  readonly reducers?: Reducers;
}

/** What makes `after` of `before`; keys are those of `before`. */
export function patchBetween(before: WorkflowDocument, after: WorkflowDocument): DocumentChanges {
  if (before === after) return {};
  const { nodes, edges, reducers, name } = changesBetween(before, after);
  return {
    ...(name ? { name: name.after } : {}),
    ...listed("nodes", before.nodes, after.nodes, nodes),
    ...listed("edges", before.edges, after.edges, edges),
    ...(reducers ? { reducers: reducers.after } : {}),
  };
}

export function isEmpty(changes: DocumentChanges): boolean {
  return !Object.keys(changes).length;
}

interface Change<T> {
  readonly key: Key;
  readonly before: T | null;
  readonly after: T | null;
  readonly at?: number;
}

function listed<T extends Element>(name: "nodes" | "edges", before: readonly T[], after: readonly T[], changes: readonly Change<T>[]): { readonly [name: string]: ElementChanges<T> } {
  if (isReordered(before, after)) {
    return { [name]: { removed: indexOf(before).keys, added: after.map((element, at) => ({ at, element })) } };
  }
  if (!changes.length) return {};
  const changed = changes.flatMap(({ key, before: was, after: now }) => (was && now ? [[key, now] as const] : []));
  const removed = changes.flatMap(({ key, after: now }) => (now ? [] : [key]));
  const added = changes.flatMap(({ before: was, after: now, at }) => (!was && now ? [{ at: at as number, element: now }] : []));
  return {
    [name]: {
      ...(changed.length ? { changed: Object.fromEntries(changed) } : {}),
      ...(removed.length ? { removed } : {}),
      ...(added.length ? { added } : {}),
    },
  };
}

/** Whether elements that are in both lists stand in another order. */
function isReordered(before: readonly Element[], after: readonly Element[]): boolean {
  if (before === after) return false;
  const [old, now] = [indexOf(before), indexOf(after)];
  const common = (keys: readonly Key[], other: ReadonlyMap<Key, number>): Key[] => keys.filter((key) => other.has(key));
  return !same(common(old.keys, now.at), common(now.keys, old.at));
}
