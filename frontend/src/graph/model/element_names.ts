// What people call nodes and edges: a node by its name, an edge by those of its nodes.

import { named } from "../../state/model/hidden";
import type { WorkflowDocument, WorkflowEdge, WorkflowNode } from "./document";
import { find } from "./document";
import type { ElementKind, Value } from "./form_edits";
import { t } from "../texts";

/** What a node is called; what is hidden in its name, or turns what stands around it, is named. */
export function titleOf(node: { readonly id: string; readonly name?: string }): string {
  return named(node.name?.trim() || node.id);
}

/** The names of nodes by their ids; of nodes of the same id the first. */
export function namesOf<T extends { readonly id: string; readonly name?: string }>(nodes: readonly T[]): Map<string, string> {
  return new Map([...nodes].reverse().map((node) => [node.id, titleOf(node)]));
}

/** What the nodes of an edge are called. */
export type Ends = readonly [from: string, to: string];

/** An edge by the names of its nodes. */
export function endsOf(nodes: readonly { readonly id: string; readonly name?: string }[], { from, to }: Pick<WorkflowEdge, "from" | "to">): string {
  const nameOf = (id: string): string => {
    const node = nodes.find((each) => each.id === id);
    return node ? titleOf(node) : named(id) || "?";
  };
  return `${nameOf(from)} → ${nameOf(to)}`;
}

/** What people call the element that someone has selected; null for one that is not here. */
export function nameOfPlace({ nodes, edges }: WorkflowDocument, where: string): string | null {
  const [kind, key] = [where.slice(0, where.indexOf(":")), where.slice(where.indexOf(":") + 1)];
  const node = kind === "node" ? find(nodes, key) : undefined;
  const edge = kind === "edge" ? find(edges, key) : undefined;
  return node ? titleOf(node) : edge ? endsOf(nodes, edge) : null;
}

/** What a form is about, in the words of a step: "Edit Answer". */
export function nameOfForm({ nodes }: Pick<WorkflowDocument, "nodes">, kind: ElementKind, value: Value): string {
  if (kind === "node") return titleOf(value as WorkflowNode);
  if (kind === "edge") return endsOf(nodes, value as WorkflowEdge);
  return kind === "reducers" ? t("reducers") : t("workflow");
}
