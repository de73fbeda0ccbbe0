// Tokens on a slider: each step is the same share more, because 500 more matter at 1,000 and not at 100,000.

export const STEPS = 120;
const LEAST = 500;
const MOST = 500_000;
const DIGITS = 2;
/** What remains of a maximum where nobody said: the deepest of the cuts that pay on most conversations. */
const USUAL_SHARE = 0.7;

/** A number of tokens with two digits that count. */
export function rounded(tokens: number): number {
  return Number(tokens.toPrecision(DIGITS));
}

/** The tokens at a place of the slider, 0 to STEPS. */
export function tokensAt(place: number): number {
  const share = Math.min(Math.max(place, 0), STEPS) / STEPS;
  return rounded(LEAST * (MOST / LEAST) ** share);
}

/** The place of some tokens; what lies beyond the slider stands at its end. */
export function placeOf(tokens: number): number {
  const within = Math.min(Math.max(tokens, LEAST), MOST);
  return Math.round((STEPS * Math.log(within / LEAST)) / Math.log(MOST / LEAST));
}

/** The number that a field says, null if it says none. */
export function read(text: string): number | null {
  return /^\d{1,10}$/.test(text.trim()) ? Number(text.trim()) : null;
}

export interface Budget {
  readonly most: number | null;
  readonly target: number | null;
}

/** The budget after its maximum was moved: the target follows where it would not be below. */
export function withMost(budget: Budget, most: number): Budget {
  const { target } = budget;
  return { most, target: target !== null && target > 0 && target < most ? target : rounded(most * USUAL_SHARE) };
}

/** The budget after its target was moved: the maximum follows where it would not be above. */
export function withTarget(budget: Budget, target: number): Budget {
  const { most } = budget;
  return { target, most: most !== null && most > target ? most : rounded(target / USUAL_SHARE) };
}
