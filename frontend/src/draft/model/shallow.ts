// A list or object of JSON that is short and mostly of plain values, or of short lists and objects of
// them: its fields, and its text with some of them changed. All else of the text stays as it was
// written: no number is rounded.

import { Kind, nameOf, NotJson, scan, type Scanned } from "../../state/model/scan";

/** `json` is a list or an object within that has no fields of its own here. */
export type FieldKind = "text" | "number" | "boolean" | "null" | "json";

/** `name` is null in lists; `text` is what stands in the input. */
export interface Field {
  readonly name: string | null;
  readonly kind: FieldKind;
  readonly text: string;
}

export interface Shallow {
  readonly isList: boolean;
  readonly fields: readonly Entry[];
}

/** A list or an object within, with its fields. */
export interface Group extends Shallow {
  readonly name: string | null;
  readonly kind: "group";
}

export type Entry = Field | Group;

/** Where a value is: its place among those around it, from the outermost; empty for the whole. */
export type Path = readonly number[];

export const MOST_FIELDS = 20; // of one list or object
export const MOST_INPUTS = 60; // of all of them: more than three windows of a desktop
const MOST_TEXT = 2000; // characters of a field; a longer text is edited as JSON
const DEEPEST = 2;
const KINDS: { readonly [kind: number]: FieldKind } = { [Kind.String]: "text", [Kind.Number]: "number", [Kind.Boolean]: "boolean", [Kind.Null]: "null", [Kind.Array]: "json", [Kind.Object]: "json" };

/** The fields of a JSON text; null if it is none, or no short list or object of what is shallow. */
export function shallowOf(text: string): Shallow | null {
  const found = scanned(text);
  if (found === null) return null;
  const deep = shallowAt(found, 0, DEEPEST);
  return deep !== null && leavesOf(deep).length > MOST_INPUTS ? shallowAt(found, 0, 1) : deep;
}

/** What stands in an input, in the order of the text. */
export function leavesOf({ fields }: Shallow): Field[] {
  return fields.flatMap((each) => (each.kind === "group" ? leavesOf(each) : [each]));
}

/** The paths of `leavesOf`. */
export function pathsOf({ fields }: Shallow, path: Path = []): Path[] {
  return fields.flatMap((each, place) => (each.kind === "group" ? pathsOf(each, [...path, place]) : [[...path, place]]));
}

/** What each leaf was before: null if it is new. The items of a list are those before that they are most like. */
export function formersOf(now: Shallow, before: Shallow): (Field | null)[] {
  const items = now.isList ? aligned(now.fields, before.fields) : [];
  return now.fields.flatMap((each, place) => {
    const was = now.isList ? items[place] : before.fields.find(({ name }) => name === each.name);
    if (each.kind === "group" && was?.kind === "group" && each.isList === was.isList) return formersOf(each, was);
    if (each.kind === "group") return leavesOf(each).map(() => null);
    return [was === undefined || was.kind === "group" ? null : was];
  });
}

/** For each item the one before that it was: both lists in their order, with the most fields in common. */
function aligned(now: readonly Entry[], before: readonly Entry[]): (Entry | undefined)[] {
  // best[a][b]: what the items from a on have in common with those before from b on
  const best = Array.from({ length: now.length + 1 }, () => new Array<number>(before.length + 1).fill(0));
  const with_ = (a: number, b: number): number => 1 + 2 * common(now[a]!, before[b]!) + best[a + 1]![b + 1]!;
  for (let a = now.length - 1; a >= 0; a -= 1) {
    for (let b = before.length - 1; b >= 0; b -= 1) best[a]![b] = Math.max(with_(a, b), best[a + 1]![b]!, best[a]![b + 1]!);
  }
  const found: (Entry | undefined)[] = now.map(() => undefined);
  for (let a = 0, b = 0; a < now.length && b < before.length; ) {
    if (best[a]![b] === with_(a, b)) found[a++] = before[b++];
    else if (best[a]![b] === best[a + 1]![b]) a += 1;
    else b += 1;
  }
  return found;
}

/** How many fields of two items say the same. */
function common(one: Entry, other: Entry): number {
  if (one.kind !== "group" && other.kind !== "group") return one.kind === other.kind && one.text === other.text ? 1 : 0;
  if (one.kind !== "group" || other.kind !== "group") return 0;
  return one.fields.reduce((sum, each, place) => {
    const same = one.isList ? other.fields[place] : other.fields.find(({ name }) => name === each.name);
    return sum + (same === undefined ? 0 : common(each, same));
  }, 0);
}

function shallowAt(found: Scanned, whole: number, depth: number): Shallow | null {
  const kind = found.kind[whole]!;
  if ((kind !== Kind.Array && kind !== Kind.Object) || found.count[whole]! > MOST_FIELDS) return null;
  const isList = kind === Kind.Array;
  const fields: Entry[] = [];
  for (const at of placesIn(found, whole)) {
    const name = isList ? null : nameOf(found, at);
    // Rows of a table are no items: a list within a list stays JSON.
    const inner = depth > 1 && !(isList && found.kind[at] === Kind.Array) ? shallowAt(found, at, depth - 1) : null;
    const field: Entry | null = inner !== null ? { name, kind: "group", ...inner } : fieldAt(found, at, name);
    if (field === null) return null;
    fields.push(field);
  }
  if (2 * fields.filter((each) => each.kind === "json").length > fields.length) return null; // as JSON it is as plain
  const names = new Set(fields.map(({ name }) => name));
  return isList || names.size === fields.length ? { isList, fields } : null;
}

/** Null for what an input would not keep, or is too long for one. */
function fieldAt(found: Scanned, at: number, name: string | null): Field | null {
  const kind = KINDS[found.kind[at]!]!;
  const raw = found.text.slice(found.start[at], found.end[at]);
  if (raw.length > MOST_TEXT) return null;
  const text = kind === "text" ? (JSON.parse(raw) as string) : raw.replaceAll(`\n${indentAt(found, at)}`, "\n");
  return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text) ? null : { name, kind, text };
}

/** The white space at the beginning of the line in which a value begins; no text within has a line end. */
function indentAt({ text, start }: Scanned, at: number): string {
  const line = text.lastIndexOf("\n", start[at]! - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, start[at]))![0];
}

/** The places of what is directly in a value. */
function placesIn(found: Scanned, whole: number): number[] {
  const places: number[] = [];
  for (let at = whole + 1; at < found.next[whole]!; at = found.next[at]!) places.push(at);
  return places;
}

function placeAt(found: Scanned, path: Path): number {
  return path.reduce((whole, place) => placesIn(found, whole)[place]!, 0);
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
const INTEGER = /^-?\d+$/;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 64n - 1n]; // what the server takes; see ctxadmin/lib/json_bytes.py

/** What is wrong with a field, by the word of the form that says it: "" if its text is a value of its kind. */
export type Fault = "" | "notANumber" | "tooLarge" | "notJson";

/** What the server would refuse; a number or list that is none makes the whole no JSON. */
export function faultOf({ kind, text }: Field): Fault {
  if (kind === "json") return scanned(text) === null ? "notJson" : "";
  if (kind !== "number") return "";
  const number = text.trim();
  if (!NUMBER.test(number)) return "notANumber";
  if (INTEGER.test(number)) return number.length < 19 || (BigInt(number) >= LEAST && BigInt(number) <= MOST) ? "" : "tooLarge";
  return Number.isFinite(Number(number)) ? "" : "tooLarge";
}

/** A value as it stands in JSON; a number as it was typed, also if it is none yet. */
export function jsonOf({ kind, text }: Field): string {
  if (kind === "text") return JSON.stringify(text);
  return kind === "null" ? "null" : text.trim();
}

/** The text with other values where `leaves` differ from its own; it may be no JSON then. */
export function withValues(text: string, leaves: readonly Field[]): string {
  const [found, shallow] = [scan(text), shallowOf(text)];
  if (shallow === null) return text;
  const [before, paths] = [leavesOf(shallow), pathsOf(shallow)];
  let made = "";
  let at = 0;
  leaves.forEach((leaf, which) => {
    if (leaf.kind === before[which]!.kind && leaf.text === before[which]!.text) return;
    const place = placeAt(found, paths[which]!);
    made += text.slice(at, found.start[place]!) + jsonOf(leaf).replaceAll("\n", `\n${indentAt(found, place)}`);
    at = found.end[place]!;
  });
  return made + text.slice(at);
}

/** The text without what is at a path. */
export function without(text: string, path: Path): string {
  return laidOut(text, path.slice(0, -1), (parts) => parts.filter((_, at) => at !== path.at(-1)));
}

/** The text with one more field at the end of the list or object at a path. */
export function withField(text: string, path: Path, field: Field): string {
  const json = jsonOf(field);
  return laidOut(text, path, (parts) => [...parts, field.name === null ? json : `${JSON.stringify(field.name)}: ${json}`]);
}

/** What a new item of a list of objects has: the fields that all of them have, or else those of the last. */
export function itemLike({ isList, fields }: Shallow): Field[] | null {
  const items = fields.filter((each) => each.kind === "group");
  const last = items.at(-1);
  if (!isList || last === undefined || items.length < fields.length) return null;
  const named = (item: Group, name: string | null): Entry | undefined => item.fields.find((each) => each.name === name);
  const common = last.fields.filter(({ name }) => items.every((item) => named(item, name) !== undefined));
  return (common.length ? common : last.fields).map(({ name }) => {
    const all = items.map((item) => named(item, name)).filter((each) => each !== undefined && each.kind !== "group") as Field[];
    const { kind, text } = all.filter((each) => each.kind !== "null").at(-1) ?? all[0]!;
    return { name, kind, text: kind === "json" && text.startsWith("[") ? "[]" : EMPTY[kind] };
  });
}

/** What a new field of a kind has. */
export const EMPTY: { readonly [kind in FieldKind]: string } = { text: "", number: "0", boolean: "false", null: "null", json: "{}" };

/** The text with an object of these fields at the end of the list at a path. */
export function withItem(text: string, path: Path, fields: readonly Field[]): string {
  const parts = fields.map((field) => `${JSON.stringify(field.name)}: ${jsonOf(field)}`);
  return laidOut(text, path, (items) => [...items, bracketed("{}", parts, path.length + 1)]);
}

/** The text with other parts in the list or object at a path; laid out as the server does. */
function laidOut(text: string, path: Path, change: (parts: readonly string[]) => readonly string[]): string {
  const found = scan(text);
  const whole = placeAt(found, path);
  const parts = placesIn(found, whole).map((at) => {
    const key = found.keyStart[at]! < 0 ? "" : `${text.slice(found.keyStart[at], found.keyEnd[at])}: `;
    return key + text.slice(found.start[at], found.end[at]);
  });
  const made = bracketed(found.kind[whole] === Kind.Array ? "[]" : "{}", change(parts), path.length);
  return text.slice(0, found.start[whole]) + made + text.slice(found.end[whole]);
}

function bracketed(brackets: string, parts: readonly string[], depth: number): string {
  const indent = "  ".repeat(depth);
  const lines = parts.map((part) => `\n${indent}  ${part}`).join(",");
  return lines ? `${brackets[0]}${lines}\n${indent}${brackets[1]}` : brackets;
}
