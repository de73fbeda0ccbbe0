// The fields of the sides of a conflict, with the words that each side changed.

import { groupOf, noteOf } from "./canvas_data";
import type { WorkflowNode } from "./document";

/** A stretch of a text; what was not there before is the same. */
export interface Piece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** A field in which the sides differ: what base, mine and theirs say of it. */
export interface Row {
  readonly label: string;
  /** It has no words. */
  readonly is_json: boolean;
  readonly sides: readonly [base: readonly Piece[], mine: readonly Piece[], theirs: readonly Piece[]];
}

/** A node as its form has it, and what the canvas keeps in it, which no form asks for. */
export function withoutCanvas(node: WorkflowNode): { readonly node: WorkflowNode; readonly group: string; readonly note: string } {
  const { canvas: _, ...free } = node.properties ?? {};
  const { properties: __, position: ___, ...rest } = node;
  return { node: Object.keys(free).length ? { ...rest, properties: free } : rest, group: groupOf(node), note: noteOf(node)?.text ?? "" };
}

/** The pieces line by line, without the line ends. */
export function inLines(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const result: Piece[][] = [[]];
  for (const { kind, text } of pieces) {
    text.split("\n").forEach((line, place) => {
      if (place) result.push([]);
      if (line) result.at(-1)?.push({ kind, text: line });
    });
  }
  return result;
}
