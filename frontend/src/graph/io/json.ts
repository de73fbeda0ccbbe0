// JSON that keeps whole numbers beyond 2^53 as they were written; configs may contain them.

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown;
type Exact = typeof JSON & {
  rawJSON?: (text: string) => object;
  parse(text: string, reviver: Reviver): unknown;
};

const exact = JSON as Exact;
const LONG_NUMBER = /[:[,]\s*-?\d{16,}\s*[,\]}]/;

/** False for a text whose numbers this browser would round. */
export function canKeep(text: string): boolean {
  return exact.rawJSON !== undefined || !LONG_NUMBER.test(text);
}

export function parse(text: string): unknown {
  const { rawJSON } = exact;
  if (!rawJSON || !LONG_NUMBER.test(text)) return JSON.parse(text);
  const revive: Reviver = (_, value, context) => {
    const source = context?.source ?? "";
    const rounded = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    return rounded ? rawJSON(source) : value;
  };
  return exact.parse(text, revive);
}
