// Which values of a scanned text are rows of the tree: a folded value hides its content.

import { Kind, nameOf, pointerOf, textOf, type Scanned } from "./scan";

const ROUND = 200; // characters of a text that is looked through for a word

/** Whether `all` are open, and which are `turned` the other way, by pointers that outlive an edit. */
export interface Folds {
  readonly turned: ReadonlySet<string>;
  readonly all: boolean;
}

export const CLOSED: Folds = { turned: new Set(), all: false };
export const OPEN: Folds = { turned: new Set(), all: true };

export function holds(scanned: Scanned, place: number): boolean {
  const kind = scanned.kind[place];
  return kind === Kind.Object || kind === Kind.Array;
}

/** The places of the values that are shown, the whole itself left out. */
export function rowsOf(scanned: Scanned, folds: Folds): Int32Array {
  const rows = new Int32Array(scanned.length);
  let count = 0;
  let place = 1;
  // Pointers of half a million values take a second: none is asked for where none was turned.
  const isOpen = (each: number): boolean =>
    folds.turned.size > 0 && folds.turned.has(pointerOf(scanned, each)) ? !folds.all : folds.all;
  while (place < scanned.length) {
    rows[count++] = place;
    place = holds(scanned, place) && scanned.count[place] && !isOpen(place) ? scanned.next[place]! : place + 1;
  }
  return rows.slice(0, count);
}

/** `folds` with one value folded the other way. */
export function turned(folds: Folds, pointer: string): Folds {
  const now = new Set(folds.turned);
  if (!now.delete(pointer)) now.add(pointer);
  return { ...folds, turned: now };
}

/** The rows in whose name or value a word stands, with everything that they are in. */
export function rowsWith(scanned: Scanned, word: string): Int32Array {
  const wanted = word.toLocaleLowerCase();
  const shown = new Uint8Array(scanned.length);
  for (let place = 1; place < scanned.length; place++) {
    const own = holds(scanned, place) ? "" : textOf(scanned, place, ROUND);
    const name = scanned.keyStart[place]! < 0 ? "" : nameOf(scanned, place);
    if (!`${name}\n${own}`.toLocaleLowerCase().includes(wanted)) continue;
    for (let each = place; each > 0 && !shown[each]; each = scanned.parent[each]!) shown[each] = 1;
  }
  const rows: number[] = [];
  for (let place = 1; place < scanned.length; place++) if (shown[place]) rows.push(place);
  return Int32Array.from(rows);
}
