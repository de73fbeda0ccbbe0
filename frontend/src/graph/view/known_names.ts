// The names in the previewed conversation, for the suggestions of forms.

import { useEffect } from "react";
import type { Setup } from "../io/setup";
import { namesIn, NO_NAMES } from "../model/suggestions";
import { useDesk } from "./context";
import type { Source } from "./Preview";

// While one types the id of a conversation.
const PAUSE_MS = 400;

/** The conversation that the preview begins with by itself has names for rules only if it runs this workflow. */
export function hasNames({ conversation, isFirst }: Pick<Source, "conversation" | "isFirst">, offered: Setup["conversations"]): boolean {
  const id = conversation.trim();
  return id !== "" && (!isFirst || offered.some(([each, , isOwn]) => each === id && isOwn));
}

export function useKnownNames({ pasted, conversation, at, context, isFirst }: Source): void {
  const { store, server, setup } = useDesk();
  useEffect(() => {
    const { set } = store.getState();
    const [id, version] = [conversation.trim(), at.trim()];
    if (pasted) return set({ known: namesIn(context) });
    if (!setup.may_preview || !hasNames({ conversation, isFirst }, setup.conversations) || (version && !/^\d{1,9}$/.test(version))) return set({ known: NO_NAMES });
    const running = new AbortController();
    const timer = setTimeout(() => {
      server.names(id, version ? Number(version) : null, running.signal).then(
        (known) => set({ known }),
        // The preview says what is wrong with the conversation.
        () => running.signal.aborted || set({ known: NO_NAMES }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      running.abort();
    };
  }, [store, server, setup, pasted, conversation, at, context, isFirst]);
}
