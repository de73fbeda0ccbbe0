// The words of the editor: English here, translated by the catalogue of the page if it has one.

type Values = { readonly [name: string]: string | number };
type Catalogue = { gettext?: (text: string) => string; ngettext?: (one: string, many: string, count: number) => string };

const catalogue = globalThis as unknown as Catalogue;

function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

export function t(text: string, values: Values = {}): string {
  return filled(catalogue.gettext?.(text) ?? text, values);
}

/** One form or the other by `count`, which both may name as {n}. */
export function tn(one: string, many: string, count: number, values: Values = {}): string {
  const text = catalogue.ngettext?.(one, many, count) ?? (count === 1 ? one : many);
  return filled(text, { n: count, ...values });
}

const numbers = new Intl.NumberFormat(globalThis.document?.documentElement.lang || undefined);

/** A number as the server's pages write it: 3,559. */
export const grouped = (count: number): string => numbers.format(count);
