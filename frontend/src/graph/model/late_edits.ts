// Edits that come late: undone before the steps that were taken meanwhile, as if made before them.

import type { Key, WorkflowDocument } from "./document";
import { find } from "./document";
import type { Changed, Edit } from "./edits";
import { rekeyed } from "./rekeyed";

const NO_IDS: ReadonlyMap<Key, string> = new Map();

interface Undoable {
  readonly inverse: Edit;
}

/**
 * The steps since, as they are undone if an edit belongs before them: a node that it gives another
 * id is named by this. Null where their undoing would not leave what the edit made.
 */
export function earlier<T extends Undoable>(document: WorkflowDocument, edit: Edit, steps: readonly T[]): T[] | null {
  if (!steps.length) return [];
  if (edit.kind !== "change" || edit.edges.some(({ fields }) => "id" in fields)) return null;
  const ids = new Map<Key, string>();
  for (const { key, fields } of edit.nodes) {
    if (!("id" in fields)) continue;
    const isTaken = document.nodes.some(({ id }) => id === fields.id);
    if (isTaken || find(document.nodes, key)?.id !== key) return null;
    ids.set(key, fields.id as string);
  }
  if (!steps.every(({ inverse }) => isApart(inverse, edit, ids))) return null;
  return ids.size ? steps.map((step) => ({ ...step, inverse: rekeyed(step.inverse, { nodes: ids, edges: NO_IDS }) })) : [...steps];
}

type Change = Extract<Edit, { kind: "change" }>;

/** Whether the undoing of a step neither sets what an edit sets nor brings back what names a node by its old id. */
function isApart(inverse: Edit, edit: Change, ids: ReadonlyMap<Key, string>): boolean {
  const news = new Set(ids.values());
  const namesOld = (fields: { readonly from?: unknown; readonly to?: unknown }): boolean => ids.has(fields.from as Key) || ids.has(fields.to as Key);
  switch (inverse.kind) {
    case "together":
      return inverse.edits.every((part) => isApart(part, edit, ids));
    case "add":
      return !inverse.nodes.some(({ element }) => news.has(element.id)) && !inverse.edges.some(({ element }) => namesOld(element));
    case "change":
      if (inverse.nodes.some(({ fields }) => news.has(fields.id as string)) || inverse.edges.some(({ fields }) => namesOld(fields))) return false;
      return !meet(inverse.nodes, edit.nodes) && !meet(inverse.edges, edit.edges);
    case "remove":
      return !edit.nodes.some(({ key }) => inverse.nodes.includes(key));
    default:
      return true;
  }
}

function meet(some: readonly Changed[], others: readonly Changed[]): boolean {
  const taken = new Set(others.flatMap(({ key, fields }) => Object.keys(fields).map((name) => `${name} ${key}`)));
  return some.some(({ key, fields }) => Object.keys(fields).some((name) => taken.has(`${name} ${key}`)));
}
