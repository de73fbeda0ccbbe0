// Cards and edges as sentences, for screen readers.

import { named } from "../../state/model/hidden";
import type { CostWords, EdgeWords } from "../io/server";
import type { WorkflowEdge } from "../model/document";
import { type Ends, titleOf } from "../model/element_names";
import type { Author, Marked } from "../store";
import { t, tn } from "../texts";
import type { CardData, LineData } from "./flow";

/** Who changed something, at the beginning of a sentence. */
export function calledAuthor(by: Author | null): string {
  return by?.isMe ? t("Your other tab") : by ? named(by.name) : t("Someone else");
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

/** What the chips of an edge say, one text for each: its mark alone, or all that is set, in short or at full length. */
export function chipTexts({ edge, words, cost, mark }: Pick<LineData, "edge" | "words" | "cost" | "mark">, length: "chips" | "whole" = "chips"): string[] {
  if (mark) return [mark.text];
  return [conditionOf(edge), ...(words?.[length] ?? []).map(inLine), cost?.line ?? "", weightOf(edge)].filter(Boolean);
}

/** What a node sees, in words: those of its type until the server has told them. */
export function contextOf({ context_type: own }: Pick<CardData["node"], "context_type">, kind: CardData["kind"], words: CardData["words"]): string {
  return words?.context_label ?? (own && own !== kind?.context_type ? own : (kind?.context_label ?? ""));
}

export function spokenNode({ node, words, kind, mark, cost }: Pick<CardData, "node" | "words" | "kind" | "mark"> & Partial<Pick<CardData, "cost">>, group: string): string {
  const context = contextOf(node, kind, words);
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

/** What a policy costs, for a tooltip; `more` follows. */
export function costTitle(cost: CostWords, more = ""): string {
  return inLine([cost.warning, cost.said, cost.basis, more].filter(Boolean).join(" "));
}

/** What a tooltip says of the cost of a card that has no row of its own for it; empty without any. */
export function hiddenCost({ cost, mark, tried }: Pick<CardData, "cost" | "mark" | "tried">): string {
  return cost?.line && !mark && !tried ? costTitle(cost) : "";
}

export function spokenEdge(edge: WorkflowEdge, [from, to]: Ends, words: EdgeWords | undefined, mark?: Marked, cost?: CostWords): string {
  const parts = [t("Edge from {from} to {to}", { from, to }), words?.label ?? edge.type];
  if (mark) parts.push(mark.text);
  if (edge.condition) parts.push(t("if {condition}", { condition: edge.condition }));
  parts.push(weightOf(edge));
  if (words?.whole.length) parts.push(words.whole.join(", "));
  if (cost?.line) parts.push(cost.warning || cost.line);
  if (words?.problems.length) parts.push(words.problems.join("; "));
  return inLine(parts.filter(Boolean).join(", "));
}
