// How times are shown: relative if recent, else as a date; by the server's clock.

const WEEK_S = 7 * 24 * 3600;
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;
// Less is the time that a page takes to come.
const SKEWED_MS = 60_000;

/** How far the clock of the reader is behind that of the server, 0 for little; both in milliseconds. */
export function skewOf(server: number, reader: number): number {
  const skew = server ? server - reader : 0;
  return Math.abs(skew) < SKEWED_MS ? 0 : skew;
}

/** A time in the largest unit of which it is at least one. */
export function ago(seconds: number): { readonly value: number; readonly unit: "day" | "hour" | "minute" | "second" } {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return { value: Math.trunc(seconds / length), unit };
  }
  return { value: 0, unit: "second" };
}

/** Whether a time is said by how long ago it was; `style` is `relative`, `auto`, `countdown` or another. */
export function isRelative(style: string | undefined, seconds: number): boolean {
  return style === "relative" || ((style === "auto" || style === "countdown") && Math.abs(seconds) < WEEK_S);
}

const HOUR_S = 3600;
const DAY_S = 86_400;
const SOON_S = 300;

/** Hours with their minutes, or minutes with their seconds; in the last minute only seconds. */
export interface Countdown {
  readonly whole: number;
  readonly rest: string;
  readonly unit: "hour" | "minute";
  readonly isSoon: boolean;
}

/** What is left of the last day; null for a time that is further off or over. */
export function countdown(seconds: number): Countdown | null {
  if (seconds <= 0 || seconds >= DAY_S) return null;
  const isLast = seconds < HOUR_S;
  const left = isLast ? Math.ceil(seconds) : Math.floor(seconds / 60);
  return { whole: Math.floor(left / 60), rest: String(left % 60).padStart(2, "0"), unit: isLast ? "minute" : "hour", isSoon: seconds < SOON_S };
}
