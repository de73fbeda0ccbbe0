// Sends requests about the document on the canvas: only its changes since the last save.

import type { WorkflowDocument } from "../model/document";
import { patchBetween } from "../model/patch";
import type { Editor, EditorStore } from "../store";
import { type Asked, Refused } from "./server";

const AGAIN_MS = 3_000;
const SAVING_MS = 1_000;

/**
 * Ask about what `documentOf` gives, and again when the draft was saved meanwhile, by this page or
 * by others: then it is another one of which the changes are told.
 */
export async function askAbout<T>(store: EditorStore, documentOf: (state: Editor) => WorkflowDocument, ask: (asked: Asked) => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    // Asked while a save is on its way, it would be about the draft of before.
    if (store.getState().saving.kind === "saving") await until(store, ({ saving }) => saving.kind !== "saving", SAVING_MS, signal);
    const state = store.getState();
    try {
      return await ask(askedOf(state, documentOf(state)));
    } catch (error) {
      if (!(error instanceof Refused && error.kind === "conflict")) throw error;
      store.getState().set({ heard: { version: error.actual } });
      await until(store, ({ base, clash }) => base !== state.base || clash !== state.clash, AGAIN_MS, signal);
    }
  }
}

/** Until it is decided what becomes of the others' draft, the changes are told of theirs: the server has no other. */
function askedOf({ base, published, clash }: Editor, document: WorkflowDocument): Asked {
  const stored = clash && clash.version !== null ? { document: clash.theirs, version: clash.version } : base;
  const changes = patchBetween(stored.document, document);
  return published === null ? { draft_version: stored.version, changes } : { version: published, changes };
}

/** Resolves when the store is as is wanted, or after a while if there is one. */
function until(store: EditorStore, isSo: (state: Editor) => boolean, most: number | null, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener("abort", aborted);
      then();
    };
    const aborted = (): void => end(() => reject(signal?.reason));
    const timer = most === null ? undefined : setTimeout(() => end(resolve), most);
    const unsubscribe = store.subscribe((now) => isSo(now) && end(resolve));
    if (signal?.aborted) aborted();
    else if (isSo(store.getState())) end(resolve);
    else signal?.addEventListener("abort", aborted);
  });
}
