// What someone else changed again soon after this page had saved it: no conflict, but the person is told.

import type { Element, Key, WorkflowDocument } from "./document";
import { find, same } from "./document";
import { changesBetween } from "./changes";
import type { Conflict, Sided } from "./merge";

// Long enough for two people at one field, and short enough that next week's edit is no news.
const REMEMBERED_MS = 120_000;
// Where a card stands says nothing about the flow: the later hand wins.
const SILENT = new Set(["position", "id"]);

/** An element as this page found and saved it. */
export interface Own {
  readonly kind: "node" | "edge";
  readonly key: Key;
  readonly before: Element;
  readonly after: Element;
  readonly at: number;
}

/** What is remembered after a save; the elements that it added have no value yet that could be lost. */
export function withSave(known: readonly Own[], before: WorkflowDocument, after: WorkflowDocument, at: number): readonly Own[] {
  const { nodes, edges } = changesBetween(before, after);
  const fresh = known.filter((own) => at - own.at < REMEMBERED_MS);
  const made = [...nodes.map((each) => ({ kind: "node" as const, ...each })), ...edges.map((each) => ({ kind: "edge" as const, ...each }))].flatMap(({ kind, key, before: was, after: is }): Own[] => {
    if (!was || !is) return [];
    const earlier = fresh.find((own) => own.kind === kind && own.key === key);
    return [{ kind, key, before: earlier?.before ?? was, after: is, at }];
  });
  return [...fresh.filter((own) => !made.some(({ kind, key }) => own.kind === kind && own.key === key)), ...made];
}

/** The elements of which `theirs` has other values than this page saved, as the questions they could be. */
export function overtakenIn(own: readonly Own[], known: WorkflowDocument, theirs: WorkflowDocument, at: number): readonly Conflict[] {
  return own.flatMap(({ kind, key, before, after, at: savedAt }): Conflict[] => {
    const [was, is] = [elementIn(known, kind, key), elementIn(theirs, kind, key)];
    if (!was || !is || at - savedAt >= REMEMBERED_MS || same(was, is)) return [];
    const [old, mine, seen, now] = [parts(before), parts(after), parts(was), parts(is)];
    const names = [...new Set([...mine.keys(), ...now.keys()])].filter((name) => !same(old.get(name), mine.get(name)) && same(seen.get(name), mine.get(name)) && !same(now.get(name), mine.get(name)));
    return names.length ? [{ kind, key, base: withMembers(is, before, names), mine: withMembers(is, after, names), theirs: is as Sided }] : [];
  });
}

/** Whether the document still has what the other person set. */
export function isStanding({ kind, key, mine, theirs }: Conflict, document: WorkflowDocument): boolean {
  const now = kind === "node" || kind === "edge" ? elementIn(document, kind, key) : undefined;
  if (!now) return false;
  const [is, their] = [parts(now), parts(theirs as unknown as Element)];
  return differing(mine, theirs).every((name) => same(is.get(name), their.get(name)));
}

/** An element as it is now, with the values of this page again. */
export function takenBack({ mine, theirs }: Conflict, now: Element): Element {
  return withMembers(now, mine as unknown as Element, differing(mine, theirs)) as unknown as Element;
}

function differing(a: Sided, b: Sided): string[] {
  const [mine, theirs] = [parts(a as unknown as Element), parts(b as unknown as Element)];
  return [...new Set([...mine.keys(), ...theirs.keys()])].filter((name) => !same(mine.get(name), theirs.get(name)));
}

function elementIn(document: WorkflowDocument, kind: "node" | "edge", key: Key): Element | undefined {
  return find<Element>(kind === "node" ? document.nodes : document.edges, key);
}

// Two people may write into other parts of these.
const OPEN = new Set(["config", "properties"]);
const BETWEEN = "\u0000";

/** The values of an element by name; those of its config by the names of both. */
function parts(element: Element): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(element)) {
    if (SILENT.has(name)) continue;
    if (!OPEN.has(name) || typeof value !== "object" || value === null || Array.isArray(value)) found.set(name, value);
    else for (const [inner, each] of Object.entries(value)) found.set(name + BETWEEN + inner, each);
  }
  return found;
}

/** An element with some values of another; what that does not have is not there. */
function withMembers(element: Element, from: Element, names: readonly string[]): Sided {
  const made: Record<string, unknown> = { ...element };
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
