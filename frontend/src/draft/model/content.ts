// The content of a page of a state: a value at each place, or the whole state as text that is not
// JSON.

import { Kind, nameOf, NotJson, scan } from "../../state/model/scan";

/** A field as it is typed; the kind `value` is any JSON, of a key in the text of a whole state. */
export interface Value {
  readonly kind: string;
  readonly text: string;
  readonly gone: boolean;
}

/** `0:name` is a key of the state, `1:name` the first new one of that name. */
export type Values = ReadonlyMap<string, Value>;

/** `values` is null for a text of which it was never known what it says. */
export interface Content {
  readonly values: Values | null;
  readonly text: string | null;
}

/** What a whole state as a text says, key by key, if it can be read. */
export function contentOf(text: string): Content {
  try {
    const found = scan(text);
    if (found.kind[0] !== Kind.Object) return { values: null, text };
    const values = new Map<string, Value>();
    for (let at = 1; at < found.length; at = found.next[at]!) {
      const place = `0:${nameOf(found, at)}`;
      if (values.has(place)) return { values: null, text };
      values.set(place, { kind: "value", text: text.slice(found.start[at], found.end[at]), gone: false });
    }
    return { values, text: null };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { values: null, text };
  }
}

/** JSON without the white space between its parts. */
function bare(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

export function same(one: Value | undefined, other: Value | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.gone || other.gone) return one.gone === other.gone;
  if (one.kind !== other.kind) return false;
  return one.text === other.text || (one.kind === "value" && bare(one.text) === bare(other.text));
}

export function sameContent(one: Content, other: Content): boolean {
  if (one.text !== other.text) return false;
  if (one.text !== null) return true; // what it said before is not what it says
  if (one.values?.size !== other.values?.size) return false;
  return [...(one.values ?? [])].every(([place, value]) => same(value, other.values?.get(place)));
}

export function keyOf(place: string): string {
  return place.slice(place.indexOf(":") + 1);
}
