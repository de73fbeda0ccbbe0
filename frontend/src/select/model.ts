// The selected messages: by their positions in the view, each with its message once it is loaded.

export interface Selection {
  readonly chosen: ReadonlyMap<number, string | null>;
  /** Where a range begins. */
  readonly anchor: number | null;
  /** The revision of the view to which the positions belong. */
  readonly revision: string;
}

export function nothing(revision: string): Selection {
  return { chosen: new Map(), anchor: null, revision };
}

/** With all positions from one to another selected, or not; those in between count either way. */
export function ranged(selection: Selection, from: number, to: number, on: boolean): Selection {
  const chosen = new Map(selection.chosen);
  for (let at = Math.min(from, to); at <= Math.max(from, to); at += 1) {
    if (!on) chosen.delete(at);
    else if (!chosen.has(at)) chosen.set(at, null);
  }
  return { ...selection, chosen };
}

/** A box that was pressed; with Shift all from the one that was pressed before. */
export function pressed(selection: Selection, at: number, on: boolean, shift: boolean): Selection {
  const from = shift && selection.anchor !== null ? selection.anchor : at;
  return { ...ranged(selection, from, at, on), anchor: at };
}

/**
 * The same messages on a page that shows `revision`. One that moved by itself puts other messages into
 * the places: the selection follows its own, and what was not loaded then is not followed.
 */
export function followed(selection: Selection, shown: ReadonlyMap<string, number>, revision: string): Selection {
  const isSame = selection.revision === revision;
  const chosen = new Map<number, string | null>();
  for (const [at, message] of selection.chosen) {
    const place = message === null ? undefined : shown.get(message);
    if (message === null && isSame) chosen.set(at, null);
    else if (place !== undefined) chosen.set(place, message);
  }
  return { chosen, anchor: isSame ? selection.anchor : null, revision };
}

/** With the messages that stand at selected positions. */
export function named(selection: Selection, shown: ReadonlyMap<string, number>): Selection {
  const chosen = new Map(selection.chosen);
  for (const [message, at] of shown) if (chosen.has(at)) chosen.set(at, message);
  return { ...selection, chosen };
}

/** The positions as ranges: 3-5,9. */
export function ranges({ chosen }: Selection): string {
  const found: [first: number, last: number][] = [];
  for (const at of [...chosen.keys()].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && last[1] === at - 1) last[1] = at;
    else found.push([at, at]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** What `ranges` wrote. */
export function positionsOf(text: string): [first: number, last: number][] {
  const found = text.split(",").map((part) => /^([0-9]{1,9})(?:-([0-9]{1,9}))?$/.exec(part));
  return found.flatMap((part) => (part ? [[Number(part[1]), Number(part[2] ?? part[1])]] : []));
}

/** The query string of a page that begins with the selection; "" if nothing is selected. */
export function queryOf(selection: Selection, wanted: string, seen: { revision: string; count: string }): string {
  if (!selection.chosen.size) return "";
  return `?${new URLSearchParams({ do: wanted, positions: ranges(selection), ...seen })}`;
}
