// Which keys a page has: one table, from which keys are obeyed and listed.

export const GROUPS = ["everywhere", "page", "message", "selection"] as const;
export type KeyGroup = (typeof GROUPS)[number];

/** What a page or an island offers under keys. */
export interface Shortcut {
  /** `g w` is one key behind the other, `Delete | Backspace` one or the other, `Ctrl+Z` both at once. */
  readonly keys: string;
  readonly label: string;
  /** False while there is nothing to do it with. */
  readonly usable: boolean;
  /** Null for what the browser does by itself, or whoever has the focus. */
  readonly run: ((pressed: Pressed) => void) | null;
  /** What it is about: the page, unless it says something else. */
  readonly group?: KeyGroup;
  /** When it can be used, for those that cannot be now. */
  readonly when?: string;
}

export interface Line extends Shortcut {
  /** Each way to press it, step by step. */
  readonly ways: readonly (readonly string[])[];
}

/** The event by which a page asks its scripts for what they offer: its detail is a list to push to. */
export const COLLECT = "keys:collect";

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  /** True while the key is held. */
  readonly repeat?: boolean;
}

/** The name of what is pressed: `?`, `Space`, `Delete`, `Ctrl+Shift+Z`. A letter tells Shift by itself. */
export function nameOf({ key, ctrlKey, metaKey, shiftKey }: Pressed): string {
  const control = ctrlKey || metaKey;
  const named = key === " " ? "Space" : key;
  const letter = control && named.length === 1 ? named.toUpperCase() : named;
  const shift = shiftKey && (control || key.length > 1);
  return `${control ? "Ctrl+" : ""}${shift ? "Shift+" : ""}${letter}`;
}

/** Whether a key is obeyed in a field, too: nobody types it there. */
export function typesNothing({ key, ctrlKey, metaKey }: Omit<Pressed, "shiftKey">): boolean {
  return /^F\d+$/.test(key) || (key === "Enter" && (ctrlKey || metaKey));
}

function waysOf(keys: string): string[][] {
  return keys.split(" | ").map((way) => way.split(" "));
}

const isLetter = ([first = ""]: readonly string[]): boolean => first.length === 1;
const isStartOf = (short: readonly string[], long: readonly string[]): boolean => short.length < long.length && short.every((key, place) => long[place] === key);

/**
 * The lines of a page, in the order of what is offered. Of two that want the same keys the first that
 * can be used has them, and a key with which a sequence begins is that sequence's. Without `letters`
 * only keys stay that nobody presses while speaking to the computer (WCAG 2.1.4).
 */
export function tableOf(offered: readonly Shortcut[], letters: boolean): Line[] {
  const all = offered.map((each) => ({ each, ways: waysOf(each.keys).filter((way) => letters || !isLetter(way)) }));
  const sequences = all.flatMap(({ ways }) => ways).filter((way) => way.length > 1);
  const owner = new Map<string, Shortcut>();
  for (const wanted of [true, false]) {
    for (const { each, ways } of all) {
      if (each.usable !== wanted) continue;
      for (const way of ways) {
        const name = way.join(" ");
        if (!owner.has(name) && !sequences.some((long) => isStartOf(way, long))) owner.set(name, each);
      }
    }
  }
  return all
    .map(({ each, ways }) => ({ ...each, ways: ways.filter((way) => owner.get(way.join(" ")) === each) }))
    .filter(({ ways }) => ways.length);
}

/** The lines of each group that has some, in the order of the groups. */
export function grouped(table: readonly Line[]): readonly (readonly [KeyGroup, readonly Line[]])[] {
  return GROUPS.map((name) => [name, table.filter(({ group = "page" }) => group === name)] as const).filter(([, lines]) => lines.length);
}

export interface Step {
  /** The line whose keys are all pressed now. */
  readonly line: Line | null;
  /** What is pressed of a sequence that continues. */
  readonly typed: readonly string[];
}

/** What one more key means behind those that were `typed`. */
export function step(table: readonly Line[], typed: readonly string[], key: string): Step {
  const now = [...typed, key];
  const line = table.find(({ ways, usable }) => usable && ways.some((way) => way.join(" ") === now.join(" ")));
  if (line) return { line, typed: [] };
  const goesOn = table.some(({ ways }) => ways.some((way) => isStartOf(now, way)));
  return { line: null, typed: goesOn ? now : [] };
}

const CAPS: { readonly [key: string]: string } = { Delete: "Del", Escape: "Esc", ContextMenu: "Menu", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };

/** The caps of one step: `Ctrl+Shift+Z` is three. */
export function capsOf(step: string): string[] {
  const parts = step === "+" ? ["+"] : step.split(/\+(?=.)/);
  return parts.map((part) => CAPS[part] ?? part);
}
