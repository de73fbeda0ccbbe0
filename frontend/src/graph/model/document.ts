// The workflow document as an immutable value, and how its elements are addressed.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Position {
  readonly x: number;
  readonly y: number;
}

export interface WorkflowNode {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  readonly position?: Position;
  readonly context_type?: string;
  readonly context_filter?: Json;
  readonly outgoing_filter?: Json;
  readonly config?: JsonObject;
  readonly properties?: JsonObject;
}

export interface WorkflowEdge {
  readonly id: string;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly context_filter?: JsonObject;
  readonly condition?: string;
  readonly weight?: number;
  readonly properties?: JsonObject;
}

export type Reducers = { readonly [pattern: string]: string };

export interface WorkflowDocument {
  readonly name: string;
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly WorkflowEdge[];
  readonly reducers?: Reducers;
}

export type Element = WorkflowNode | WorkflowEdge;

// Of elements with one id the first has it as its key, the second has `id~2`: a draft may hold
// such elements, and "~" is in no id. Keys follow from the document alone.
export type Key = string;

interface Index {
  readonly keys: readonly Key[];
  readonly at: ReadonlyMap<Key, number>;
}

const indexes = new WeakMap<readonly Element[], Index>();

export function indexOf(elements: readonly Element[]): Index {
  const known = indexes.get(elements);
  if (known) return known;
  const seen = new Map<string, number>();
  const at = new Map<Key, number>();
  const keys = elements.map((element, place) => {
    const times = (seen.get(element.id) ?? 0) + 1;
    seen.set(element.id, times);
    const key = times === 1 ? element.id : `${element.id}~${times}`;
    at.set(key, place);
    return key;
  });
  const made = { keys, at };
  indexes.set(elements, made);
  return made;
}

export function find<T extends Element>(elements: readonly T[], key: Key): T | undefined {
  const place = indexOf(elements).at.get(key);
  return place === undefined ? undefined : elements[place];
}

/** The document with an element before all others of its id: who looks an id up finds it. */
export function asFirst(document: WorkflowDocument, kind: string, key: Key): WorkflowDocument {
  const name = kind === "node" ? "nodes" : kind === "edge" ? "edges" : null;
  const place = name && indexOf(document[name]).at.get(key);
  if (name === null || place === null || place === undefined) return document;
  const elements: readonly Element[] = document[name];
  const element = elements[place] as Element;
  const first = indexOf(elements).at.get(element.id);
  if (first === undefined || first === place) return document;
  const others = elements.filter((each) => each !== element);
  return { ...document, [name]: [...others.slice(0, first), element, ...others.slice(first)] };
}

/** The document with what is null left away: null means missing and does not come back. */
export function normalised(given: WorkflowDocument): WorkflowDocument {
  const lean = <T extends object>(element: T): T =>
    Object.values(element).includes(null)
      ? (Object.fromEntries(Object.entries(element).filter(([, value]) => value !== null)) as T)
      : element;
  return lean({ ...given, nodes: given.nodes.map(lean), edges: given.edges.map(lean) });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left).filter((name) => left[name] !== undefined);
  if (names.length !== Object.keys(right).filter((name) => right[name] !== undefined).length) return false;
  return names.every((name) => same(left[name], right[name]));
}

const MOST_LETTERS = 64;

/** An id that nobody in `taken` has: `wished`, else `wished-2`, `wished-3` ... */
export function freeId(wished: string, taken: { has(id: string): boolean }): string {
  const root = wished.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, MOST_LETTERS) || "element";
  if (!taken.has(root)) return root;
  const stem = root.replace(/-\d+$/, "") || root;
  for (let number = 2; ; number += 1) {
    const ending = `-${number}`;
    const id = stem.slice(0, MOST_LETTERS - ending.length) + ending;
    if (!taken.has(id)) return id;
  }
}
