// What someone else changed again soon after this page had saved it: no conflict, but the person is told.

import type { Changes } from "./changes";
import { changesBetween } from "./changes";
import { change } from "./commands";
import type { Element, Json, Key, WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find, isObject, same } from "./document";
import type { Edit } from "./edits";
import type { Conflict, Kind, Sided } from "./merge";
import { FILTERS, isKept, without } from "./merged_filters";

// Long enough for two people at one field, and short enough that next week's edit is no news.
const REMEMBERED_MS = 120_000;
// Where a card stands says nothing about the flow: the later hand wins.
const SILENT = new Set(["position", "id"]);

/** A value as this page found and saved it; an element that it added had none before. */
export interface Own {
  readonly kind: Kind;
  readonly key: Key;
  readonly before: Sided;
  readonly after: Sided;
  readonly at: number;
}

/** A conflict that is past: theirs stands. `along` are the edges that went with a node of mine. */
export interface Overtaken extends Conflict {
  readonly along?: readonly WorkflowEdge[];
}

const isElement = (kind: Kind): kind is "node" | "edge" => kind === "node" || kind === "edge";

/** What is remembered after a save. */
export function withSave(known: readonly Own[], before: WorkflowDocument, after: WorkflowDocument, at: number): readonly Own[] {
  const fresh = known.filter((own) => at - own.at < REMEMBERED_MS);
  const made = valuesOf(changesBetween(before, after)).flatMap(({ kind, key, before: was, after: is }): Own[] => {
    if (is === undefined) return [];
    const earlier = fresh.find((own) => own.kind === kind && own.key === key);
    return [{ kind, key, before: earlier ? withOthers(earlier, was) : was, after: is, at }];
  });
  return [...fresh.filter((own) => !made.some(({ kind, key }) => own.kind === kind && own.key === key)), ...made];
}

/** What an element was before the saves of this page, with what others put into its filters since the last of these. */
function withOthers({ kind, before, after }: Own, now: Sided): Sided {
  if (!isElement(kind) || !isObject(before) || !isObject(after) || !isObject(now)) return before;
  const made: Record<string, unknown> = { ...before };
  for (const name of FILTERS) put(made, name, without(before[name], after[name], now[name]));
  return made as unknown as Sided;
}

function valuesOf({ nodes, edges, reducers, name }: Changes): Omit<Own, "at">[] {
  const elements = (kind: Kind, changed: Changes["nodes"] | Changes["edges"]): Omit<Own, "at">[] =>
    changed.map(({ key, before, after }) => ({ kind, key, before: sided(before), after: sided(after) }));
  const patterns = reducers ? [...new Set([...Object.keys(reducers.before), ...Object.keys(reducers.after)])] : [];
  const changed = patterns.filter((key) => reducers?.before[key] !== reducers?.after[key]);
  return [
    ...elements("node", nodes),
    ...elements("edge", edges),
    ...changed.map((key) => ({ kind: "reducer" as const, key, before: reducers?.before[key], after: reducers?.after[key] })),
    ...(name ? [{ kind: "name" as const, key: "name", ...name }] : []),
  ];
}

/** What `theirs` has with other values than this page saved, or no longer has, as the questions they could be. */
export function overtakenIn(own: readonly Own[], known: WorkflowDocument, theirs: WorkflowDocument, at: number): readonly Overtaken[] {
  const found = own.flatMap((each): Overtaken[] => {
    const { kind, key, before, after } = each;
    const [was, is] = [valueIn(known, kind, key), valueIn(theirs, kind, key)];
    if (was === undefined || at - each.at >= REMEMBERED_MS || same(was, is)) return [];
    if (!isElement(kind)) return same(was, after) && !same(before, after) ? [{ kind, key, base: before, mine: after, theirs: is }] : [];
    if (is === undefined) return removed(each, own, known, theirs);
    if (before === undefined) return []; // what it added has no value yet that could be lost
    const [old, mine, seen, now] = [parts(before), parts(after), parts(was), parts(is)];
    const isLost = (name: string): boolean => !same(now.get(name), mine.get(name)) && !(FILTERS.has(name) && isKept(old.get(name), mine.get(name), now.get(name)));
    const names = [...new Set([...mine.keys(), ...now.keys()])].filter((name) => !same(old.get(name), mine.get(name)) && same(seen.get(name), mine.get(name)) && isLost(name));
    return names.length ? [{ kind, key, base: withMembers(is, before, names), mine: withMembers(is, after, names), theirs: is }] : [];
  });
  // Two edges can have gone with one node.
  return found.filter(({ kind, key }, place) => place === found.findIndex((other) => other.kind === kind && other.key === key));
}

/** An element that is not there any more. For an edge that went with a node that node comes back too. */
function removed({ kind, key, before }: Own, own: readonly Own[], known: WorkflowDocument, theirs: WorkflowDocument): Overtaken[] {
  const mine = valueIn(known, kind, key);
  if (kind === "edge") {
    const ids = new Set(theirs.nodes.map(({ id }) => id));
    const { from, to } = mine as unknown as WorkflowEdge;
    const missing = [from, to].filter((id) => !ids.has(id));
    if (!missing.length) return [{ kind, key, base: before, mine, theirs: undefined }];
    const others = missing.filter((id) => !own.some((each) => each.kind === "node" && each.key === id));
    return others.flatMap((id) => (find(known.nodes, id) ? [removedNode(id, valueIn(known, "node", id), known, theirs)] : []));
  }
  return [removedNode(key, before, known, theirs)];
}

function removedNode(key: Key, before: Sided, known: WorkflowDocument, theirs: WorkflowDocument): Overtaken {
  const mine = valueIn(known, "node", key);
  const { id } = mine as unknown as WorkflowNode;
  const left = new Set(theirs.edges.map((edge) => edge.id));
  const along = known.edges.filter((edge) => (edge.from === id || edge.to === id) && !left.has(edge.id));
  return { kind: "node", key, base: before, mine, theirs: undefined, along };
}

/** Whether the document still has what the other person set, or still lacks what that one removed. */
export function isStanding({ kind, key, mine, theirs }: Conflict, document: WorkflowDocument): boolean {
  const now = valueIn(document, kind, key);
  if (theirs === undefined || now === undefined || !isElement(kind)) return same(now, theirs);
  const [is, their] = [parts(now), parts(theirs)];
  return differing(mine, theirs).every((name) => same(is.get(name), their.get(name)));
}

/** The edit that sets the values of this page again, in what is there now; null if that is gone. */
export function takenBack({ kind, key, mine, theirs, along = [] }: Overtaken, document: WorkflowDocument): Edit | null {
  if (kind === "name") return { kind: "rename", to: mine as string };
  if (kind === "reducer") return { kind: "reducers", to: { ...document.reducers, [key]: mine as string } };
  const now = valueIn(document, kind, key) as unknown as Element | undefined;
  if (now) return change(document, kind, key, withMembers(now as unknown as Sided, mine, differing(mine, theirs)) as unknown as Element);
  if (theirs !== undefined) return null;
  const ids = new Set(document.nodes.map(({ id }) => id)).add((mine as unknown as Element).id);
  const edges = (kind === "edge" ? [mine as unknown as WorkflowEdge] : along).filter(({ from, to }) => ids.has(from) && ids.has(to));
  return { kind: "add", nodes: kind === "node" ? [{ element: mine as unknown as WorkflowNode }] : [], edges: edges.map((element) => ({ element, left: 0 })) };
}

function differing(a: Sided, b: Sided): string[] {
  const [mine, theirs] = [parts(a), parts(b)];
  return [...new Set([...mine.keys(), ...theirs.keys()])].filter((name) => !same(mine.get(name), theirs.get(name)));
}

function valueIn(document: WorkflowDocument, kind: Kind, key: Key): Sided {
  if (kind === "name") return document.name;
  if (kind === "reducer") return document.reducers?.[key];
  return sided(find<Element>(kind === "node" ? document.nodes : document.edges, key));
}

function sided(element: Element | null | undefined): Sided {
  return (element ?? undefined) as unknown as Sided;
}

// Two people may write into other parts of these.
const OPEN = new Set(["config", "properties"]);
const BETWEEN = "\u0000";

/** The values of an element by name; those of its config by the names of both. */
function parts(element: Sided): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const [name, value] of Object.entries(element ?? {})) {
    if (SILENT.has(name)) continue;
    if (!OPEN.has(name) || !isObject(value)) found.set(name, value);
    else for (const [inner, each] of Object.entries(value)) found.set(name + BETWEEN + inner, each);
  }
  return found;
}

/** An element with some values of another; what that does not have is not there. */
function withMembers(element: Sided, from: Sided, names: readonly string[]): Sided {
  const made: Record<string, unknown> = { ...(element as object) };
  const values = parts(from);
  for (const name of names) {
    const [outer, inner] = name.split(BETWEEN) as [string, string?];
    const value = values.get(name);
    if (inner === undefined) put(made, outer, value);
    else {
      const within = { ...(made[outer] as object) } as Record<string, unknown>;
      put(within, inner, value);
      put(made, outer, Object.keys(within).length ? within : undefined);
    }
  }
  return made as unknown as Sided;
}

function put(into: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete into[name];
  else into[name] = value;
}
