import { beforeEach, describe, expect, it } from "vitest";
import { addition, change, connection, type NodeKind } from "../model/commands";
import type { WorkflowDocument, WorkflowNode } from "../model/document";
import { find } from "../model/document";
import { type EditorStore, editorStore, formName } from "../store";

const base: WorkflowDocument = { name: "w", nodes: [{ id: "a", type: "llm" }], edges: [] };
const MODEL: NodeKind = { type: "llm", label: "Model", tone: "", icon: "", context_type: "", context_label: "" };

function add(store: EditorStore): string {
  const { edit, key } = addition(store.getState().document, MODEL, { x: 0, y: 0 }, { from: "a" });
  store.getState().edit(edit, "Add");
  store.getState().choose({ nodes: [key] });
  store.getState().set({ unnamed: [key] });
  return key;
}

function theirs(name: string): WorkflowDocument {
  const other = editorStore({ document: base, version: 1, places: {}, may_change: true });
  add(other);
  other.getState().edit({ kind: "change", nodes: [{ key: "model", fields: { name } }], edges: [] }, "Name");
  return other.getState().document;
}

describe("two people who add a node at the same moment", () => {
  let store: EditorStore;
  beforeEach(() => {
    store = editorStore({ document: base, version: 1, places: {}, may_change: true });
    add(store);
  });
  const names = (): unknown[] => store.getState().document.nodes.map(({ id, name }) => [id, name]);
  const receive = (name: string): boolean => store.getState().receive({ document: theirs(name), version: 2 });

  it("have two nodes, each with its edges", () => {
    store.getState().edit({ kind: "change", nodes: [{ key: "model", fields: { name: "Beta" } }], edges: [] }, "Name");
    expect(receive("Alpha")).toBe(true);
    expect(names()).toEqual([["a", undefined], ["model", "Alpha"], ["model-2", "Beta"]]);
    expect(store.getState().document.edges.map(({ id, to }) => [id, to])).toEqual([["a-model", "model"], ["a-model-2", "model-2"]]);
    expect(store.getState()).toMatchObject({ clash: null, chosen: { nodes: ["model-2"] }, unnamed: ["model-2"], reissued: { "node model": "model-2" } });
  });

  it("have two also where both nodes are the same", () => {
    receive("Model");
    expect(names()).toEqual([["a", undefined], ["model", "Model"], ["model-2", "Model"]]);
  });

  it("undo and redo their own", () => {
    store.getState().edit({ kind: "change", nodes: [{ key: "model", fields: { name: "Beta" } }], edges: [] }, "Name");
    receive("Alpha");
    store.getState().undo();
    expect(names()).toEqual([["a", undefined], ["model", "Alpha"], ["model-2", "Model"]]);
    store.getState().undo();
    expect(names()).toEqual([["a", undefined], ["model", "Alpha"]]);
    store.getState().redo();
    expect(names()).toEqual([["a", undefined], ["model", "Alpha"], ["model-2", "Model"]]);
    expect(store.getState().document.edges).toHaveLength(2);
  });

  it("redo their own where it was undone when the other's came", () => {
    store.getState().undo();
    receive("Alpha");
    store.getState().redo();
    expect(names()).toEqual([["a", undefined], ["model-2", "Model"], ["model", "Alpha"]]);
  });

  it("go on typing into their own form", () => {
    const node = find(store.getState().document.nodes, "model") as WorkflowNode;
    store.getState().keepTyped("node model", { kind: "node", key: "model", fields: [["node-id", "model"], ["node-name", "Be"]], base: node, touch: "", errors: [], isRead: false });
    receive("Alpha");
    expect(store.getState().typed).toMatchObject({ [formName("node", "model-2")]: { key: "model-2", base: { id: "model-2" }, fields: [["node-id", "model-2"], ["node-name", "Be"]] } });
    expect(store.getState().typed["node model"]).toBeUndefined();
  });

  it("decide about an id that one of them typed", () => {
    const { document, edit } = store.getState();
    edit(change(document, "node", "model", { ...(find(document.nodes, "model") as WorkflowNode), id: "judge" }), "ID");
    const other = { ...base, nodes: [...base.nodes, { id: "judge", type: "tool" }] };
    expect(store.getState().receive({ document: other, version: 2 })).toBe(false);
    expect(store.getState().clash?.conflicts.map(({ key }) => key)).toEqual(["judge"]);
  });

  it("have one node if it is the own one, of which no answer came", () => {
    const { document, sent, receive: take } = store.getState();
    sent(document);
    store.getState().edit({ kind: "change", nodes: [{ key: "model", fields: { name: "Beta" } }], edges: [] }, "Name");
    expect(take({ document, version: 2 })).toBe(true);
    expect(names()).toEqual([["a", undefined], ["model", "Beta"]]);
  });

  it("have one edge between the same nodes", () => {
    const two: WorkflowDocument = { ...base, nodes: [...base.nodes, { id: "b", type: "llm" }] };
    const mine = editorStore({ document: two, version: 1, places: {}, may_change: true });
    const { edit } = connection(two, "a", "b");
    mine.getState().edit(edit, "Connect");
    mine.getState().receive({ document: { ...two, edges: [{ id: "a-b", type: "sequence", from: "a", to: "b" }] }, version: 2 });
    expect(mine.getState().document.edges.map(({ id }) => id)).toEqual(["a-b"]);
  });

  it("keep the ids of what was saved before", () => {
    const { document, saved } = store.getState();
    saved({ document, version: 2 });
    store.getState().edit({ kind: "remove", nodes: ["model"], edges: ["a-model"] }, "Delete");
    saved({ document: base, version: 3 });
    store.getState().undo();
    store.getState().receive({ document, version: 4 });
    expect(store.getState().document.nodes.map(({ id }) => id)).toEqual(["a", "model"]);
  });
});
