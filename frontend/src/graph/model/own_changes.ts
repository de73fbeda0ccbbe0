// Two changes that one person made to one element, in a form and beside it: both count, and of one
// and the same value the later.

import type { Element, Json } from "./document";
import { same } from "./document";
import { FILTERS, mergedFilters } from "./merged_filters";
import type { Own } from "./overtaken";

type Fields = { readonly [name: string]: unknown };

/** A form that was read: `base` is the element that it showed, and `over` the element in the document when it was typed into last. */
export interface ReadForm {
  readonly base: Element;
  readonly said: Element;
  readonly over: Element;
}

/** Whether this page set a field of an element as it is now: after the last save, or in what it saved lately. */
export function isMine(name: string, now: Element, saved: Element | undefined, own: Pick<Own, "before" | "after"> | undefined): boolean {
  const value = (element: unknown): unknown => (element as Fields | undefined)?.[name];
  if (!saved || !same(value(now), value(saved))) return true;
  return own !== undefined && same(value(own.after), value(now)) && !same(value(own.before), value(now));
}

/** The form as if the person had typed into it after all that this person did to the element beside it. */
export function rebased({ base, said, over }: ReadForm, now: Element, mine: (name: string) => boolean): Pick<ReadForm, "base" | "said"> {
  const [was, typed, before, is] = [base, said, over, now].map((each) => each as unknown as Fields) as [Fields, Fields, Fields, Fields];
  const [newBase, newSaid]: [Record<string, unknown>, Record<string, unknown>] = [{ ...was }, { ...typed }];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (same(was[name], is[name]) || !mine(name)) continue;
    put(newBase, name, is[name]);
    const merged = FILTERS.has(name) ? mergedFilters(was[name] as Json, typed[name] as Json, is[name] as Json) : null;
    put(newSaid, name, merged ?? joined(was[name], typed[name], is[name], before[name], !isWhole(name, now)));
  }
  return { base: newBase as unknown as Element, said: newSaid as unknown as Element };
}

/** A value that the form and the page set; the parts of one that has parts, each for itself. */
function joined(was: unknown, typed: unknown, is: unknown, before: unknown, hasParts: boolean): unknown {
  if (same(typed, was)) return is;
  if (same(is, was)) return typed;
  const [old, form, now, seen] = [was ?? {}, typed ?? {}, is ?? {}, before ?? {}];
  if (!hasParts || !isFields(old) || !isFields(form) || !isFields(now)) return same(before, is) ? typed : is;
  const made: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(form), ...Object.keys(now)])) {
    put(made, name, joined(old[name], form[name], now[name], isFields(seen) ? seen[name] : undefined, false));
  }
  return made;
}

/** Whether a field means something as a whole only. */
function isWhole(name: string, { type }: Element): boolean {
  return !["context_filter", "outgoing_filter", "config", "properties"].includes(name) || (name === "config" && type === "context_processor");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function put(into: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete into[name];
  else into[name] = value;
}
