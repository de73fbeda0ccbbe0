// Sends requests about the document on the canvas: only its changes since the last save.

import type { WorkflowDocument } from "../model/document";
import { patchBetween } from "../model/patch";
import type { Clash, Editor, EditorStore } from "../store";
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
    // Until a person has decided what becomes of the others' draft, the server has no answer about this one.
    if (isOpen(store.getState().clash)) await until(store, ({ clash }) => !isOpen(clash), null, signal);
    const state = store.getState();
    try {
      return await ask(askedOf(state, documentOf(state)));
    } catch (error) {
      if (!(error instanceof Refused && error.kind === "conflict")) throw error;
      store.getState().set({ heard: { version: error.actual } });
      await until(store, ({ base, clash }) => base !== state.base || isOpen(clash), AGAIN_MS, signal);
    }
  }
}

function isOpen(clash: Clash | null): boolean {
  return clash !== null && clash.version !== null;
}

function askedOf({ base, published }: Editor, document: WorkflowDocument): Asked {
  const changes = patchBetween(base.document, document);
  return published === null ? { draft_version: base.version, changes } : { version: published, changes };
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
