// A draft on a server, for tests of what the page and others do to it.

import { Refused, type Server } from "../io/server";
import type { WorkflowDocument } from "../model/document";
import type { DocumentChanges } from "../model/patch";
import type { EditorStore } from "../store";
import { patched } from "./patching";

export const base: WorkflowDocument = {
  name: "w",
  nodes: [{ id: "a", type: "llm" }, { id: "b", type: "tool" }],
  edges: [{ id: "ab", type: "sequence", from: "a", to: "b" }],
};

/** A server with one draft, that can be away and on which others write. */
export class Fake implements Pick<Server, "saveDraft" | "getDraft"> {
  draft = { document: base, version: 1 };
  failure: Refused | null = null;
  saves: DocumentChanges[] = [];

  async saveDraft(changes: DocumentChanges, expected: number): Promise<number> {
    this.saves.push(changes);
    if (this.failure) throw this.failure;
    if (expected !== this.draft.version) throw new Refused("conflict", "", [], 0, this.draft.version);
    this.draft = { document: patched(this.draft.document, changes), version: expected + 1 };
    return expected + 1;
  }

  async getDraft() {
    return this.draft;
  }

  changedByOthers(make: (document: WorkflowDocument) => WorkflowDocument): void {
    this.draft = { document: make(this.draft.document), version: this.draft.version + 1 };
  }
}

export const named = (document: WorkflowDocument, id: string, name: string): WorkflowDocument => ({
  ...document,
  nodes: document.nodes.map((node) => (node.id === id ? { ...node, name } : node)),
});

export function name(store: EditorStore, id: string, to: string): void {
  store.getState().edit({ kind: "change", nodes: [{ key: id, fields: { name: to } }], edges: [] }, "Name");
}
