// Receives changes of the draft from the page's socket, and announces what is selected here. The
// socket announces only: what changed is fetched and merged as after a conflict. Its events are
// those of frontend/src/live/main.ts.

import type { Key } from "../model/document";
import type { EditorStore } from "../store";
import type { Saver } from "./autosave";

interface Told {
  readonly frame?: { readonly who?: { readonly name: string } | null };
  readonly state?: { readonly draft_version?: number } | null;
}

export function startFollowing(store: EditorStore, saver: Saver): void {
  const hear = (event: Event): void => {
    const { state, frame } = (event as CustomEvent<Told>).detail;
    const version = state?.draft_version;
    // Who wrote what is fetched now; of several in a row, the last one.
    if (typeof version === "number" && version > store.getState().base.version) store.getState().set({ by: frame?.who?.name ?? "" });
    if (typeof version === "number") saver.heard(version);
  };
  document.addEventListener("live:welcome", hear);
  document.addEventListener("live:changed", hear);
  store.subscribe((now, before) => {
    if (now.chosen === before.chosen) return;
    const where = placeOf(now.chosen);
    const detail = { where, editing: now.mayChange && where !== "" };
    document.dispatchEvent(new CustomEvent("live:here", { detail }));
  });
}

/** The one element that is chosen, as the socket names it; "" for none and for several. */
function placeOf({ nodes, edges }: { readonly nodes: readonly Key[]; readonly edges: readonly Key[] }): string {
  if (nodes.length + edges.length !== 1) return "";
  const [node] = nodes;
  return node !== undefined ? `node:${node}` : `edge:${edges[0]}`;
}
