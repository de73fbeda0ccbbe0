// Moves between the messages of a page, and how much of each is shown.

const DETAILS = ["talk", "tools", "everything"] as const;
type Detail = (typeof DETAILS)[number];

export function detailOf(name: string | undefined): Detail | null {
  return DETAILS.find((each) => each === name) ?? null;
}

/** A message as far as moving is concerned: where it stands in the window. */
interface Place {
  readonly top: number;
  readonly bottom: number;
}

/** The message that someone looks at who has none in focus: the first that is not above `edge`. */
export function atEdge(places: readonly Place[], edge: number): number {
  const found = places.findIndex(({ bottom }) => bottom > edge);
  return found < 0 ? places.length - 1 : found;
}

/**
 * The place to go to from `here`, -1 for the one before the first; null at the end. Who has no
 * message in focus goes to the one at the edge first, whatever the direction.
 */
export function moved(count: number, here: number | null, edge: number, by: 1 | -1): number | null {
  const next = here === null ? edge : here + by;
  return next >= 0 && next < count ? next : null;
}

/** The first of the messages behind `here` that is `wanted`. */
export function nextWanted(wanted: readonly boolean[], here: number): number | null {
  const found = wanted.findIndex((is, place) => is && place > here);
  return found < 0 ? null : found;
}

export function cookieOf(detail: Detail, secure: boolean): string {
  return `detail=${detail}; Path=/; Max-Age=31536000; SameSite=Lax${secure ? "; Secure" : ""}`;
}

/** Whether the view is no longer the one that the address of an undo names. */
export function isStale(undo: string, revision: string | undefined, count: string | undefined): boolean {
  const seen = new URL(undo, "http://here").searchParams;
  return seen.get("expected_revision") !== revision || seen.get("expected_count") !== count;
}
