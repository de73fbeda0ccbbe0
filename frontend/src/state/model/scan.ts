// Reads JSON text without changing it: where each value begins and ends. What a person edits in the
// tree is put into the text at such a place, so that nothing else of it moves - no number is rounded.

export const enum Kind {
  Object,
  Array,
  String,
  Number,
  Boolean,
  Null,
}

/**
 * All values of a text in the order in which they begin; the whole is at 0. `parent` is the place
 * of the surrounding value, -1 for the whole; `next` is the place behind the last value inside;
 * `keyStart` to `keyEnd` is its name with the quotes, -1 in lists; `order` its place among its
 * brothers; `count` how many there are directly inside.
 */
export interface Scanned {
  readonly text: string;
  readonly length: number;
  readonly kind: Uint8Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly keyStart: Int32Array;
  readonly keyEnd: Int32Array;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  readonly order: Int32Array;
  readonly count: Int32Array;
  readonly next: Int32Array;
}

/** What is wrong with a text and where: an offset into it. */
export class NotJson extends Error {
  constructor(
    readonly reason: "end" | "value" | "key" | "colon" | "comma" | "rest" | "string" | "number" | "deep",
    readonly at: number,
  ) {
    super(reason);
  }
}

const DEEPEST = 2000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: ReadonlyArray<readonly [string, Kind]> = [
  ["true", Kind.Boolean],
  ["false", Kind.Boolean],
  ["null", Kind.Null],
];

class Columns {
  #room = 1024;
  length = 0;
  kind = new Uint8Array(this.#room);
  start = new Int32Array(this.#room);
  end = new Int32Array(this.#room);
  keyStart = new Int32Array(this.#room);
  keyEnd = new Int32Array(this.#room);
  parent = new Int32Array(this.#room);
  depth = new Int32Array(this.#room);
  order = new Int32Array(this.#room);
  count = new Int32Array(this.#room);
  next = new Int32Array(this.#room);

  add(kind: Kind, start: number, key: readonly [number, number], parent: number): number {
    if (this.length === this.#room) this.#grow();
    const place = this.length++;
    this.kind[place] = kind;
    this.start[place] = start;
    [this.keyStart[place], this.keyEnd[place]] = key;
    this.parent[place] = parent;
    this.depth[place] = parent < 0 ? 0 : this.depth[parent]! + 1;
    this.order[place] = parent < 0 ? 0 : this.count[parent]!++;
    return place;
  }

  close(place: number, end: number): void {
    this.end[place] = end;
    this.next[place] = this.length;
  }

  #grow(): void {
    this.#room *= 2;
    const more = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const made = new Int32Array(this.#room);
      made.set(old);
      return made;
    };
    const kinds = new Uint8Array(this.#room);
    kinds.set(this.kind);
    this.kind = kinds;
    this.start = more(this.start);
    this.end = more(this.end);
    this.keyStart = more(this.keyStart);
    this.keyEnd = more(this.keyEnd);
    this.parent = more(this.parent);
    this.depth = more(this.depth);
    this.order = more(this.order);
    this.count = more(this.count);
    this.next = more(this.next);
  }
}

/** The values of a JSON text; NotJson for any other text. */
export function scan(text: string): Scanned {
  const found = new Columns();
  const open: number[] = [];
  let at = space(text, 0);
  let key: readonly [number, number] = [-1, -1];
  for (;;) {
    const parent = open.at(-1) ?? -1;
    const sign = text.charCodeAt(at);
    if (sign === OPEN_OBJECT || sign === OPEN_LIST) {
      if (open.length >= DEEPEST) throw new NotJson("deep", at);
      open.push(found.add(sign === OPEN_OBJECT ? Kind.Object : Kind.Array, at, key, parent));
      at = space(text, at + 1);
      if (text.charCodeAt(at) !== (sign === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST)) {
        if (sign === OPEN_OBJECT) [key, at] = keyAt(text, at);
        else key = [-1, -1];
        continue;
      }
    } else {
      const place = found.add(kindAt(text, at), at, key, parent);
      at = endOf(text, at, found.kind[place] as Kind);
      found.close(place, at);
    }
    // A value has ended, or an empty one is about to: close what ends here, then go to the next.
    for (;;) {
      at = space(text, at);
      const around = open.at(-1);
      if (around === undefined) {
        if (at < text.length) throw new NotJson("rest", at);
        return { ...found, text, length: found.length };
      }
      const isObject = found.kind[around] === Kind.Object;
      const next = text.charCodeAt(at);
      if (next === (isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
        found.close(around, ++at);
        open.pop();
        continue;
      }
      if (next !== COMMA) throw new NotJson(at < text.length ? "comma" : "end", at);
      at = space(text, at + 1);
      if (isObject) [key, at] = keyAt(text, at);
      else key = [-1, -1];
      break;
    }
  }
}

const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const COMMA = 44;
const COLON = 58;
const QUOTE = 34;
const BACKSLASH = 92;

function space(text: string, at: number): number {
  for (;;) {
    const sign = text.charCodeAt(at);
    if (sign !== 32 && sign !== 10 && sign !== 13 && sign !== 9) return at;
    at++;
  }
}

function keyAt(text: string, at: number): [readonly [number, number], number] {
  if (text.charCodeAt(at) !== QUOTE) throw new NotJson(at < text.length ? "key" : "end", at);
  const end = stringEnd(text, at);
  const colon = space(text, end);
  if (text.charCodeAt(colon) !== COLON) throw new NotJson(colon < text.length ? "colon" : "end", colon);
  return [[at, end], space(text, colon + 1)];
}

function kindAt(text: string, at: number): Kind {
  const sign = text.charCodeAt(at);
  if (sign === QUOTE) return Kind.String;
  if (sign === 45 || (sign >= 48 && sign <= 57)) return Kind.Number;
  for (const [word, kind] of WORDS) if (text.startsWith(word, at)) return kind;
  throw new NotJson(at < text.length ? "value" : "end", at);
}

function endOf(text: string, at: number, kind: Kind): number {
  if (kind === Kind.String) return stringEnd(text, at);
  if (kind === Kind.Number) return numberEnd(text, at);
  return at + (WORDS.find(([word]) => text.startsWith(word, at))?.[0].length ?? 0);
}

function numberEnd(text: string, at: number): number {
  NUMBER.lastIndex = at;
  if (!NUMBER.test(text)) throw new NotJson("number", at);
  return NUMBER.lastIndex;
}

const ESCAPED = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) return at + 1;
    if (sign === BACKSLASH) {
      ESCAPED.lastIndex = at;
      if (!ESCAPED.test(text)) throw new NotJson("string", at);
      at = ESCAPED.lastIndex;
    } else if (Number.isNaN(sign)) {
      throw new NotJson("end", at);
    } else if (sign < 32) {
      throw new NotJson("string", at);
    } else {
      at++;
    }
  }
}

/** The name of a value among its brothers: a key, or the number in a list; "" for the whole. */
export function nameOf(scanned: Scanned, place: number): string {
  if (scanned.parent[place]! < 0) return "";
  const start = scanned.keyStart[place]!;
  if (start < 0) return String(scanned.order[place]);
  return JSON.parse(scanned.text.slice(start, scanned.keyEnd[place])) as string;
}

/** The place of a key of the whole, undefined if it is none. */
export function placeOf(scanned: Scanned, key: string): number | undefined {
  if (scanned.kind[0] !== Kind.Object) return undefined;
  for (let place = 1; place < scanned.length; place = scanned.next[place]!) {
    if (nameOf(scanned, place) === key) return place;
  }
  return undefined;
}

/** The JSON pointer of a value (RFC 6901). */
export function pointerOf(scanned: Scanned, place: number): string {
  const names: string[] = [];
  for (let each = place; scanned.parent[each]! >= 0; each = scanned.parent[each]!) {
    names.push(nameOf(scanned, each).replaceAll("~", "~0").replaceAll("/", "~1"));
  }
  return names.reverse().map((name) => `/${name}`).join("");
}

/** Its text as it stands. */
export function textOf(scanned: Scanned, place: number, most = Number.POSITIVE_INFINITY): string {
  const start = scanned.start[place]!;
  return scanned.text.slice(start, Math.min(scanned.end[place]!, start + most));
}
