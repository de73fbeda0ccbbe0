// A list or object of JSON that is short and mostly of plain values: its fields, and its text with
// some of them changed. All else of the text stays as it was written: no number is rounded.

import { Kind, nameOf, NotJson, scan, type Scanned } from "../../state/model/scan";

/** `json` is a list or an object within. */
export type FieldKind = "text" | "number" | "boolean" | "null" | "json";

/** `name` is null in lists; `text` is what stands in the input. */
export interface Field {
  readonly name: string | null;
  readonly kind: FieldKind;
  readonly text: string;
}

interface Shallow {
  readonly isList: boolean;
  readonly fields: readonly Field[];
}

export const MOST_FIELDS = 20;
const MOST_TEXT = 2000; // characters of a field; a longer text is edited as JSON
const KINDS: { readonly [kind: number]: FieldKind } = { [Kind.String]: "text", [Kind.Number]: "number", [Kind.Boolean]: "boolean", [Kind.Null]: "null", [Kind.Array]: "json", [Kind.Object]: "json" };

/** The fields of a JSON text; null if it is none, or no short list or object of plain values. */
export function shallowOf(text: string): Shallow | null {
  const found = scanned(text);
  if (found === null || found.count[0]! > MOST_FIELDS) return null;
  const isList = found.kind[0] === Kind.Array;
  if (!isList && found.kind[0] !== Kind.Object) return null;
  const fields: Field[] = [];
  for (const at of placesIn(found)) {
    const kind = KINDS[found.kind[at]!]!;
    const raw = text.slice(found.start[at], found.end[at]);
    if (raw.length > MOST_TEXT) return null;
    const field = { name: isList ? null : nameOf(found, at), kind, text: kind === "text" ? (JSON.parse(raw) as string) : raw };
    if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(field.text)) return null; // an input would not keep it
    fields.push(field);
  }
  if (2 * fields.filter(({ kind }) => kind === "json").length > fields.length) return null; // as JSON it is as plain
  const names = new Set(fields.map(({ name }) => name));
  return isList || names.size === fields.length ? { isList, fields } : null;
}

/** The places of what is directly in the whole. */
function placesIn(found: Scanned): number[] {
  const places: number[] = [];
  for (let at = 1; at < found.length; at = found.next[at]!) places.push(at);
  return places;
}

function scanned(text: string): Scanned | null {
  try {
    return scan(text);
  } catch (error) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Whether a field says a value of its kind: a number that is none makes the whole no JSON. */
export function isWrong({ kind, text }: Field): boolean {
  return kind === "number" && !NUMBER.test(text.trim());
}

/** A value as it stands in JSON; a number as it was typed, also if it is none yet. */
export function jsonOf({ kind, text }: Field): string {
  if (kind === "text") return JSON.stringify(text);
  return kind === "null" ? "null" : text.trim();
}

/** The text with other values at the places of `fields` that differ from it; it may be no JSON then. */
export function withValues(text: string, fields: readonly Field[]): string {
  const [found, before] = [scan(text), shallowOf(text)?.fields ?? []];
  const places = placesIn(found);
  let made = "";
  let at = 0;
  fields.forEach((field, place) => {
    const { kind, text: was } = before[place] ?? { kind: "", text: "" };
    if (kind === field.kind && was === field.text) return;
    made += text.slice(at, found.start[places[place]!]) + jsonOf(field);
    at = found.end[places[place]!]!;
  });
  return made + text.slice(at);
}

/** The text without the field at a place, or with one more; laid out as the server does. */
export function withoutField(text: string, place: number): string {
  return laidOut(text, (parts) => parts.filter((_, at) => at !== place));
}

export function withField(text: string, field: Field): string {
  const json = jsonOf(field);
  return laidOut(text, (parts) => [...parts, field.name === null ? json : `${JSON.stringify(field.name)}: ${json}`]);
}

function laidOut(text: string, change: (parts: readonly string[]) => readonly string[]): string {
  const found = scan(text);
  const [open, close] = found.kind[0] === Kind.Array ? ["[", "]"] : ["{", "}"];
  const parts: string[] = [];
  for (const at of placesIn(found)) {
    const value = text.slice(found.start[at], found.end[at]);
    const key = found.keyStart[at]! < 0 ? "" : `${text.slice(found.keyStart[at], found.keyEnd[at])}: `;
    parts.push(key + value);
  }
  const made = change(parts);
  return made.length ? `${open}\n${made.map((part) => `  ${part}`).join(",\n")}\n${close}` : `${open}${close}`;
}
