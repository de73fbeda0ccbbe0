// Filters that both sides changed: their lists get the changes of both, where these are in other places.

import type { Json, JsonObject } from "./document";
import { isObject, same } from "./document";
import { isPolicy } from "./policies";

type List = readonly Json[];

/** The fields of elements that are filters. */
export const FILTERS: ReadonlySet<string> = new Set(["context_filter", "outgoing_filter"]);

/** Merges one list of filters by its name; null where a person has to decide. */
type Merge = (name: string, base: List, mine: List, theirs: List) => List | null;

/**
 * A filter, or the filters of a node, with what both sides did to its lists. Null where both changed
 * one place of a list, or where the sides differ in anything else: that means something as a whole only.
 */
export function mergedFilters(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined): Json | null {
  return merged(base, mine, theirs, (name, ...sides) => (name === "messages" ? mergedOperations(...sides) : mergedLists(...sides)));
}

/** The same of changes that were made one after the other: who made the later one saw the earlier. */
function inTurn(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined): Json | null {
  return merged(base, mine, theirs, (_, ...sides) => mergedLists(...sides));
}

function merged(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined, merge: Merge): Json | null {
  const [old, my, their] = [listed(base ?? []), listed(mine), listed(theirs)];
  if (!old || !my || !their) return null;
  const made = (old.length ? mergedLists(old, my, their) : null) ?? oneByOne(old, my, their, merge);
  const [first] = made ?? [];
  return made?.length === 1 && first !== undefined && !Array.isArray(mine) && !Array.isArray(theirs) ? first : made;
}

/** Whether what a side did to a filter is still there after a later change of it. */
export function isKept(before: Json | undefined, mine: Json | undefined, now: Json | undefined): boolean {
  return !same(before, now) && takenOut(before, mine, now) !== null;
}

/** A filter before a side changed it, with what others have changed since: as it would be without that side. */
export function without(before: Json | undefined, mine: Json | undefined, now: Json | undefined): Json | undefined {
  return same(mine, now) ? before : (takenOut(before, mine, now) ?? before);
}

/** A filter without what a side did to it, where others have changed other places since; else null. */
export function takenOut(before: Json | null | undefined, mine: Json | null | undefined, now: Json | null | undefined): Json | null {
  return inTurn(mine ?? undefined, before ?? emptied(mine ?? undefined), now ?? undefined);
}

/** A new filter, or new ones, with nothing in the lists. */
function emptied(filters: Json | undefined): Json | undefined {
  const empty = (filter: Json): Json => (isObject(filter) ? Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, Array.isArray(value) ? [] : value])) : filter);
  return Array.isArray(filters) ? (filters as List).map(empty) : filters && empty(filters);
}

/** A list with the changes of both sides; null where both changed one place. Of what both added at one place theirs come first. */
export function mergedLists(base: List, mine: List, theirs: List): List | null {
  const [my, their] = [changed(base, mine), changed(base, theirs)];
  if (their.end > my.start && my.end > their.start) return null;
  const isOnePlace = my.start === their.end && my.end === their.start;
  const items = isOnePlace ? my.items.filter((item) => !their.items.some((other) => same(item, other))) : my.items;
  const [first, second] = their.end <= my.start ? [their, { ...my, items }] : [my, their];
  return [...base.slice(0, first.start), ...first.items, ...base.slice(first.end, second.start), ...second.items, ...base.slice(second.end)];
}

/**
 * The operations of both: applied one after the other, they mean something as a whole. Only what both
 * added behind the same ones is no question, unless one of them chose how messages are kept.
 */
function mergedOperations(base: List, mine: List, theirs: List): List | null {
  if (same(base, mine)) return theirs;
  if (same(base, theirs)) return mine;
  const adds = (side: List): boolean => same(side.slice(0, base.length), base);
  const isChoice = !base.length || isPolicy(mine) || isPolicy(theirs);
  return isChoice || !adds(mine) || !adds(theirs) ? null : mergedLists(base, mine, theirs);
}

/** The filters that both have merged each with its other, and what each side added behind them; the first of both is one filter. */
function oneByOne(base: List, mine: List, theirs: List, merge: Merge): List | null {
  const count = Math.max(base.length, 1);
  if (mine.length < count || theirs.length < count) return null;
  const made: Json[] = [];
  for (let place = 0; place < count; place += 1) {
    const one = mergedFilter(base[place] ?? {}, mine[place], theirs[place], merge);
    if (!one) return null;
    made.push(one);
  }
  const more = mergedLists([], mine.slice(count), theirs.slice(count));
  return more && [...made, ...more];
}

function mergedFilter(base: Json, mine: Json | undefined, theirs: Json | undefined, merge: Merge): JsonObject | null {
  if (!isObject(base) || !isObject(mine) || !isObject(theirs)) return null;
  const made: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [was = [], my = [], their = []] = [base[name], mine[name], theirs[name]];
    const areLists = Array.isArray(was) && Array.isArray(my) && Array.isArray(their);
    if (same(mine[name], theirs[name])) made[name] = mine[name] as Json;
    else {
      const list = areLists ? merge(name, was, my, their) : null;
      if (!list) return null;
      made[name] = list;
    }
  }
  return made;
}

interface Changed {
  readonly start: number;
  readonly end: number;
  readonly items: List;
}

/** The part of a list that a side replaced, and by which items. */
function changed(base: List, side: List): Changed {
  const least = Math.min(base.length, side.length);
  let start = 0;
  while (start < least && same(base[start], side[start])) start += 1;
  let after = 0;
  while (after < least - start && same(base[base.length - 1 - after], side[side.length - 1 - after])) after += 1;
  return { start, end: base.length - after, items: side.slice(start, side.length - after) };
}

function listed(value: Json | undefined): List | null {
  if (Array.isArray(value)) return value as List;
  return isObject(value) ? [value] : null;
}
