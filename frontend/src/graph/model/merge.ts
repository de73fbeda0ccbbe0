// The three-way merge of documents, element by element; an element changed on both sides is a
// conflict.

import { apart } from "./apart";
import type { Element, Json, JsonObject, Key, Reducers, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find, indexOf, isObject, same } from "./document";
import { placeless } from "./form_edits";
import { FILTERS, mergedFilters } from "./merged_filters";

export type Kind = "node" | "edge" | "reducer" | "name";
export type Side = "mine" | "theirs";
export type Sided = Json | Element | undefined;

/** An element that both sides changed differently; undefined where it is not there. */
export interface Conflict {
  readonly kind: Kind;
  readonly key: Key;
  readonly base: Sided;
  readonly mine: Sided;
  readonly theirs: Sided;
}

interface Merged {
  readonly document: WorkflowDocument;
  readonly conflicts: readonly Conflict[];
}

export type Choices = { readonly [name: string]: Side };

export function nameOf(conflict: Pick<Conflict, "kind" | "key">): string {
  return `${conflict.kind} ${conflict.key}`;
}

/** What was chosen for conflicts, each as it was when it was decided. */
export type Decided = { readonly [name: string]: { readonly side: Side; readonly of: Conflict } };

/** The choices that still stand: of conflicts whose sides are as they were decided on. */
export function standing(decided: Decided, conflicts: readonly Conflict[]): Choices {
  const found = conflicts.flatMap((conflict): [string, Side][] => {
    const made = decided[nameOf(conflict)];
    const isAsBefore = made && same(made.of.mine, conflict.mine) && same(made.of.theirs, conflict.theirs);
    return isAsBefore ? [[nameOf(conflict), made.side]] : [];
  });
  return Object.fromEntries(found);
}

/** Whether conflicts ask what earlier ones did not: another one is there, or theirs is another value. Where a card stands is no question. */
export function asksMore(now: readonly Conflict[], before: readonly Conflict[]): boolean {
  const known = new Map(before.map((conflict) => [nameOf(conflict), conflict]));
  return now.some((conflict) => {
    const earlier = known.get(nameOf(conflict));
    return !earlier || !same(placeless(conflict.theirs), placeless(earlier.theirs));
  });
}

/**
 * What both made of `base`. An element that one side alone touched is as that side left it, and
 * where both touched other fields of one element it gets both. Conflicts are as `choices` say; by
 * default mine, and if one side removed what the other needs, the side that has it. A node that
 * one side removed and that stays keeps its edges. No card that is mine alone covers one that is theirs.
 */
export function merge(
  base: WorkflowDocument,
  mine: WorkflowDocument,
  theirs: WorkflowDocument,
  choices: Choices = {},
): Merged {
  const conflicts: Conflict[] = [];
  const decided: Decide = (conflict) => {
    const side = choices[nameOf(conflict)] ?? (conflict.mine === undefined ? "theirs" : "mine");
    return side === "mine" ? conflict.mine : conflict.theirs;
  };
  const decide: Decide = (conflict) => {
    conflicts.push(conflict);
    return decided(conflict);
  };
  const edges = elements("edge", base.edges, mine.edges, theirs.edges, decide);
  // An edge that hung in the air on its own side may go on hanging; others need their nodes.
  const inTheAir = new Set([...missing(mine), ...missing(theirs)]);
  const ends = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const isNeeded = (id: string): boolean => ends.has(id) && !inTheAir.has(id);
  const nodes = elements("node", base.nodes, mine.nodes, theirs.nodes, decide, isNeeded);
  const reducers = mergedReducers(base.reducers ?? {}, mine.reducers ?? {}, theirs.reducers ?? {}, decide);
  const name = one("name", "name", base.name, mine.name, theirs.name, decide) as string;
  const { at } = indexOf(nodes);
  // The edges that went with a node come back with it, unless they are decided by themselves.
  const asked = new Set(conflicts.map(nameOf));
  const back = new Set(base.nodes.flatMap(({ id }) => (at.has(id) && isRemoved(id, mine, theirs) ? [id] : [])));
  const isTied = (key: Key): boolean => {
    const { from, to } = find(base.edges, key) as WorkflowEdge;
    return back.has(from) || back.has(to);
  };
  const again: Decide = (conflict) => (asked.has(nameOf(conflict)) ? decided(conflict) : (conflict.mine ?? conflict.theirs));
  const all = back.size ? elements("edge", base.edges, mine.edges, theirs.edges, again, isTied) : edges;
  const kept = all.filter((edge) => [edge.from, edge.to].every((id) => at.has(id) || inTheAir.has(id)));
  const document: WorkflowDocument = { name, nodes, edges: kept, ...(Object.keys(reducers).length ? { reducers } : {}) };
  return { document: apart(base, theirs, document), conflicts };
}

/** Whether one side has no node of an id. */
function isRemoved(id: string, mine: WorkflowDocument, theirs: WorkflowDocument): boolean {
  return [mine, theirs].some(({ nodes }) => !indexOf(nodes).at.has(id));
}

type Decide = (conflict: Conflict) => Sided;

function one(kind: Kind, key: Key, base: Sided, mine: Sided, theirs: Sided, decide: Decide): Sided {
  if (same(mine, theirs)) return mine;
  if (same(base, mine)) return theirs;
  if (same(base, theirs)) return mine;
  return fields(kind, base, mine, theirs) ?? decide({ kind, key, base, mine, theirs });
}

/** Both sides' changes of one element if they touch other fields of it; else null. */
function fields(kind: Kind, base: Sided, mine: Sided, theirs: Sided): Sided | null {
  if (kind !== "node" && kind !== "edge") return null;
  if (!isObject(base) || !isObject(mine) || !isObject(theirs)) return null;
  // The operation of a context processor means something as a whole only.
  const open = (base as unknown as WorkflowNode).type === "context_processor" ? ["properties"] : ["properties", "config"];
  return united(base, mine, theirs, (name, ...sides) => {
    if (FILTERS.has(name)) return mergedFilters(...sides);
    return open.includes(name) ? inParts(...sides, (part, ...inner) => (part === "canvas" ? inParts(...inner) : null)) : null;
  }) as Sided | null;
}

/** A value that both sides changed; null for one that means something as a whole only. */
type Join = (name: string, ...sides: readonly [base: Json | undefined, mine: Json | undefined, theirs: Json | undefined]) => Json | null;

function inParts(base: Json = {}, mine: Json = {}, theirs: Json = {}, join: Join = () => null): JsonObject | null {
  return isObject(base) && isObject(mine) && isObject(theirs) ? united(base, mine, theirs, join) : null;
}

function united(base: JsonObject, mine: JsonObject, theirs: JsonObject, join: Join): JsonObject | null {
  const result: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [was, my, their] = [base[name], mine[name], theirs[name]];
    let value: Json | undefined;
    if (same(my, their) || same(was, their)) value = my;
    else if (same(was, my)) value = their;
    // Where a card stands says nothing about the flow: the later hand wins.
    else if (name === "position") value = my ?? their;
    else {
      const joined = join(name, was, my, their);
      if (joined === null) return null;
      value = joined;
    }
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function elements<T extends Element>(
  kind: "node" | "edge",
  base: readonly T[],
  mine: readonly T[],
  theirs: readonly T[],
  decide: Decide,
  isNeeded: (id: string) => boolean = () => false,
): T[] {
  const [old, my, their] = [byKey(base), byKey(mine), byKey(theirs)];
  const result: T[] = [];
  for (const key of order(base, mine, theirs)) {
    const [was, left, right] = [old.get(key), my.get(key), their.get(key)];
    let value = one(kind, key, was as Sided, left as Sided, right as Sided, decide) as T | undefined;
    // One side removed a node without touching what the other side tied to it, or an edge with its node.
    const there = left ?? right;
    if (value === undefined && was && there && isNeeded(key)) {
      value = decide({ kind, key, base: was, mine: left, theirs: right }) as T | undefined;
    }
    if (value !== undefined) result.push(value);
  }
  return result;
}

function byKey<T extends Element>(list: readonly T[]): Map<Key, T> {
  const { keys } = indexOf(list);
  return new Map(list.map((element, place) => [keys[place] as Key, element]));
}

/** Theirs in their order and mine behind what they follow; if only mine moved, in my order. */
function order(base: readonly Element[], mine: readonly Element[], theirs: readonly Element[]): Key[] {
  const [old, my, their] = [indexOf(base), indexOf(mine), indexOf(theirs)];
  const common = (keys: readonly Key[]): Key[] => keys.filter((key) => old.at.has(key) && my.at.has(key) && their.at.has(key));
  const moved = !same(common(their.keys), common(old.keys));
  const [first, second] = moved ? [their, my] : [my, their];
  const behind = new Map<Key | undefined, Key[]>();
  let anchor: Key | undefined;
  for (const key of second.keys) {
    if (first.at.has(key)) anchor = key;
    else behind.set(anchor, [...(behind.get(anchor) ?? []), key]);
  }
  const result = [...(behind.get(undefined) ?? [])];
  for (const key of first.keys) result.push(key, ...(behind.get(key) ?? []));
  return result;
}

/** The nodes that the edges of a document lead to or from and that are not there. */
function missing(document: WorkflowDocument): string[] {
  const { at } = indexOf(document.nodes);
  return document.edges.flatMap((edge) => [edge.from, edge.to]).filter((id) => !at.has(id));
}

function mergedReducers(base: Reducers, mine: Reducers, theirs: Reducers, decide: Decide): Reducers {
  const result: Record<string, string> = {};
  for (const pattern of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = one("reducer", pattern, base[pattern], mine[pattern], theirs[pattern], decide);
    if (value !== undefined) result[pattern] = value as string;
  }
  return result;
}
