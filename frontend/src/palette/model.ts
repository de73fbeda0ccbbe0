// The palette: which places fit what is typed, in which order hits stand, what the keys do.

export interface Item {
  readonly label: string;
  /** "" for what the page does by itself. */
  readonly url: string;
  readonly run?: () => void;
  readonly icon: string;
  readonly kind?: string;
  readonly place?: string;
  readonly status?: string;
  /** What it is called in other languages, by which it is found, too. */
  readonly names?: string;
  readonly passage?: readonly (readonly [text: string, marked: boolean])[];
}

/** The event by which the palette asks the page for actions of its own: its detail is a list of items to push to. */
export const ACTIONS = "palette:actions";

export interface Hits {
  readonly workflows: readonly Item[];
  readonly conversations: readonly Item[];
  readonly texts: readonly Item[];
  readonly behind: number;
  /** Hits in archived conversations, counted only where nothing else is found. */
  readonly archived: number;
  readonly problem: string;
  /** Whole filters with names that only the server knows, for the last word. */
  readonly completions: readonly string[];
}

export const NOTHING: Hits = { workflows: [], conversations: [], texts: [], behind: 0, archived: 0, problem: "", completions: [] };

type GroupName = "places" | "workflows" | "conversations" | "texts" | "all";

export interface Group {
  readonly name: GroupName;
  readonly items: readonly Item[];
}

/** The filters that can be typed, with the values that are known; the server knows tools and workflows. */
const FILTERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["tool", []],
  ["status", ["paused", "running", "completed", "failed", "cancelled", "pending", "idle"]],
  ["role", ["user", "assistant", "tool", "system"]],
  ["since", ["24h", "7d", "30d"]],
  ["in", ["messages", "conversations", "state", "reasons", "comments", "workflows"]],
  ["workflow", []],
]);

const MOST_PLACES = 6;

/** A text without differences of case and accents. */
function folded(text: string): string {
  return text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
}

/** The places that have all words, each at the beginning of a word or, in Chinese, anywhere. */
export function placesFor(places: readonly Item[], text: string): readonly Item[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  if (!words.length) return places;
  const fits = (label: string): boolean => words.every((word) => (/^[\u0000-\u007f]+$/.test(word) ? label.split(/\s+/).some((part) => part.startsWith(word)) : label.includes(word)));
  return places.filter(({ label, names = "" }) => fits(folded(`${label} ${names}`))).slice(0, MOST_PLACES);
}

/** The groups to show, in order and without empty ones; `all` leads to the page of results. */
export function groupsOf(places: readonly Item[], text: string, hits: Hits, all: Item): readonly Group[] {
  const groups: readonly Group[] = [
    { name: "places", items: placesFor(places, text) },
    { name: "workflows", items: hits.workflows },
    { name: "conversations", items: hits.conversations },
    { name: "texts", items: hits.texts },
    { name: "all", items: text.trim() ? [all] : [] },
  ];
  return groups.filter(({ items }) => items.length);
}

/** The groups of someone who is signed out: to sign in comes first, and the page of results needs it. */
export function signInFirst(groups: readonly Group[], signIn: Item): readonly Group[] {
  return [{ name: "all", items: [signIn] }, ...groups.filter(({ name }) => name !== "all")];
}

/** Whether a hit is of the conversation of the one before it, which is named there already. */
export function isOfSame(item: Item, before: Item | undefined): boolean {
  const ofWhat = ({ url }: Item): string | undefined => url.split("/")[2];
  return Boolean(item.place && before?.place) && item.label === before?.label && ofWhat(item) === ofWhat(before);
}

/** Whether nothing is found but the page of results, which is always offered. */
export function isNothing(groups: readonly Group[]): boolean {
  return groups.every(({ name }) => name === "all");
}

export function itemsOf(groups: readonly Group[]): readonly Item[] {
  return groups.flatMap(({ items }) => items);
}

/** The active item after a step; it goes round at both ends. -1 without items. */
export function moved(active: number, step: number, count: number): number {
  if (!count) return -1;
  return (((active + step) % count) + count) % count;
}

/** Where the active item is now: the one that was chosen if it is still there, else the first. */
export function keptActive(chosen: Item | null, items: readonly Item[]): number {
  if (!items.length) return -1;
  const place = chosen ? items.findIndex(({ url, label }) => url === chosen.url && label === chosen.label) : -1;
  return Math.max(place, 0);
}

/** The last word of a text, which a filter can be in the making. */
function lastWord(text: string): string {
  return /\S*$/.exec(text)?.[0] ?? "";
}

/** What could stand for the last word: names of filters, or values of the one that is named; `offered` are those of the server. */
export function completions(text: string, offered: readonly string[]): readonly string[] {
  const word = lastWord(text).toLowerCase();
  const [, name = ""] = /^([a-z]+):/.exec(word) ?? [];
  if (!name) return [...FILTERS.keys()].filter((each) => each.startsWith(word)).map((each) => `${each}:`);
  const known = (FILTERS.get(name) ?? []).map((each) => `${name}:${each}`);
  return [...known, ...offered].filter((each) => each.toLowerCase().startsWith(word) && each.toLowerCase() !== word);
}

/** Whether the last word is a filter whose names only the server knows. */
export function needsNames(text: string): boolean {
  const [, name = ""] = /^([a-z]+):/.exec(lastWord(text).toLowerCase()) ?? [];
  return FILTERS.get(name)?.length === 0;
}

/** The text with its last word replaced; a whole filter has a space behind it. */
export function completed(text: string, completion: string): string {
  const before = text.slice(0, text.length - lastWord(text).length);
  return `${before}${completion}${completion.endsWith(":") ? "" : " "}`;
}

/** What Tab makes of a text: null if it has nothing to complete, so that it moves the focus. */
export function tabbed(text: string, offered: readonly string[]): string | null {
  const [first] = lastWord(text) ? completions(text, offered) : [];
  return first ? completed(text, first) : null;
}
