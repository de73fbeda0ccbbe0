// What the sides of a conflict say, field by field, and what each changed of the words before.

import { groupOf, noteOf } from "./canvas_data";
import type { WorkflowNode } from "./document";
import { same } from "./document";

/** What one field says: a text in lines, or a list with a line for each row. */
export interface Said {
  readonly label: string;
  readonly lines: readonly string[];
  /** It has no words. */
  readonly is_json: boolean;
}

/** What an element says: null if it has no words, undefined if it is not there. */
export type Words = readonly Said[] | null | undefined;

/** A field in which the sides differ; nothing in it is no line. */
export interface Row {
  readonly label: string;
  readonly isJson: boolean;
  readonly sides: readonly (readonly string[])[];
}

export interface Part {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

// Of longer texts all is gone and all is new: comparing them would hold the page up.
const MOST = 250_000;

/** The fields in which those sides differ that are there; null if one of them has no words. */
export function differing(sides: readonly Words[]): readonly Row[] | null {
  if (sides.some((side) => side === null)) return null;
  const told = sides.map((side) => new Map((side ?? []).map((each) => [each.label, each])));
  const there = told.filter((_, place) => sides[place] !== undefined);
  const labels = new Set(told.flatMap((side) => [...side.keys()]));
  const lines = (side: ReadonlyMap<string, Said>, label: string): readonly string[] => side.get(label)?.lines ?? [];
  return [...labels].flatMap((label) => {
    const [first] = there;
    if (!first || there.every((side) => same(lines(side, label), lines(first, label)))) return [];
    const isJson = there.some((side) => side.get(label)?.is_json);
    return [{ label, isJson, sides: told.map((side) => lines(side, label)) }];
  });
}

/** A node as its form has it, and what the canvas keeps in it, which no form asks for. */
export function withoutCanvas(node: WorkflowNode): { readonly node: WorkflowNode; readonly group: string; readonly note: string } {
  const { canvas: _, ...free } = node.properties ?? {};
  const { properties: __, position: ___, ...rest } = node;
  return { node: Object.keys(free).length ? { ...rest, properties: free } : rest, group: groupOf(node), note: noteOf(node)?.text ?? "" };
}

/** The lines of both, in their order; in a line that became another one, word by word. */
export function changed(before: readonly string[], after: readonly string[]): readonly (readonly Part[])[] {
  const result: Part[][] = [];
  let gone: string[] = [];
  let come: string[] = [];
  const close = (): void => {
    for (let place = 0; place < Math.max(gone.length, come.length); place += 1) result.push(...inLine(gone[place], come[place]));
    [gone, come] = [[], []];
  };
  for (const { kind, text } of aligned(before, after)) {
    if (kind === "gone") gone.push(text);
    else if (kind === "new") come.push(text);
    else {
      close();
      result.push([{ kind, text }]);
    }
  }
  close();
  return result;
}

function inLine(before: string | undefined, after: string | undefined): Part[][] {
  if (before === undefined || after === undefined) {
    return before !== undefined ? [[{ kind: "gone", text: before }]] : [[{ kind: "new", text: after as string }]];
  }
  const parts = joined(aligned(wordsIn(before), wordsIn(after)));
  const isOther = !parts.some(({ kind, text }) => kind === "same" && /[\p{L}\p{N}]/u.test(text));
  return isOther ? [[{ kind: "gone", text: before }], [{ kind: "new", text: after }]] : [parts];
}

/** Words, spaces and signs; of scripts without spaces each letter is a word. */
function wordsIn(text: string): string[] {
  return text.match(/[\p{Script=Han}]|[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.kind === part.kind) result[result.length - 1] = { ...part, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}

/** Both lists in one, with as much of them the same as can be. */
function aligned(before: readonly string[], after: readonly string[]): Part[] {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > MOST) return [...before.map((text): Part => ({ kind: "gone", text })), ...after.map((text): Part => ({ kind: "new", text }))];
  const width = columns + 1;
  // How much is the same from a place of each on.
  const left = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const [down, right, both] = [left[(row + 1) * width + column] as number, left[row * width + column + 1] as number, left[(row + 1) * width + column + 1] as number];
      left[row * width + column] = before[row] === after[column] ? both + 1 : Math.max(down, right);
    }
  }
  const result: Part[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column]) {
      result.push({ kind: "same", text: before[row] as string });
      row += 1;
      column += 1;
    } else if (row < rows && (column === columns || (left[(row + 1) * width + column] as number) >= (left[row * width + column + 1] as number))) {
      result.push({ kind: "gone", text: before[row] as string });
      row += 1;
    } else {
      result.push({ kind: "new", text: after[column] as string });
      column += 1;
    }
  }
  return result;
}
