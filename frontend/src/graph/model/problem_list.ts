// The problems of a draft in order, and the element to which each of them belongs.

import type { Element, Key, WorkflowDocument } from "./document";
import { indexOf } from "./document";

const NO_START = "no_start";

/** A problem as far as its place and its order matter. */
export interface Placed {
  readonly message: string;
  readonly pointer?: string;
  readonly code?: string;
  readonly severity?: string;
  readonly node?: string;
  readonly edge?: string;
}

/** A canvas without a node is not wrong, but not begun. */
export function isEmptyDraft({ nodes }: Pick<WorkflowDocument, "nodes">): boolean {
  return !nodes.length;
}

/** The problems without the one that every empty draft has: its canvas says what to do first. */
export function begunProblems<T extends Placed>(problems: readonly T[], document: WorkflowDocument): readonly T[] {
  return isEmptyDraft(document) && problems.some(({ code }) => code === NO_START) ? problems.filter(({ code }) => code !== NO_START) : problems;
}

interface Target {
  readonly kind: "node" | "edge";
  readonly key: Key;
}

/** Notes are no problems: nothing has to be fixed. */
export function countsOf(problems: readonly Placed[]): { readonly errors: number; readonly warnings: number; readonly notes: number } {
  const notes = problems.filter(({ severity }) => severity === "note").length;
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  return { errors: problems.length - notes - warnings, warnings, notes };
}

/** A form that is ahead of the document, as far as its errors matter. */
export interface Unsaved {
  readonly kind: string;
  readonly key: Key;
  readonly errors: readonly { readonly field: string; readonly label: string; readonly message: string }[];
  readonly isRead: boolean;
}

/** An element by its name, the label of its field, and the name of that input. */
interface Field {
  readonly element?: string;
  readonly field: string;
  readonly input: string;
}

/** The errors of forms that cannot be saved as they are, as problems of their elements; `titleOf` names these. */
export function problemsOfForms(typed: { readonly [name: string]: Unsaved }, titleOf: (kind: "node" | "edge", key: Key) => string): (Placed & Field)[] {
  return Object.entries(typed).flatMap(([name, { kind, key, errors, isRead }]) => {
    if (!isRead) return [];
    const place = kind === "node" || kind === "edge" ? { [kind]: key, element: titleOf(kind, key) } : {};
    return errors.map(({ field, label, message }, at) => ({ message, severity: "error", pointer: `form ${name} ${at}`, field: label, input: field, ...place }));
  });
}

/** Problems that say the same of several elements. */
export interface ProblemGroup<T> {
  readonly message: string;
  readonly problems: readonly T[];
}

/** The problems in their order, the same ones together at the place of the first. */
export function grouped<T extends Placed & { readonly field?: string }>(problems: readonly T[]): readonly ProblemGroup<T>[] {
  const groups = new Map<string, T[]>();
  for (const problem of problems) {
    const name = [problem.severity ?? "error", problem.code ?? "", problem.field ?? "", problem.message].join("\n");
    const group = groups.get(name);
    if (group) group.push(problem);
    else groups.set(name, [problem]);
  }
  return [...groups.values()].map((group) => ({ message: (group[0] as T).message, problems: group }));
}

/** What tells a problem from the others of its draft. */
export function nameOfProblem({ pointer, message }: Placed): string {
  return `${pointer ?? ""} ${message}`;
}

/** The element that a problem concerns; null for one of the whole draft, or of an element that is gone. */
export function targetOf(document: WorkflowDocument, { node, edge, pointer = "" }: Placed): Target | null {
  const kind = node !== undefined ? "node" : "edge";
  const id = node ?? edge;
  if (id === undefined) return null;
  const elements: readonly Element[] = kind === "node" ? document.nodes : document.edges;
  const { at, keys } = indexOf(elements);
  // Of two elements with one id exactly the one of the pointer, unless the document went on since.
  const place = Number(pointer.split("/")[2]);
  if (elements[place]?.id === id) return { kind, key: keys[place] as Key };
  return at.has(id) ? { kind, key: id } : null;
}

/**
 * The problem that follows the one named `last`, or with a step of -1 the one before it, round and
 * round; notes and those that lead nowhere are passed over. Null without any.
 */
export function problemAfter<T extends Placed>(problems: readonly T[], document: WorkflowDocument, last: string, step: 1 | -1): T | null {
  const open = problems.filter((each) => each.severity !== "note" && targetOf(document, each) !== null);
  const at = open.findIndex((each) => nameOfProblem(each) === last);
  if (at < 0) return open.at(step === 1 ? 0 : -1) ?? null;
  return open[(at + step + open.length) % open.length] ?? null;
}
