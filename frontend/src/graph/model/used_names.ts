// The names of the state that a workflow itself uses: in rules, patterns, conditions and reducers.

import type { Json, JsonObject, WorkflowDocument } from "./document";

/** Names and patterns as they are written; each once, in the order of the document. */
export interface UsedNames {
  readonly variables: readonly string[];
  readonly metadata: readonly string[];
  readonly conditions: readonly string[];
}

// What a condition reads of the messages, and not of the state (workflows/domain/conditions/condition.py).
const FIGURES = new Set(["tokens", "messages", "turns", "last_role"]);
const TEXTS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g;
const NAMES = /\b(context|variables|metadata)((?:\s*\.\s*[A-Za-z_$][\w$]*)+)\s*(\()?/g;
const QUOTED = /\b(?:context|variables)\s*\[\s*(?:'([^'\\]+)'|"([^"\\]+)")\s*\]/g;

const used = new WeakMap<WorkflowDocument, UsedNames>();

export function usedNames(document: WorkflowDocument): UsedNames {
  const known = used.get(document);
  if (known) return known;
  const variables = new Set<string>();
  const metadata = new Set<string>();
  const conditions = new Set<string>();
  const condition = (text: Json | undefined): void => {
    if (typeof text !== "string") return;
    for (const name of namesInCondition(text)) {
      conditions.add(name);
      variables.add(name);
    }
  };
  const rule = (each: JsonObject): void => {
    const section = each.target ?? "variables";
    const names = section === "variables" ? variables : section === "metadata" ? metadata : null;
    for (const name of [each.pattern, each.rename]) if (typeof name === "string" && name) names?.add(name);
    condition(each.condition);
  };
  for (const node of document.nodes) {
    const filters = [node.context_filter, node.outgoing_filter].flatMap((each) => (Array.isArray(each) ? (each as readonly Json[]) : each === undefined ? [] : [each]));
    for (const filter of filters) for (const each of listIn(filter, "rules", "filterRules", "filter_rules")) if (isRecord(each)) rule(each);
  }
  for (const edge of document.edges) {
    condition(edge.condition);
    const filter = edge.context_filter ?? null;
    for (const name of [...listIn(filter, "include_patterns", "includePatterns"), ...listIn(filter, "exclude_patterns", "excludePatterns")]) {
      if (typeof name === "string" && name) variables.add(name);
    }
    for (const each of listIn(filter, "transform_rules", "transformRules")) if (isRecord(each)) rule(each);
    condition(edge.context_filter?.condition);
  }
  for (const name of Object.keys(document.reducers ?? {})) variables.add(name);
  for (const each of [variables, metadata]) each.delete("*");
  const found = { variables: [...variables], metadata: [...metadata], conditions: [...conditions] };
  used.set(document, found);
  return found;
}

/** What a condition reads of the state: `missing` of `context.missing.length > 0`. */
export function namesInCondition(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, one, other]) => one ?? other ?? "");
  const plain = [...text.replace(TEXTS, "''").matchAll(NAMES)].flatMap(([, root, path = "", call]) => {
    const steps = path.split(".").map((step) => step.trim()).filter(Boolean);
    if (call || steps.at(-1) === "length") steps.pop();
    const isFigure = root === "context" && FIGURES.has(steps[0] ?? "");
    return steps.length && root !== "metadata" && !isFigure ? [steps.join(".")] : [];
  });
  return [...new Set([...plain, ...quoted])];
}

function listIn(filter: Json, ...names: readonly string[]): readonly Json[] {
  const found = isRecord(filter) ? names.map((name) => filter[name]).find(Array.isArray) : undefined;
  return (found as readonly Json[] | undefined) ?? [];
}

function isRecord(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
