// Where the keys of the queue of reviews lead, and what happens to the focus when a line is gone.

/** The place `by` lines on; without a present place the first or the last. */
export function placeFrom(now: number, by: 1 | -1, count: number): number {
  if (now < 0) return by > 0 ? 0 : count - 1;
  return Math.min(Math.max(now + by, 0), count - 1);
}

/** The line that takes the focus of one that is gone: the next of those that stay, else the last before it. */
export function heirOf(gone: string, before: readonly string[], now: readonly string[]): string | null {
  const at = before.indexOf(gone);
  const stays = (name: string): boolean => now.includes(name);
  return before.slice(at + 1).find(stays) ?? before.slice(0, Math.max(at, 0)).filter(stays).at(-1) ?? null;
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** How long a click is refused that was meant for the line which stood there a moment ago. */
const MOVED_MS = 1000;

/** Refuses a click on what has just moved under a pointer at rest. */
export class MovedUnderPointer {
  private spot: Spot = { x: -1, y: -1 };
  private until = 0;

  move(spot: Spot): void {
    if (spot.x === this.spot.x && spot.y === this.spot.y) return;
    this.spot = spot;
    this.until = 0;
  }

  get place(): Spot {
    return this.spot;
  }

  changed(before: string, after: string, now: number): void {
    if (before !== after) this.until = now + MOVED_MS;
  }

  refuses(now: number): boolean {
    return now < this.until;
  }
}
