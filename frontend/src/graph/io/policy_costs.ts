// Requests the costs of policies on past conversations, some time after the policies have changed.
// The server replays a part of the conversations for each answer and is asked again until it has
// all. What is typed meanwhile ends the question.

import { changesBetween } from "../model/changes";
import type { Key, WorkflowDocument } from "../model/document";
import { same } from "../model/document";
import type { EditorStore } from "../store";
import { askAbout } from "./document_requests";
import type { CostWords, Costs, Server } from "./server";
import { saysTheSame } from "./summary_requests";

const PAUSE_MS = 1_200;
const NEXT_MS = 150;
const AGAIN_MS = 10_000;

export function startCosting(store: EditorStore, server: Pick<Server, "costs">): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = new AbortController();

  const ask = async (): Promise<void> => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const { document } = store.getState();
    try {
      const told = await askAbout(store, () => document, (asked) => server.costs(asked, signal), signal);
      if (signal.aborted) return;
      store.getState().set({ costs: costsWith(store.getState().costs, told) });
      if (!told.whole) timer = setTimeout(() => void ask(), NEXT_MS);
    } catch {
      if (!signal.aborted) timer = setTimeout(() => void ask(), AGAIN_MS);
    }
  };
  const unsubscribe = store.subscribe((now, before) => {
    if (now.document === before.document || saysTheSame(now.document, before.document)) return;
    clearTimeout(timer);
    running.abort();
    const { costs } = now;
    if (costs) store.getState().set({ costs: withoutChanged(costs, before.document, now.document) });
    timer = setTimeout(() => void ask(), PAUSE_MS);
  });
  timer = setTimeout(() => void ask(), NEXT_MS);
  return () => {
    clearTimeout(timer);
    running.abort();
    unsubscribe();
  };
}

/** The costs as they are told now; those that say what they said stay the same objects. */
export function costsWith(before: Costs | null, told: Costs): Costs {
  return { ...told, nodes: taken(before?.nodes ?? {}, told.nodes), edges: taken(before?.edges ?? {}, told.edges) };
}

/** Without the costs of elements that changed: what they would cost is not known yet. */
function withoutChanged(costs: Costs, before: WorkflowDocument, after: WorkflowDocument): Costs {
  const { nodes, edges } = changesBetween(before, after);
  const left = (listed: Costs["nodes"], changed: readonly { readonly key: Key }[]): Costs["nodes"] => {
    const gone = new Set(changed.map(({ key }) => key));
    return Object.fromEntries(Object.entries(listed).filter(([key]) => !gone.has(key)));
  };
  return { ...costs, whole: false, nodes: left(costs.nodes, nodes), edges: left(costs.edges, edges) };
}

function taken(before: Costs["nodes"], told: Costs["nodes"]): Costs["nodes"] {
  return Object.fromEntries(
    Object.entries(told).map(([key, now]): [string, CostWords] => {
      const was = Object.hasOwn(before, key) ? before[key] : undefined;
      return [key, was && same(was, now) ? was : now];
    }),
  );
}
