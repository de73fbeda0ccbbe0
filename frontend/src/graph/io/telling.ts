// Asks for the words of what the sides of conflicts say, a few conflicts at a time.

import type { WorkflowEdge, WorkflowNode } from "../model/document";
import type { Conflict, Sided } from "../model/merge";
import { nameOf } from "../model/merge";
import { type Said, type Words, withoutCanvas } from "../model/sides";
import { t } from "../texts";
import type { Names, Server } from "./server";

/** What base, mine and theirs of a conflict say. */
export type Told = readonly [base: Words, mine: Words, theirs: Words];

// A form is made for each of their sides, in some hundredths of a second.
const AT_ONCE = 5;

/** The words of each conflict by its name, as they come; of some that cannot be had all are null. */
export async function tell(server: Pick<Server, "sides">, conflicts: readonly Conflict[], names: ReadonlyMap<string, string>, signal: AbortSignal, hear: (name: string, told: Told) => void): Promise<void> {
  for (let start = 0; start < conflicts.length && !signal.aborted; start += AT_ONCE) {
    const some = conflicts.slice(start, start + AT_ONCE);
    const told = await words(server, some, names, signal).catch(() => some.map((): Told => [null, null, null]));
    if (!signal.aborted) some.forEach((conflict, place) => hear(nameOf(conflict), told[place] as Told));
  }
}

async function words(server: Pick<Server, "sides">, conflicts: readonly Conflict[], names: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Told[]> {
  const nodes: WorkflowNode[] = [];
  const edges: WorkflowEdge[] = [];
  const sidesOf = ({ base, mine, theirs }: Conflict): readonly Sided[] => [base, mine, theirs];
  for (const conflict of conflicts) {
    const there = sidesOf(conflict).filter((side) => side !== undefined);
    if (conflict.kind === "node") nodes.push(...there.map((side) => withoutCanvas(side as WorkflowNode).node));
    if (conflict.kind === "edge") edges.push(...there.map((side) => side as WorkflowEdge));
  }
  const said = nodes.length + edges.length ? await server.sides(nodes, edges, endsOf(edges, names), signal) : { nodes: [], edges: [] };
  let [node, edge] = [0, 0];
  return conflicts.map(({ kind, ...conflict }) => {
    const one = (side: Sided): Words => {
      if (side === undefined) return undefined;
      if (kind === "node") return onCanvas(said.nodes[node++] ?? null, side as WorkflowNode);
      if (kind === "edge") return said.edges[edge++] ?? null;
      return [line(kind === "name" ? t("Name") : t("Reducer"), String(side))];
    };
    return [one(conflict.base), one(conflict.mine), one(conflict.theirs)];
  });
}

/** The names of the nodes where edges begin and end. */
function endsOf(edges: readonly WorkflowEdge[], names: ReadonlyMap<string, string>): Names {
  const ends = edges.flatMap(({ from, to }) => [from, to]);
  return Object.fromEntries(ends.flatMap((id) => (names.has(id) ? [[id, names.get(id) as string]] : [])));
}

function onCanvas(said: readonly Said[] | null, side: WorkflowNode): Words {
  const { group, note } = withoutCanvas(side);
  return said && [...said, ...(group ? [line(t("Group on the canvas"), group)] : []), ...(note ? [line(t("Note on the canvas"), note)] : [])];
}

function line(label: string, text: string): Said {
  return { label, lines: text.split("\n"), is_json: false };
}
