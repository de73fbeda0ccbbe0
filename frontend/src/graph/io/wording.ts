// Asks for the words of cards and chips, a moment after what they speak of has changed.

import type { WorkflowDocument } from "../model/document";
import type { EditorStore } from "../store";
import type { Server } from "./server";

const PAUSE_MS = 300;
const AGAIN_MS = 5_000;
// Where a card stands, its group and its note are not spoken of.
const SILENT = new Set(["position", "properties"]);

export function startWording(store: EditorStore, server: Server): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = new AbortController();

  const ask = async (): Promise<void> => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    try {
      const words = await server.words(store.getState().document, signal);
      if (!signal.aborted) store.getState().set({ words });
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
