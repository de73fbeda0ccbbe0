// Which rows of a list are selected: one by one, and from one to another by Shift.

/** The places to set when a box is pressed: itself, or with Shift all from the one pressed before. */
export function reach(at: number, anchor: number | null, shift: boolean): number[] {
  if (!shift || anchor === null) return [at];
  const [from, to] = anchor < at ? [anchor, at] : [at, anchor];
  return Array.from({ length: to - from + 1 }, (_, step) => from + step);
}

export type Whole = "none" | "some" | "all";

/** How many rows are selected, for the box that selects them all. */
export function whole(selected: number, rows: number): Whole {
  if (selected === 0) return "none";
  return selected < rows ? "some" : "all";
}

/** "1 selected", "3 selected", in the words of the page. */
export function counted(selected: number, one: string, many: string, language: string): string {
  return (selected === 1 ? one : many).replace("{n}", selected.toLocaleString(language));
}
