// Edits as data: each is applied to a document and returns the edit that undoes it.

import type { Element, Json, Key, Position, Reducers, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { indexOf, same } from "./document";
import { FILTERS, takenOut } from "./merged_filters";

/** An element that comes in; without a place it comes last. Order has a meaning for edges. */
export interface Placed<T extends Element> {
  readonly at?: number;
  readonly element: T;
  /** Of what was removed: how many like it were left. It does not come in where there are more by now. */
  readonly left?: number;
  /** Of an edge that was removed: it had both of its nodes. It does not come in where one of them is missing by now. */
  readonly isTied?: boolean;
}

/**
 * Fields of an element and what they are from now on; null takes a field away. Fields and not the
 * whole, so that undoing leaves alone what someone else changed in the same element.
 */
export interface Changed {
  readonly key: Key;
  readonly fields: Fields;
  /** What the fields had when they were set; a value that is another by now stays. */
  readonly over?: Fields;
  /** Of an id that was given up: how many others have it. It is not taken again where more have it by now. */
  readonly left?: number;
}

export type Fields = { readonly [name: string]: unknown };

/** Where cards stand, by their nodes; null where that is not said. */
export type Spots = { readonly [key: Key]: Position | null };

/** `isNew` adds what was never there: nobody chose its ids. */
export type Edit =
  | { readonly kind: "add"; readonly nodes: readonly Placed<WorkflowNode>[]; readonly edges: readonly Placed<WorkflowEdge>[]; readonly isNew?: boolean }
  | { readonly kind: "remove"; readonly nodes: readonly Key[]; readonly edges: readonly Key[] }
  | { readonly kind: "change"; readonly nodes: readonly Changed[]; readonly edges: readonly Changed[] }
  | { readonly kind: "move"; readonly to: Spots; readonly over?: Spots }
  | { readonly kind: "reducers"; readonly to: Reducers | null; readonly over?: Reducers | null }
  | { readonly kind: "rename"; readonly to: string; readonly over?: string }
  | { readonly kind: "together"; readonly edits: readonly Edit[] };

export interface Applied {
  readonly document: WorkflowDocument;
  readonly inverse: Edit;
  /** Whether nothing was passed over because of what someone else did since. */
  readonly isWhole: boolean;
}

/**
 * The document after an edit. What an edit names and is not there any more is passed over, and so
 * is what it brings back and someone else brought back before, or sets back and someone else set since.
 */
export function apply(document: WorkflowDocument, edit: Edit): Applied {
  switch (edit.kind) {
    case "add":
      return added(document, edit.nodes, edit.edges);
    case "remove":
      return removed(document, edit.nodes, edit.edges);
    case "change":
      return changed(document, edit.nodes, edit.edges);
    case "move":
      return moved(document, edit);
    case "reducers":
      return withReducers(document, edit);
    case "rename":
      return renamed(document, edit);
    case "together":
      return together(document, edit.edits);
  }
}

function added(
  document: WorkflowDocument,
  nodes: readonly Placed<WorkflowNode>[],
  edges: readonly Placed<WorkflowEdge>[],
): Applied {
  const [allNodes, nodesAt] = inserted(document.nodes, nodes);
  const ids = new Set(allNodes.map(({ id }) => id));
  const tied = edges.filter(({ element: { from, to }, isTied }) => !isTied || (ids.has(from) && ids.has(to)));
  const [allEdges, edgesAt] = inserted(document.edges, tied);
  const keysAt = (elements: readonly Element[], places: readonly number[]): Key[] =>
    places.map((place) => indexOf(elements).keys[place] as Key);
  return {
    document: { ...document, nodes: allNodes, edges: allEdges },
    inverse: { kind: "remove", nodes: keysAt(allNodes, nodesAt), edges: keysAt(allEdges, edgesAt) },
    isWhole: nodesAt.length === nodes.length && edgesAt.length === edges.length,
  };
}

/** Inserts in rising order of the places, each of which is the place in the result. */
function inserted<T extends Element>(elements: readonly T[], given: readonly Placed<T>[]): [readonly T[], number[]] {
  const wanted = given.filter(({ element, left }) => left === undefined || countLike(elements, element) <= left);
  if (!wanted.length) return [elements, []];
  const last = Number.POSITIVE_INFINITY;
  const sorted = [...wanted].sort((a, b) => (a.at ?? last) - (b.at ?? last) || 0);
  const result: T[] = [];
  const places: number[] = [];
  let taken = 0;
  for (const { at = last, element } of sorted) {
    while (result.length < at && taken < elements.length) result.push(elements[taken++] as T);
    places.push(result.length);
    result.push(element);
  }
  return [result.concat(elements.slice(taken)), places];
}

/** How many elements have an id, or are an edge that differs in its id alone. */
function countLike(elements: readonly Element[], wanted: Element): number {
  return elements.filter((each) => each.id === wanted.id || ("from" in wanted && same({ ...each, id: "" }, { ...wanted, id: "" }))).length;
}

function removed(document: WorkflowDocument, nodes: readonly Key[], edges: readonly Key[]): Applied {
  const [restNodes, goneNodes] = without(document.nodes, nodes);
  const [restEdges, goneEdges] = without(document.edges, edges);
  const ids = new Set(document.nodes.map(({ id }) => id));
  return {
    document: { ...document, nodes: restNodes, edges: restEdges },
    inverse: { kind: "add", nodes: goneNodes, edges: goneEdges.map((gone) => ({ ...gone, isTied: ids.has(gone.element.from) && ids.has(gone.element.to) })) },
    isWhole: goneNodes.length === nodes.length && goneEdges.length === edges.length,
  };
}

function without<T extends Element>(elements: readonly T[], keys: readonly Key[]): [readonly T[], Placed<T>[]] {
  const { at } = indexOf(elements);
  const places = new Set(keys.map((key) => at.get(key)).filter((place) => place !== undefined));
  if (!places.size) return [elements, []];
  const rest = elements.filter((_, place) => !places.has(place));
  const gone = [...places].sort((a, b) => a - b).map((place) => {
    const element = elements[place] as T;
    return { at: place, element, left: countLike(rest, element) };
  });
  return [rest, gone];
}

function changed(document: WorkflowDocument, nodes: readonly Changed[], edges: readonly Changed[]): Applied {
  const taken = new Set([...takenIds(document.nodes, nodes), ...takenIds(document.edges, edges)]);
  const [newNodes, oldNodes, areNodesWhole] = replaced(document.nodes, withoutTaken(nodes, taken));
  const [newEdges, oldEdges, areEdgesWhole] = replaced(document.edges, withoutTaken(edges, taken));
  return {
    document: { ...document, nodes: newNodes, edges: newEdges },
    inverse: { kind: "change", nodes: oldNodes, edges: oldEdges },
    isWhole: !taken.size && areNodesWhole && areEdgesWhole,
  };
}

/** The ids that elements would take again and others have by now. */
function takenIds(elements: readonly Element[], given: readonly Changed[]): string[] {
  return given.flatMap(({ fields: { id }, left }) => (left !== undefined && countOf(elements, id) > left ? [id as string] : []));
}

function countOf(elements: readonly Element[], id: unknown): number {
  return elements.filter((each) => each.id === id).length;
}

/** Without the ids that are taken; edges do not follow to them either. */
function withoutTaken(given: readonly Changed[], taken: ReadonlySet<string>): readonly Changed[] {
  if (!taken.size) return given;
  const isFree = ([name, value]: [string, unknown]): boolean => !["id", "from", "to"].includes(name) || !taken.has(value as string);
  return given.map((each) => ({ ...each, fields: Object.fromEntries(Object.entries(each.fields).filter(isFree)) }));
}

/** The elements with what is given set in them, what sets it back, and whether all of it was set. */
function replaced<T extends Element>(elements: readonly T[], given: readonly Changed[]): [readonly T[], Changed[], boolean] {
  const { at } = indexOf(elements);
  const news = new Map<number, T>();
  const olds = new Map<number, Fields>();
  let isWhole = true;
  for (const { key, fields: all, over } of given) {
    const place = at.get(key);
    if (place === undefined) isWhole = false;
    if (place === undefined || news.has(place)) continue;
    const before = elements[place] as T;
    const filters = over ? filtersSetBack(before as unknown as Fields, over, all) : {};
    const fields = over ? { ...setBack(before as unknown as Fields, over, all), ...filters } : all;
    if (over && !hasAll({ ...before, ...fields }, { ...all, ...filters }, over)) isWhole = false;
    news.set(place, withFields(before, fields));
    olds.set(place, fieldsOf(before, Object.keys(fields)));
  }
  if (!news.size) return [elements, [], isWhole];
  const result = elements.map((element, place) => news.get(place) ?? element);
  // By the keys of the result: a change of an id changes the key.
  const { keys } = indexOf(result);
  return [result, [...olds].map(([place, fields]) => ({ key: keys[place] as Key, fields, over: fieldsOf(result[place] as T, Object.keys(fields)), ...("id" in fields ? { left: countOf(result, fields.id) } : {}) })), isWhole];
}

// Of these two people may set other parts; all else is set as a whole.
const OPEN = new Set(["config", "properties", "canvas"]);
// Its config is one operation.
const PROCESSOR = "context_processor";

/** The filters that someone else changed in other places since, without what was set. */
function filtersSetBack(now: Fields, over: Fields, to: Fields): Fields {
  const found = Object.keys(to).flatMap((name): [string, Json][] => {
    const [is, was, value] = [now[name] ?? null, over[name] ?? null, to[name] ?? null] as [Json, Json, Json];
    const made = FILTERS.has(name) && !same(is, was) ? takenOut(value, was, is) : null;
    return made === null ? [] : [[name, made]];
  });
  return Object.fromEntries(found);
}

/** The fields of `to` without those that are no longer as they were set; null and undefined are missing. */
function setBack(now: Fields, over: Fields, to: Fields): Fields {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(to)) {
    const [is, was, value] = [now[name] ?? null, over[name] ?? null, to[name] ?? null];
    if (same(is, was)) found[name] = value;
    else if (OPEN.has(name) && !(name === "config" && now.type === PROCESSOR)) found[name] = partsSetBack(fieldsIn(is), fieldsIn(was), fieldsIn(value));
  }
  return found;
}

/** The same of what is open; null if nothing is left of it. */
function partsSetBack(now: Fields, over: Fields, to: Fields): Fields | null {
  const parts = setBack(now, over, { ...nothing({ ...now, ...over }), ...to });
  const all = Object.entries({ ...now, ...parts }).filter(([name]) => !(name in parts) || name in to || parts[name] !== null);
  return all.length ? Object.fromEntries(all) : null;
}

/** Whether each field has the value that it was to have; of what is open, each part that was set. */
function hasAll(now: Fields, to: Fields, over: Fields): boolean {
  return Object.keys(to).every((name) => {
    const [is, value, was] = [now[name] ?? null, to[name] ?? null, over[name] ?? null];
    if (same(is, value) || !OPEN.has(name)) return same(is, value);
    return hasAll(fieldsIn(is), { ...nothing(fieldsIn(was)), ...fieldsIn(value) }, {});
  });
}

function fieldsIn(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function nothing(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
}

function withFields<T extends object>(element: T, fields: Fields): T {
  const all = Object.entries({ ...element, ...fields }).filter(([, value]) => value !== null);
  return Object.fromEntries(all) as unknown as T;
}

function fieldsOf(element: Element, names: readonly string[]): Fields {
  const values = element as unknown as Fields;
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

/** What has to be set in `before` to make it `after`. */
export function difference(before: Element, after: Element): Fields {
  const [old, now] = [before as unknown as Fields, after as unknown as Fields];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => !same(old[name], now[name]));
  return fieldsOf(after, names);
}

function moved(document: WorkflowDocument, { to, over }: Extract<Edit, { kind: "move" }>): Applied {
  const [before, after]: [Record<Key, Position | null>, Record<Key, Position | null>] = [{}, {}];
  const { keys } = indexOf(document.nodes);
  const nodes = document.nodes.map((node, place) => {
    const key = keys[place] as Key;
    const position = Object.hasOwn(to, key) ? to[key] : undefined;
    if (position === undefined || (over && !same(node.position ?? null, over[key] ?? null))) return node;
    before[key] = node.position ?? null;
    after[key] = position;
    return withPosition(node, position);
  });
  return { document: { ...document, nodes }, inverse: { kind: "move", to: before, over: after }, isWhole: !over || Object.keys(to).every((key) => key in after) };
}

export function withPosition(node: WorkflowNode, position: Position | null): WorkflowNode {
  if (position) return { ...node, position };
  const { position: _, ...rest } = node;
  return rest;
}

function withReducers(document: WorkflowDocument, { to, over }: Extract<Edit, { kind: "reducers" }>): Applied {
  const { reducers, ...rest } = document;
  const made = (over === undefined || same(over, reducers ?? null) ? to : partsSetBack(reducers ?? {}, over ?? {}, to ?? {})) as Reducers | null;
  return {
    document: made ? { ...rest, reducers: made } : rest,
    inverse: { kind: "reducers", to: reducers ?? null, over: made },
    isWhole: hasAll({ reducers: made }, { reducers: to }, {}),
  };
}

function renamed(document: WorkflowDocument, { to, over = document.name }: Extract<Edit, { kind: "rename" }>): Applied {
  const name = document.name === over ? to : document.name;
  return { document: { ...document, name }, inverse: { kind: "rename", to: document.name, over: name }, isWhole: name === to };
}

function together(document: WorkflowDocument, edits: readonly Edit[]): Applied {
  const inverses: Edit[] = [];
  let [now, isWhole] = [document, true];
  for (const edit of edits) {
    const step = apply(now, edit);
    now = step.document;
    isWhole &&= step.isWhole;
    inverses.unshift(step.inverse);
  }
  return { document: now, inverse: { kind: "together", edits: inverses }, isWhole };
}
