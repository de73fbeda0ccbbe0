// Asks about the document on the canvas by its changes since it was saved: the server has the rest.

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
      await until(store, ({ base }) => base !== state.base, AGAIN_MS, signal);
    }
  }
}

function askedOf({ base, published }: Editor, document: WorkflowDocument): Asked {
  const changes = patchBetween(base.document, document);
  return published === null ? { draft_version: base.version, changes } : { version: published, changes };
}

/** Resolves when the store is as is wanted, or after a while. */
function until(store: EditorStore, isSo: (state: Editor) => boolean, most: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener("abort", aborted);
      then();
    };
    const aborted = (): void => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(resolve), most);
    const unsubscribe = store.subscribe((now) => isSo(now) && end(resolve));
    if (signal?.aborted) aborted();
    else if (isSo(store.getState())) end(resolve);
    else signal?.addEventListener("abort", aborted);
  });
}
