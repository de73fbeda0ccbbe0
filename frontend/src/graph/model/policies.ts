// The messages that an element lets a model see, as the few choices that most people make.

import type { Element, Json, JsonObject } from "./document";
import { isObject, same } from "./document";

/** "custom" is what only the form can say. */
export type PolicyForm = "all" | "last" | "budget" | "custom";

export interface Policy {
  readonly form: PolicyForm;
  /** Messages that "last" keeps. */
  readonly count: number;
  /** Tokens above which "budget" cuts, and to which. */
  readonly most: number;
  readonly target: number;
  readonly keepsSystem: boolean;
  readonly dropsTools: boolean;
}

export const USUAL: Policy = { form: "all", count: 6, most: 6_000, target: 4_000, keepsSystem: true, dropsTools: false };
export const MOST_NUMBER = 1_000_000;

const NO_TOOLS: JsonObject = { operation: "filter", filter: { roles: ["system", "user", "assistant"] }, pairing: "drop" };

/** A typed number of messages or tokens; null for what is none from `least` to `most`. */
export function amountOf(typed: string, least: number, most: number): number | null {
  const text = typed.trim();
  const number = Number(text);
  return /^[0-9]+$/.test(text) && number >= least && number <= most ? number : null;
}

/** To what a budget cuts: a wish below its maximum, else two thirds of that. */
export function targetBelow(most: number, wished: number): number {
  return wished < most ? wished : Math.max(1, Math.floor((most * USUAL.target) / USUAL.most));
}

/** The policy of a node or an edge; of a list of filters only the form can tell. */
export function policyOf(element: Element): Policy {
  const filter = element.context_filter;
  if (filter === undefined || filter === null) return USUAL;
  if (!isObject(filter)) return { ...USUAL, form: "custom" };
  const operations = filter.messages ?? [];
  return Array.isArray(operations) ? policyIn(operations as readonly Json[]) : { ...USUAL, form: "custom" };
}

/** Whether operations are one of the choices as a whole. */
export function isPolicy(operations: readonly Json[]): boolean {
  return policyIn(operations).form !== "custom";
}

function policyIn(operations: readonly Json[]): Policy {
  const dropsTools = operations.length > 0 && same(operations[0], NO_TOOLS);
  const rest = operations.slice(dropsTools ? 1 : 0);
  if (!rest.length) return { ...USUAL, dropsTools };
  const read = rest.length === 1 ? operationOf(rest[0] as Json) : null;
  return read ? { ...USUAL, ...read, dropsTools } : { ...USUAL, form: "custom" };
}

/** The element with a policy; everything else that its filter says stays. */
export function withPolicy<T extends Element>(element: T, policy: Policy): T {
  if (policy.form === "custom") return element;
  const operations = [...(policy.dropsTools ? [NO_TOOLS] : []), ...operationsOf(policy)];
  const before = isObject(element.context_filter) ? element.context_filter : {};
  const { messages: _, ...others } = before;
  const base = "from" in element && !("type" in others) ? { type: "pass_all", ...others } : others;
  const filter = operations.length ? { ...base, messages: operations } : base;
  const { context_filter: __, ...rest } = element;
  const says = Object.keys(filter).length > 0 && !same(filter as Json, { type: "pass_all" });
  return (says ? { ...rest, context_filter: filter } : rest) as unknown as T;
}

/** Whether an element can have such a policy: the context processor has an operation of its own. */
export function takesPolicy(element: Element): boolean {
  if ("from" in element) {
    const filter = element.context_filter;
    return !isObject(filter) || filter.type !== "block_all";
  }
  return !["start", "end", "context_processor"].includes(element.type);
}

function operationsOf({ form, count, most, target, keepsSystem }: Policy): readonly JsonObject[] {
  if (form === "last") {
    return [{ operation: "truncate", truncate: { keep_last: count, ...(keepsSystem ? { keep_system: true } : {}) }, pairing: "keep" }];
  }
  if (form === "budget") {
    const block = { max_tokens: most, target_tokens: targetBelow(most, target), ...(keepsSystem ? {} : { keep_system: false }) };
    return [{ operation: "budget", budget: block, pairing: "keep" }];
  }
  return [];
}

/** What one operation says, or null if the choices cannot say it. */
function operationOf(operation: Json): Partial<Policy> | null {
  if (!isObject(operation)) return null;
  const { truncate, budget } = operation;
  let read: Partial<Policy> | null = null;
  if (isObject(truncate) && isCount(truncate.keep_last)) {
    read = { form: "last", count: truncate.keep_last, keepsSystem: truncate.keep_system === true };
  } else if (isObject(budget) && isCount(budget.max_tokens) && isCount(budget.target_tokens)) {
    read = { form: "budget", most: budget.max_tokens, target: budget.target_tokens, keepsSystem: budget.keep_system !== false };
  }
  // Exactly what the choices would write, or the form has more to say.
  return read && same(operationsOf({ ...USUAL, ...read })[0] as Json, operation) ? read : null;
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}
