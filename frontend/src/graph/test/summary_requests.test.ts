import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Asked, ToldWords, Wanted } from "../io/server";
import { saysTheSame, startWording } from "../io/summary_requests";
import type { WorkflowDocument } from "../model/document";
import { type EditorStore, type Typed, editorStore, formName, nodeWords } from "../store";
import { patched } from "./patching";

const base: WorkflowDocument = {
  name: "w",
  nodes: [{ id: "a", type: "llm" }, { id: "b", type: "tool" }],
  edges: [{ id: "ab", type: "sequence", from: "a", to: "b" }],
};

/** Tells the name of each node that is asked for, and of nodes without an edge that they have none. */
class Fake {
  wanted: Wanted[] = [];

  async words({ changes }: Asked, wanted: Wanted): Promise<ToldWords> {
    this.wanted.push(wanted);
    const { nodes, edges } = patched(base, changes);
    const told = nodes.filter(({ id }) => wanted.nodes?.includes(id) ?? true).map(({ id, name, type }) => [id, { title: name ?? id, type_label: type, context_label: "", filter: [] }]);
    const loose = nodes.filter(({ id }) => !edges.some(({ from, to }) => from === id || to === id));
    return {
      nodes: Object.fromEntries(told),
      edges: Object.fromEntries(edges.filter(({ id }) => wanted.edges?.includes(id) ?? true).map(({ id, type }) => [id, { label: type, chips: [], whole: [], condition: null }])),
      wrong: { nodes: Object.fromEntries(loose.map(({ id }) => [id, ["loose"]])), edges: {} },
      warned: { nodes: loose.filter(({ type }) => type === "tool").map(({ id }) => id), edges: [] },
      problems: [],
    };
  }
}

describe("words", () => {
  let server: Fake;
  let store: EditorStore;
  let stop: () => void;
  beforeEach(async () => {
    vi.useFakeTimers();
    server = new Fake();
    store = editorStore({ document: base, version: 1, places: {}, may_change: true });
    stop = startWording(store, server);
    await vi.advanceTimersByTimeAsync(0);
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });
  const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(500);

  it("are asked for of all elements first, then of those that changed", async () => {
    expect(server.wanted).toEqual([{}]);
    const before = store.getState().words!;
    store.getState().edit({ kind: "change", nodes: [{ key: "a", fields: { name: "A" } }], edges: [] }, "Name");
    await settled();
    expect(server.wanted.at(-1)).toEqual({ nodes: ["a"], edges: [] });
    const now = store.getState().words!;
    expect([now.nodes.a?.title, now.nodes.b?.title, now.edges.ab?.label]).toEqual(["A", "b", "sequence"]);
    // So that only one card is drawn again.
    expect([now.nodes.b === before.nodes.b, now.edges.ab === before.edges.ab]).toEqual([true, true]);
  });

  it("tell what became wrong with an element that nobody touched", async () => {
    store.getState().edit({ kind: "remove", nodes: [], edges: ["ab"] }, "Remove");
    await settled();
    expect(server.wanted.at(-1)).toEqual({ nodes: [], edges: [] });
    expect(store.getState().words?.nodes.a?.problems).toEqual(["loose"]);
    expect(store.getState().words?.edges).toEqual({});
    store.getState().undo();
    await settled();
    expect(store.getState().words?.nodes.a?.problems).toEqual([]);
    expect(store.getState().words?.edges.ab?.label).toBe("sequence");
  });

  it("tell elements that have warnings only from those with errors", async () => {
    store.getState().edit({ kind: "remove", nodes: [], edges: ["ab"] }, "Remove");
    await settled();
    expect(nodeWords(store.getState(), "a")?.warned).toBe(false);
    expect(nodeWords(store.getState(), "b")).toMatchObject({ problems: ["loose"], warned: true });
    store.getState().set({ typed: { [formName("node", "b")]: { errors: [{ field: "node-name", label: "Name", message: "too long" }] } as unknown as Typed } });
    expect(nodeWords(store.getState(), "b")).toMatchObject({ problems: ["loose", "Name: too long"], warned: false });
  });

  it("are not asked for when only cards were moved", () => {
    const moved = { ...base, nodes: base.nodes.map((node) => ({ ...node, position: { x: 1, y: 1 } })) };
    expect(saysTheSame(base, moved)).toBe(true);
    expect(saysTheSame(base, { ...base, nodes: [{ ...base.nodes[0]!, name: "A" }, base.nodes[1]!] })).toBe(false);
  });
});
