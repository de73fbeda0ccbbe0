// What the server makes of changes (workflows/domain/document/draft_changes.py), for servers of tests.

import type { Element, Key, WorkflowDocument } from "../model/document";
import { indexOf } from "../model/document";
import type { DocumentChanges, ElementChanges } from "../model/patch";

export function patched({ reducers, ...rest }: WorkflowDocument, changes: DocumentChanges): WorkflowDocument {
  const now = changes.reducers ?? reducers;
  return {
    ...rest,
    name: changes.name ?? rest.name,
    nodes: list(rest.nodes, changes.nodes),
    edges: list(rest.edges, changes.edges),
    ...(now && Object.keys(now).length ? { reducers: now } : {}),
  };
}

function list<T extends Element>(elements: readonly T[], { changed, removed = [], added = [] }: ElementChanges<T> = {}): readonly T[] {
  const { keys, at } = indexOf(elements);
  for (const key of [...removed, ...Object.keys(changed ?? {})]) if (!at.has(key)) throw new Error(`there is no element ${key}`);
  const byKey = new Map<Key, T>(Object.entries(changed ?? {}));
  const result = elements.flatMap((element, place) => {
    const key = keys[place] as Key;
    return removed.includes(key) ? [] : [byKey.get(key) ?? element];
  });
  for (const { at: place, element } of added) result.splice(place, 0, element);
  return result;
}
