// Saves the draft by itself: a moment after the last edit, again when the server was away, and
// merged when someone else was faster.

import type { WorkflowDocument } from "../model/document";
import { type DocumentChanges, isEmpty, patchBetween } from "../model/patch";
import type { EditorStore } from "../store";
import { refusalOf } from "./error_text";
import { Refused, type Server } from "./server";

const PAUSE_MS = 700;
const WAITS_MS = [2_000, 4_000, 8_000, 15_000, 30_000];

export interface Saver {
  /** Save now if there is something to be saved. */
  flush(): Promise<void>;
  /** Save, also what changes while it is saved; true if the server has all of it. */
  finish(): Promise<boolean>;
  /** Someone may have saved this version of the draft: fetch and merge it, unless it is known. */
  heard(version: number): void;
  stop(): void;
}

export function startSaving(store: EditorStore, server: Server): Saver {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let turn: Promise<void> = Promise.resolve();
  let failures = 0;
  // What the server refused is not sent again before it is another.
  let refused: WorkflowDocument | null = null;

  const later = (wait: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), wait);
  };

  const isDirty = (): boolean => {
    const { document, base, clash, mayChange } = store.getState();
    return mayChange && !clash && document !== base.document && document !== refused;
  };

  function flush(): Promise<void> {
    clearTimeout(timer);
    if (!running && isDirty()) turn = save();
    return turn;
  }

  async function finish(): Promise<boolean> {
    // A save, a merge with what others saved meanwhile, and what was changed during both.
    for (let times = 0; times < 4 && isDirty(); times += 1) {
      await flush();
      if (["offline", "signed-out"].includes(store.getState().saving.kind)) break;
    }
    const { document, base, clash } = store.getState();
    return document === base.document && !clash;
  }

  async function save(): Promise<void> {
    running = true;
    const { document, base, set, saved } = store.getState();
    const changes = patchBetween(base.document, document);
    set({ saving: { kind: "saving" } });
    try {
      const version = isEmpty(changes) ? base.version : await server.saveDraft(changes, base.version);
      failures = 0;
      saved({ document, version });
      set({ saving: { kind: store.getState().document === document ? "saved" : "waiting" } });
    } catch (error) {
      await failed(error, document, changes);
    } finally {
      running = false;
      if (isDirty() && store.getState().saving.kind === "waiting") later(PAUSE_MS);
      void catchUp();
    }
  }

  /** Take in what others saved, also while nothing is to be saved here. */
  async function catchUp(): Promise<void> {
    if (running || !isBehind()) return;
    running = true;
    let taken = false;
    try {
      const isTaken = store.getState().receive(await server.getDraft());
      const { document, base, clash, set } = store.getState();
      set({ saving: { kind: document === base.document ? "saved" : "waiting" } });
      taken = isTaken || clash?.version !== null;
    } catch {
      // It is heard of again, or met as a conflict by the next request.
    } finally {
      running = false;
      if (isDirty()) later(PAUSE_MS);
    }
    if (taken) await catchUp(); // what was heard of meanwhile
  }

  /** A draft was heard of that this page has neither taken in nor asks about. */
  function isBehind(): boolean {
    const { base, clash, heard } = store.getState();
    if (clash && clash.version !== null) return heard.version > clash.version;
    return heard.version > base.version;
  }

  async function failed(error: unknown, sent: WorkflowDocument, changes: DocumentChanges): Promise<void> {
    const { set } = store.getState();
    const refusal = error instanceof Refused ? error : new Refused("offline", String(error));
    switch (refusal.kind) {
      case "conflict":
        return mergeNewest();
      case "signed-out":
        set({ saving: { kind: "signed-out" } });
        return tryAgain();
      case "offline":
        store.getState().sent(sent);
        return tryAgain(refusal.retryAfter);
      case "forbidden":
      case "invalid":
        refused = sent;
        set({ saving: { kind: "refused", why: refusalOf(refusal, changes, store.getState()) }, refused: refusal.problems });
    }
  }

  async function mergeNewest(): Promise<void> {
    try {
      const theirs = await server.getDraft();
      store.getState().receive(theirs);
      store.getState().set({ saving: { kind: "waiting" } });
    } catch {
      tryAgain();
    }
  }

  function tryAgain(least = 0): void {
    const wait = Math.max(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] as number, least * 1000);
    failures += 1;
    if (store.getState().saving.kind !== "signed-out") {
      store.getState().set({ saving: { kind: "offline", again: Date.now() + wait } });
    }
    later(wait);
  }

  const unsubscribe = store.subscribe((now, before) => {
    // A question that is put off no longer keeps others waiting.
    if (now.heard !== before.heard || now.postponed !== before.postponed) void catchUp();
    if (now.document === before.document && now.clash === before.clash && now.base === before.base) return;
    if (!isDirty()) {
      // Undone until it was as the server has it.
      if (!running && now.document === now.base.document) now.set({ saving: { kind: "saved" } });
      return;
    }
    if (!running && now.saving.kind !== "waiting" && now.saving.kind !== "offline" && now.saving.kind !== "signed-out") {
      now.set({ saving: { kind: "waiting" } });
    }
    if (now.saving.kind !== "offline") later(PAUSE_MS);
  });
  const online = (): void => void flush();
  const hidden = (): void => {
    if (globalThis.document?.visibilityState === "hidden") void flush();
  };
  globalThis.addEventListener?.("online", online);
  globalThis.document?.addEventListener("visibilitychange", hidden);

  return {
    flush,
    finish,
    heard(version) {
      const { heard, set } = store.getState();
      set({ heard: { version: Math.max(heard.version, version) } });
    },
    stop() {
      clearTimeout(timer);
      unsubscribe();
      globalThis.removeEventListener?.("online", online);
      globalThis.document?.removeEventListener("visibilitychange", hidden);
    },
  };
}
