// Which errors of a form are shown during typing: an empty field that was never focused is not
// wrong yet.

interface AtField {
  readonly field: string;
}

/** `valueOf` gives what stands in a field, undefined if the form has none of that name. */
export function shownErrors<T extends AtField>(errors: readonly T[], valueOf: (field: string) => string | undefined, touched: ReadonlySet<string>): readonly T[] {
  return errors.filter(({ field }) => touched.has(field) || valueOf(field) !== "");
}
