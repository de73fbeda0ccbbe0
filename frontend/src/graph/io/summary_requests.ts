// Requests the summaries of cards and chips, a moment after their elements have changed.

import { changesBetween } from "../model/changes";
import type { Element, WorkflowDocument } from "../model/document";
import { indexOf, same } from "../model/document";
import type { EditorStore } from "../store";
import { askAbout } from "./document_requests";
import type { Server, ToldWords, Wanted, Words } from "./server";

const PAUSE_MS = 300;
const AGAIN_MS = 5_000;
// Where a card stands, its group and its note are not spoken of.
const SILENT = new Set(["position", "properties"]);

export function startWording(store: EditorStore, server: Pick<Server, "words">): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = new AbortController();
  // Of which the words are known.
  let known: WorkflowDocument | null = null;

  const ask = async (): Promise<void> => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const { document } = store.getState();
    const wanted = wantedOf(known, document);
    try {
      const told = await askAbout(store, () => document, (asked) => server.words(asked, wanted, signal), signal);
      if (signal.aborted) return;
      known = document;
      store.getState().set({ words: wordsWith(store.getState().words, told, document) });
    } catch {
      // The cards go on with what they said; a server that was away is asked again.
      if (!signal.aborted) timer = setTimeout(() => void ask(), AGAIN_MS);
    }
  };
  const unsubscribe = store.subscribe((now, before) => {
    if (now.document === before.document || saysTheSame(now.document, before.document)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), PAUSE_MS);
  });
  void ask();
  return () => {
    clearTimeout(timer);
    running.abort();
    unsubscribe();
  };
}

/** The elements that are other than those whose words are known; all if there are none. */
function wantedOf(known: WorkflowDocument | null, document: WorkflowDocument): Wanted {
  if (!known) return {};
  const { nodes, edges } = changesBetween(known, document);
  const there = (changes: readonly { readonly key: string; readonly after: Element | null }[]): string[] => changes.flatMap(({ key, after }) => (after ? [key] : []));
  return { nodes: there(nodes), edges: there(edges) };
}

/** The words of a document: those that were told now, else those of before. */
export function wordsWith(before: Words | null, { nodes, edges, wrong, warned, problems }: ToldWords, document: WorkflowDocument): Words {
  return {
    nodes: taken(indexOf(document.nodes).keys, before?.nodes, nodes, wrong.nodes, warned.nodes),
    edges: taken(indexOf(document.edges).keys, before?.edges, edges, wrong.edges, warned.edges),
    problems,
  };
}

/** Words that say what they said are the same object: their cards are not drawn again. */
function taken<T extends { readonly problems: readonly string[]; readonly warned?: boolean }>(
  keys: readonly string[],
  before: { readonly [key: string]: T } = {},
  told: { readonly [key: string]: Omit<T, "problems" | "warned"> },
  wrong: { readonly [key: string]: readonly string[] },
  warned: readonly string[],
): { readonly [key: string]: T } {
  const onlyWarned = new Set(warned);
  const all = keys.flatMap((key): [string, T][] => {
    const [was, now] = [own(before, key), own(told, key)];
    const words = now ?? was;
    if (!words) return [];
    const made = { ...words, problems: own(wrong, key) ?? [], warned: onlyWarned.has(key) } as T;
    return [[key, was && same(was, made) ? was : made]];
  });
  return Object.fromEntries(all);
}

function own<T>(values: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

export function saysTheSame(a: WorkflowDocument, b: WorkflowDocument): boolean {
  if (a.edges !== b.edges || a.reducers !== b.reducers || a.name !== b.name || a.nodes.length !== b.nodes.length) return false;
  return a.nodes.every((node, place) => {
    const other = b.nodes[place];
    if (node === other) return true;
    const [left, right] = [node as unknown as Record<string, unknown>, (other ?? {}) as Record<string, unknown>];
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].every((name) => SILENT.has(name) || left[name] === right[name]);
  });
}
