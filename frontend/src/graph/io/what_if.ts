// Replays recorded executions against the document on the canvas, one after the other.

import type { WorkflowDocument } from "../model/document";
import type { EditorStore } from "../store";
import { askAbout } from "./document_requests";
import { wordsOf } from "./error_text";
import type { Server, Tried } from "./server";

/** A what-if, with all that came so far; `document` is what was tried. */
export interface WhatIf extends Tried {
  readonly document: WorkflowDocument;
  readonly running: boolean;
  readonly wrong: string;
}

export interface Trier {
  start(last: number): Promise<void>;
  /** What was found stays, and can be gone on with. */
  stop(): void;
  goOn(): Promise<void>;
}

const NOTHING_YET: Tried = { run: null, done: 0, whole: 0, sums: [], results: [], incomplete: [] };

export function startTrying(store: EditorStore, server: Pick<Server, "whatIf">): Trier {
  let running = new AbortController();

  const put = (part: Partial<WhatIf>): void => {
    const { whatIf, set } = store.getState();
    if (whatIf) set({ whatIf: { ...whatIf, ...part } });
  };

  async function run(first: { readonly last: number } | null): Promise<void> {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    put({ running: true, wrong: "" });
    try {
      for (let asked = first; asked || store.getState().whatIf?.run; asked = null) {
        const { document, run: next, results, incomplete } = store.getState().whatIf as WhatIf;
        const tried = await askAbout(store, () => document, (about) => server.whatIf(about, asked ?? { run: next as string }, signal), signal);
        if (signal.aborted) return;
        put({ ...tried, results: [...results, ...tried.results], incomplete: [...incomplete, ...tried.incomplete] });
      }
      put({ running: false });
    } catch (error) {
      if (!signal.aborted) put({ running: false, wrong: wordsOf(error) });
    }
  }

  return {
    start(last) {
      const { document, set } = store.getState();
      set({ whatIf: { ...NOTHING_YET, document, running: true, wrong: "" } });
      return run({ last });
    },
    stop() {
      running.abort();
      put({ running: false });
    },
    goOn: () => run(null),
  };
}
