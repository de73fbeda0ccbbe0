// Receives changes of the draft from the page's socket, and announces what is selected here. The
// socket announces only: what changed is fetched and merged as after a conflict. Its events are
// those of frontend/src/live/main.ts.

import type { Key, WorkflowDocument } from "../model/document";
import type { Author, EditorStore } from "../store";
import type { Saver } from "./autosave";

interface Told {
  readonly frame?: { readonly who?: { readonly kind: string; readonly id: string; readonly name: string } | null };
  readonly state?: { readonly draft_version?: number } | null;
}

/** `person` is whose page this is; `nameOf` says what the page calls a place. */
export function startFollowing(store: EditorStore, saver: Saver, person: string, nameOf: (document: WorkflowDocument, where: string) => string | null): void {
  const hear = (event: Event): void => {
    const { state, frame } = (event as CustomEvent<Told>).detail;
    const version = state?.draft_version;
    // Who wrote what is fetched now; of several in a row, the last one.
    if (typeof version === "number" && version > store.getState().base.version) store.getState().set({ by: authorOf(frame?.who, person, version) });
    if (typeof version === "number") saver.heard(version);
  };
  document.addEventListener("live:welcome", hear);
  document.addEventListener("live:changed", hear);
  document.addEventListener("live:naming", (event) => {
    const { detail } = event as CustomEvent<{ readonly where: string; name: string | null }>;
    detail.name = nameOf(store.getState().document, detail.where);
  });
  store.subscribe((now, before) => {
    if (now.document.nodes !== before.document.nodes) document.dispatchEvent(new CustomEvent("live:renamed"));
    if (now.chosen === before.chosen) return;
    const where = placeOf(now.chosen);
    const detail = { where, editing: now.mayChange && where !== "" };
    document.dispatchEvent(new CustomEvent("live:here", { detail }));
  });
}

function authorOf(who: NonNullable<Told["frame"]>["who"], person: string, version: number): Author | null {
  return who ? { name: who.name, isMe: who.kind === "person" && who.id === person, version } : null;
}

/** The one element that is chosen, as the socket names it; "" for none and for several. */
function placeOf({ nodes, edges }: { readonly nodes: readonly Key[]; readonly edges: readonly Key[] }): string {
  if (nodes.length + edges.length !== 1) return "";
  const [node] = nodes;
  return node !== undefined ? `node:${node}` : `edge:${edges[0]}`;
}
