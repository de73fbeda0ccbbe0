// Names for rules and conditions: those that the workflow uses, then those of the previewed conversation.

import type { Json, WorkflowDocument } from "./document";
import { usedNames } from "./used_names";

/** The names in the state of the conversation that the preview shows. */
export interface KnownNames {
  readonly variables: readonly string[];
  readonly metadata: readonly string[];
}

export const NO_NAMES: KnownNames = { variables: [], metadata: [] };

interface Suggestion {
  readonly value: string;
  /** What stands beside it; "" for nothing. */
  readonly label: string;
}

/** A field that takes names: patterns of a section, or a condition. */
export type Named = { readonly section: string } | "condition";

const ROLES = ["system", "user", "assistant", "tool"];
const SILENT: ReadonlySet<string> = new Set(["start", "end"]);
const GROUP = 2; // names with one beginning, from which on a pattern for all of them is worth while
const PATH = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** What a field of a form takes, by its name; `valueOf` gives the value of another one. Null for no names. */
export function namedBy(name: string, valueOf: (name: string) => string): Named | null {
  if (/(?:^|-|_)condition$/.test(name)) return "condition";
  if (/(?:^|-)(?:include|exclude)_patterns$/.test(name) || /^reducers-\d+-pattern$/.test(name)) return { section: "variables" };
  if (!/rules-\d+-pattern$/.test(name)) return null;
  return { section: valueOf(name.replace(/pattern$/, "target")) || "variables" };
}

/** What can be written in a field: first what the workflow uses, then what the conversation has, then what nodes put out. */
export function suggestions(named: Named, known: KnownNames, document: WorkflowDocument): Suggestion[] {
  const used = usedNames(document);
  if (named === "condition") {
    const written = used.variables.filter((name) => !used.conditions.includes(name));
    const names = [...used.conditions, ...written, ...known.variables, ...outputs(document).keys()];
    return plain(names.filter((name) => PATH.test(name)).map((name) => `context.${name}`));
  }
  switch (named.section) {
    case "variables":
      return plain([...used.variables, ...groups(known.variables), ...known.variables, ...outputs(document).keys()], outputs(document));
    case "metadata":
      return plain([...used.metadata, ...groups(known.metadata), ...known.metadata]);
    case "history":
      return [...new Map(document.nodes.map((node) => [node.id, { value: node.id, label: node.name ?? "" }])).values()];
    case "messages":
      return plain(ROLES);
    default:
      return [];
  }
}

/** Each value once, with the label that it has. */
function plain(values: readonly string[], labels: ReadonlyMap<string, string> = new Map()): Suggestion[] {
  return [...new Set(values)].map((value) => ({ value, label: labels.get(value) ?? "" }));
}

/** The variables that nodes write (semantics 3.5), with their names. */
function outputs({ nodes }: WorkflowDocument): Map<string, string> {
  const writing = nodes.filter(({ type }) => !SILENT.has(type));
  return new Map(writing.map(({ id, name = "" }) => [`${id}_output`, name]));
}

/** Patterns for names that begin alike: `fact.*` for `fact.order` and `fact.status`. */
function groups(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const dot = name.indexOf(".");
    if (dot > 0) counts.set(name.slice(0, dot), (counts.get(name.slice(0, dot)) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= GROUP).map(([name]) => `${name}.*`);
}

/** The names in a pasted context; none in one that is not written to its end. */
export function namesIn(text: string): KnownNames {
  try {
    const context = JSON.parse(text) as Json;
    return { variables: keysOf(context, "variables"), metadata: keysOf(context, "metadata") };
  } catch {
    return NO_NAMES;
  }
}

function keysOf(context: Json, section: string): string[] {
  const found = isRecord(context) ? context[section] : undefined;
  return found !== undefined && isRecord(found) ? Object.keys(found).sort() : [];
}

function isRecord(value: Json): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text with a suggestion in it: of patterns on a line of its own, of a condition where one types. */
export function withSuggestion(text: string, at: number, value: string, named: Named): { readonly text: string; readonly at: number } {
  if (named === "condition") return { text: text.slice(0, at) + value + text.slice(at), at: at + value.length };
  const lines = text.split("\n").filter((line) => line.trim());
  const whole = [...lines, value].join("\n");
  return { text: whole, at: whole.length };
}
