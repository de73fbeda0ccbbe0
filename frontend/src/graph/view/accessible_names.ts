// Cards and edges as sentences, for screen readers.

import { named } from "../../state/model/hidden";
import type { CostWords, EdgeWords } from "../io/server";
import type { WorkflowDocument, WorkflowEdge } from "../model/document";
import { find } from "../model/document";
import type { Author, Marked } from "../store";
import { t, tn } from "../texts";
import type { CardData, LineData } from "./flow";

/** What a node is called; what is hidden in its name, or turns what stands around it, is named. */
export function titleOf(node: { readonly id: string; readonly name?: string }): string {
  return named(node.name?.trim() || node.id);
}

/** The names of nodes by their ids; of nodes of the same id the first. */
export function namesOf<T extends { readonly id: string; readonly name?: string }>(nodes: readonly T[]): Map<string, string> {
  return new Map([...nodes].reverse().map((node) => [node.id, titleOf(node)]));
}

/** Who changed something, at the beginning of a sentence. */
export function calledAuthor(by: Author | null): string {
  return by?.isMe ? t("Your other tab") : by ? named(by.name) : t("Someone else");
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

/** A text of many lines, with what is hidden in it named. */
export function inLines(text: string): string {
  return text.split(/\r\n|\r|\n/).map(named).join("\n");
}

/** A text in one line, with what is hidden in it named. */
export function inLine(text: string): string {
  return named(text.replace(/[\t\n\r ]+/g, " "));
}

/** The condition of an edge as a chip has it. */
export function conditionOf(edge: Pick<WorkflowEdge, "condition"> | undefined): string {
  return edge?.condition ? t("if {condition}", { condition: inLine(edge.condition.replaceAll("context.", "")) }) : "";
}

export function weightOf({ weight }: Pick<WorkflowEdge, "weight">): string {
  return weight === undefined ? "" : t("weight {n}", { n: weight });
}

/** What the chips of an edge say, one text for each: its mark alone, or all that is set. */
export function chipTexts({ edge, words, cost, mark }: Pick<LineData, "edge" | "words" | "cost" | "mark">): string[] {
  if (mark) return [mark.text];
  return [conditionOf(edge), ...(words?.chips ?? []).map(inLine), cost?.line ?? "", weightOf(edge)].filter(Boolean);
}

export function spokenNode({ node, words, kind, mark, cost }: Pick<CardData, "node" | "words" | "kind" | "mark"> & Partial<Pick<CardData, "cost">>, group: string): string {
  const context = words?.context_label ?? node.context_type ?? kind?.context_type ?? "";
  const parts = [`${titleOf(node)}, ${kind?.label ?? words?.type_label ?? node.type}`];
  if (mark) parts.push(mark.text);
  if (titleOf(node) !== node.id) parts.push(t("node {id}", { id: node.id }));
  if (context) parts.push(t("sees {what}", { what: context }));
  if (words?.filter.length) parts.push(words.filter.join(", "));
  if (cost?.line) parts.push(cost.warning || cost.line);
  if (group) parts.push(t("in group {name}", { name: group }));
  const count = words?.problems.length ?? 0;
  if (count) parts.push(`${tn("{n} problem", "{n} problems", count)}: ${words?.problems.join("; ")}`);
  return inLine(parts.join(", "));
}

export function spokenEdge(edge: WorkflowEdge, [from, to]: Ends, words: EdgeWords | undefined, mark?: Marked, cost?: CostWords): string {
  const parts = [t("Edge from {from} to {to}", { from, to }), words?.label ?? edge.type];
  if (mark) parts.push(mark.text);
  if (edge.condition) parts.push(t("if {condition}", { condition: edge.condition }));
  parts.push(weightOf(edge));
  if (words?.chips.length) parts.push(words.chips.join(", "));
  if (cost?.line) parts.push(cost.warning || cost.line);
  if (words?.problems.length) parts.push(words.problems.join("; "));
  return inLine(parts.filter(Boolean).join(", "));
}
