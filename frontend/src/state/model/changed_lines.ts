// What turns one text into another, in lines: the place of someone who types stays where nothing changed.

export interface Changed {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** How far behind a difference is looked for where the texts meet again; beyond it all counts as one. */
const MOST_LINES = 400;

/** The changes, of places in the former text, ascending. */
export function changedLines(before: string, after: string): Changed[] {
  const a = lines(before);
  const b = lines(after);
  let endA = a.length;
  let endB = b.length;
  let i = 0;
  while (i < endA && i < endB && a[i] === b[i]) i++;
  while (endA > i && endB > i && a[endA - 1] === b[endB - 1]) (endA--, endB--);
  const changes: Changed[] = [];
  let at = lengthOf(a, 0, i);
  let j = i;
  while (i < endA || j < endB) {
    const [stopA, stopB] = meeting(a, b, i, j, endA, endB);
    const to = at + lengthOf(a, i, stopA);
    changes.push({ from: at, to, insert: b.slice(j, stopB).join("") });
    at = to;
    i = stopA;
    j = stopB;
    while (i < endA && j < endB && a[i] === b[j]) {
      at += a[i]!.length;
      i++;
      j++;
    }
  }
  return changes;
}

/** The nearest places from which on both have the same line again, or both ends. */
function meeting(a: string[], b: string[], i: number, j: number, endA: number, endB: number): [number, number] {
  for (let far = 1; far <= MOST_LINES; far++) {
    for (let step = 0; step <= far; step++) {
      const x = i + step;
      const y = j + far - step;
      if (x < endA && y < endB && a[x] === b[y]) return [x, y];
    }
  }
  return [endA, endB];
}

/** Each with its line end. */
function lines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function lengthOf(all: string[], from: number, to: number): number {
  let length = 0;
  for (let i = from; i < to; i++) length += all[i]!.length;
  return length;
}
