// Requests the texts of the sides of conflicts, a few conflicts at a time.

import type { WorkflowDocument, WorkflowEdge, WorkflowNode } from "../model/document";
import type { Conflict, Sided } from "../model/merge";
import { nameOf } from "../model/merge";
import { type Row, withoutCanvas } from "../model/sides";
import { t } from "../texts";
import type { ConflictAsked, Names, Server, SideAsked } from "./server";

/** The fields in which the sides of a conflict differ; null if one of them has no words. */
export type Told = readonly Row[] | null;

// A form is made for each of their sides, in some hundredths of a second.
const AT_ONCE = 5;

/** The words of each conflict by its name, as they come; null for those that cannot be had. */
export async function tell(server: Pick<Server, "sides">, conflicts: readonly Conflict[], names: ReadonlyMap<string, string>, signal: AbortSignal, hear: (name: string, told: Told) => void): Promise<void> {
  for (let start = 0; start < conflicts.length && !signal.aborted; start += AT_ONCE) {
    const some = conflicts.slice(start, start + AT_ONCE);
    const told = await server.sides(some.map(asked), endsOf(some, names), signal).catch(() => []);
    if (!signal.aborted) some.forEach((conflict, place) => hear(nameOf(conflict), told[place] ?? null));
  }
}

/** What nodes are called, by id; with the id beside it where several have one name. */
export function namesOf(documents: readonly WorkflowDocument[]): Map<string, string> {
  const names = new Map(documents.flatMap(({ nodes }) => nodes.flatMap(({ id, name }): [string, string][] => (name?.trim() ? [[id, name]] : []))));
  const count = new Map<string, number>();
  for (const name of names.values()) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map([...names].map(([id, name]) => [id, (count.get(name) ?? 0) > 1 ? `${name} (${id})` : name]));
}

function asked({ kind, base, mine, theirs }: Conflict): ConflictAsked {
  const one = (side: Sided): SideAsked | undefined => {
    if (side === undefined) return undefined;
    if (kind === "node") return onCanvas(side as WorkflowNode);
    if (kind === "edge") return { element: side as WorkflowEdge };
    return { texts: { [kind === "name" ? t("Name") : t("Reducer")]: String(side) } };
  };
  return { kind: kind === "node" || kind === "edge" ? kind : "text", base: one(base), mine: one(mine), theirs: one(theirs) };
}

/** The names of the nodes where edges begin and end. */
function endsOf(conflicts: readonly Conflict[], names: ReadonlyMap<string, string>): Names {
  const edges = conflicts.flatMap(({ kind, base, mine, theirs }) => (kind === "edge" ? [base, mine, theirs] : [])) as readonly (WorkflowEdge | undefined)[];
  const ends = edges.flatMap((edge) => (edge ? [edge.from, edge.to] : []));
  return Object.fromEntries(ends.flatMap((id) => (names.has(id) ? [[id, names.get(id) as string]] : [])));
}

function onCanvas(side: WorkflowNode): SideAsked {
  const { node, group, note } = withoutCanvas(side);
  return { element: node, texts: { ...(group ? { [t("Group on the canvas")]: group } : {}), ...(note ? { [t("Note on the canvas")]: note } : {}) } };
}
