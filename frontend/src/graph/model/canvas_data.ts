// What the canvas keeps in a node's free `properties.canvas`: its group and its note.

import { grouped, t } from "../texts";
import type { JsonObject, WorkflowNode } from "./document";

/** A note beside a node; `x` and `y` count from the node's corner. */
export interface Note {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const NOTE_STANDS = { x: 0, y: -96 };
const LONGEST_NOTE = 2000;
// All but tab and newline.
const CONTROL = /[^\P{Cc}\t\n]/u;

function canvasOf(node: WorkflowNode): JsonObject {
  const found = node.properties?.canvas;
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as JsonObject) : {};
}

export function groupOf(node: WorkflowNode): string {
  const { group } = canvasOf(node);
  return typeof group === "string" ? group : "";
}

export function noteOf(node: WorkflowNode): Note | null {
  const { note } = canvasOf(node);
  if (typeof note !== "object" || note === null || Array.isArray(note)) return null;
  const { text, x, y } = note as JsonObject;
  if (typeof text !== "string") return null;
  return { text, x: typeof x === "number" ? x : NOTE_STANDS.x, y: typeof y === "number" ? y : NOTE_STANDS.y };
}

export function withGroup(node: WorkflowNode, group: string): WorkflowNode {
  return withCanvas(node, "group", group || null);
}

/** Why a text is not taken as a note; empty for one that is. */
export function faultOfNote(text: string): string {
  const { length } = [...text];
  if (length > LONGEST_NOTE) return t("Not saved. A note has at most {most} characters, this one has {n}.", { most: grouped(LONGEST_NOTE), n: grouped(length) });
  return CONTROL.test(text) ? t("Not saved. A note has no control characters.") : "";
}

/** With the text of its note, which stays where it stands; an empty text takes the note away. */
export function withNote(node: WorkflowNode, text: string): WorkflowNode {
  const { x, y } = noteOf(node) ?? NOTE_STANDS;
  return withCanvas(node, "note", text ? { text, x, y } : null);
}

export function withNoteAt(node: WorkflowNode, x: number, y: number): WorkflowNode {
  const note = noteOf(node);
  return note ? withCanvas(node, "note", { text: note.text, x: Math.round(x), y: Math.round(y) }) : node;
}

function withCanvas(node: WorkflowNode, name: string, value: JsonObject | string | null): WorkflowNode {
  const { [name]: _, ...others } = canvasOf(node);
  const canvas = value === null ? others : { ...others, [name]: value };
  const { canvas: __, ...free } = node.properties ?? {};
  const properties = Object.keys(canvas).length ? { ...free, canvas } : free;
  const { properties: ___, ...rest } = node;
  return Object.keys(properties).length ? { ...rest, properties } : rest;
}
