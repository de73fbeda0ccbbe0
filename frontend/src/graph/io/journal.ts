// Stores unsaved changes in this browser, so that a crash of the page loses nothing. One entry for
// each open editor, by person and workflow. A lock that the browser gives up when the page is gone
// tells entries of open pages from those that were left behind.

import { type Changes, changesBetween, isNothing } from "../model/changes";
import { olderOf } from "../clashes";
import type { EditorStore, State } from "../store";
import { parse } from "./json";

export interface Left {
  readonly name: string;
  readonly at: number;
  /** To be brought back one after the other. */
  readonly changes: readonly Changes[];
  /** Forms that were not read yet. */
  readonly typed: State["typed"];
}

const PAUSE_MS = 150;

export interface Journal {
  /** What pages that are gone left unsaved, the newest first. */
  left(): Promise<Left[]>;
  forget(left: Left): void;
  stop(): void;
}

export function startJournal(store: EditorStore, whose: string, storage: Storage = localStorage): Journal {
  const prefix = `editor:${whose}:`;
  const own = `${prefix}${crypto.randomUUID?.() ?? String(Math.random())}`;
  // Held as long as the page is there; without locks, every other entry counts as left behind.
  void globalThis.navigator?.locks?.request(own, () => new Promise(() => undefined));
  let timer: ReturnType<typeof setTimeout> | undefined;

  const write = (): void => {
    const { typed } = store.getState();
    const changes = unsavedIn(store.getState());
    try {
      if (!changes.length && !Object.keys(typed).length) storage.removeItem(own);
      else storage.setItem(own, JSON.stringify({ at: Date.now(), changes, typed }));
    } catch {
      // A browser that keeps nothing, or is full: the draft is saved a moment later anyway.
    }
  };
  const unsubscribe = store.subscribe((now, before) => {
    if (now.document === before.document && now.base === before.base && now.typed === before.typed && now.clash === before.clash) return;
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE_MS);
  });
  const leaving = (): void => {
    clearTimeout(timer);
    write();
  };
  globalThis.addEventListener?.("pagehide", leaving);

  return {
    async left() {
      const state = await globalThis.navigator?.locks?.query();
      const held = new Set(state?.held?.map((lock) => lock.name));
      const names = Object.keys(storage).filter((name) => name.startsWith(prefix) && name !== own && !held.has(name));
      return names.flatMap((name) => entry(storage, name)).sort((a, b) => b.at - a.at);
    },
    forget(left) {
      storage.removeItem(left.name);
    },
    stop() {
      clearTimeout(timer);
      unsubscribe();
      globalThis.removeEventListener?.("pagehide", leaving);
    },
  };
}

/** What is not saved; before it the changes of which it is not decided whether the document gets them. */
export function unsavedIn(state: Pick<State, "document" | "base" | "clash" | "olderClash">): readonly Changes[] {
  const { document, base } = state;
  const older = olderOf(state);
  const undecided = older ? [changesBetween(older.base, older.mine)] : [];
  return [...undecided, changesBetween(base.document, document)].filter((changes) => !isNothing(changes));
}

function entry(storage: Storage, name: string): Left[] {
  try {
    const { at, changes, typed } = parse(storage.getItem(name) ?? "") as Omit<Left, "name">;
    if (!changes.every(({ nodes, edges }) => Array.isArray(nodes) && Array.isArray(edges))) return [];
    const forms = Object.values(typed ?? {});
    if (!forms.every(({ fields, kind, key }) => Array.isArray(fields) && kind && typeof key === "string")) return [];
    return [{ name, at, changes, typed: typed ?? {} }];
  } catch {
    return [];
  }
}
