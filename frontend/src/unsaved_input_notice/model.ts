// What becomes of what is typed into the forms of a page that is fetched again: it stays in its field,
// or is shown in a note. The note tells of another execution also if nothing was typed: what decides
// now decides of that one.

/** A field in which something was typed, before the page was fetched. */
export interface Typed {
  readonly id: string;
  readonly value: string;
  /** Its form: the same one of another execution is another. */
  readonly form: string;
  /** The form was being sent: it is not known yet whether its page comes. */
  readonly isSent: boolean;
}

/** The field of that id in the page that came; null if there is none. */
export interface Field {
  readonly form: string;
  readonly value: string;
}

/** `fill` what was typed into an empty field, `clear` it from the form of another execution. */
type Fate = "stays" | "fill" | "clear" | "lost";

export function fateOf({ form, value }: Typed, field: Field | null): Fate {
  if (field === null) return "lost";
  if (field.form === form) return field.value ? "stays" : "fill";
  return field.value === value ? "clear" : "lost";
}

export interface Shown {
  readonly execution?: string;
  readonly status?: string;
}

/** Why it is gone: another execution began, this one is not to be decided any more, or its form is gone. */
export function reasonOf(before: Shown, after: Shown): "swapped" | "ended" | "vanished" {
  if (before.execution && after.execution && before.execution !== after.execution) return "swapped";
  return before.status !== after.status ? "ended" : "vanished";
}

/** What is told at once, and what only if its form stays; null if there is nothing to tell. */
export function toldOf<T extends Typed>(lost: readonly T[], reason: ReturnType<typeof reasonOf>): { readonly now: readonly T[] | null; readonly later: readonly T[] } {
  const now = lost.filter(({ isSent }) => !isSent);
  return { now: now.length || reason === "swapped" ? now : null, later: lost.filter(({ isSent }) => isSent) };
}
