// Ids that the canvas gave to elements that were just added: where two people get the same one, both
// elements stay, and the one that is not saved yet gets another.

import { ids } from "./commands";
import type { Key, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find, freeId, indexOf, same } from "./document";
import type { Edit } from "./edits";
import { type NewIds, withNewIds } from "./rekeyed";

/** The ids that nobody typed, of elements that are not saved yet. */
export interface MadeIds {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

export const NONE_MADE: MadeIds = { nodes: new Set(), edges: new Set() };

/** With the ids of an edit: those of new elements, and without those that someone typed; with them if the canvas gives them. */
export function madeIn(made: MadeIds, edit: Edit, isTyped = true): MadeIds {
  if (edit.kind === "together") return edit.edits.reduce((so, part) => madeIn(so, part, isTyped), made);
  if (edit.kind === "add" && edit.isNew) {
    return { nodes: new Set([...made.nodes, ...edit.nodes.map(({ element }) => element.id)]), edges: new Set([...made.edges, ...edit.edges.map(({ element }) => element.id)]) };
  }
  if (edit.kind !== "change") return made;
  const nodes = edit.nodes.flatMap(({ key, fields }) => (typeof fields.id === "string" ? [{ key, id: fields.id }] : []));
  const edges = edit.edges.flatMap(({ fields }) => (typeof fields.id === "string" ? [fields.id] : []));
  if (!nodes.length && !edges.length) return made;
  const given = isTyped ? [] : nodes.filter(({ key }) => made.nodes.has(key));
  const typed = new Set(nodes.map(({ id }) => id));
  return {
    nodes: new Set([...[...made.nodes].filter((id) => !typed.has(id)), ...given.map(({ id }) => id)]),
    edges: new Set([...made.edges].filter((id) => !edges.includes(id))),
  };
}

/** Without those that a document has. */
export function unsaved(made: MadeIds, saved: WorkflowDocument): MadeIds {
  const [nodes, edges] = [ids(saved.nodes), ids(saved.edges)];
  return { nodes: new Set([...made.nodes].filter((id) => !nodes.has(id))), edges: new Set([...made.edges].filter((id) => !edges.has(id))) };
}

interface Mine {
  readonly made: MadeIds;
  readonly base: { readonly document: WorkflowDocument };
  readonly document: WorkflowDocument;
  /** What was sent since `base` and got no answer: their nodes may be those of this page. */
  readonly maybeSaved: readonly WorkflowDocument[];
}

/** Other ids for what was added here, be it undone by now, under ids that someone else's new elements have; null if there is none. */
export function collided({ made, base: { document: base }, document: mine, maybeSaved }: Mine, theirs: WorkflowDocument): NewIds | null {
  const isNew = (name: "nodes" | "edges") => (id: string): boolean => !indexOf(base[name]).at.has(id) && indexOf(theirs[name]).at.has(id);
  const isSaved = (id: string): boolean => maybeSaved.some((sent) => isSameCard(find(sent.nodes, id), find(theirs.nodes, id)));
  const taken = new Set([...ids(mine.nodes), ...ids(theirs.nodes)]);
  const nodes = renewed([...made.nodes].filter((id) => isNew("nodes")(id) && !isSaved(id)), taken);
  const takenEdges = new Set([...ids(mine.edges), ...ids(theirs.edges)]);
  // Who connects the same two nodes makes the same edge.
  const isOther = (id: string): boolean => {
    const [my, their] = [find(mine.edges, id), find(theirs.edges, id) as WorkflowEdge];
    if (!my) return true;
    const { from, to } = withNewIds(my, NO_IDS, nodes);
    return from !== their.from || to !== their.to;
  };
  const edges = renewed([...made.edges].filter((id) => isNew("edges")(id) && isOther(id)), takenEdges);
  return nodes.size || edges.size ? { nodes, edges } : null;
}

function isSameCard(a: WorkflowNode | undefined, b: WorkflowNode | undefined): boolean {
  return a !== undefined && a.type === b?.type && same(a.position, b.position);
}

const NO_IDS: ReadonlyMap<Key, string> = new Map();

function renewed(given: readonly string[], taken: Set<string>): Map<Key, string> {
  return new Map(given.map((id) => {
    const free = freeId(id, taken);
    taken.add(free);
    return [id, free];
  }));
}

/** A document with the new ids. */
export function withIds(document: WorkflowDocument, { nodes, edges }: NewIds): WorkflowDocument {
  return {
    ...document,
    nodes: document.nodes.map((each) => withNewIds(each, nodes, nodes)),
    edges: document.edges.map((each) => withNewIds(each, edges, nodes)),
  };
}
