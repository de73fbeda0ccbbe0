// The effect of an action on selected messages, drawn at their places.

/** Runs of log indices, as `3-5,9-9` has them. */
export type Runs = readonly (readonly [first: number, last: number])[];

export function runsOf(text: string): Runs {
  const runs: (readonly [number, number])[] = [];
  for (const part of text.split(",")) {
    const found = /^([0-9]{1,9})-([0-9]{1,9})$/.exec(part);
    if (found) runs.push([Number(found[1]), Number(found[2])]);
  }
  return runs;
}

/** Whether two lists have the same runs. */
export function isSame(one: Runs, other: Runs): boolean {
  return String(one) === String(other);
}

/** Whether a message, by the name of its element, is in some runs. */
export function isIn(runs: Runs, name: string): boolean {
  const index = /^m([0-9]{1,9})$/.exec(name)?.[1];
  return index !== undefined && runs.some(([first, last]) => first <= Number(index) && Number(index) <= last);
}
