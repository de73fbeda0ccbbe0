import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { costsWith, startCosting } from "../io/policy_costs";
import type { Asked, Costs, CostWords } from "../io/server";
import type { WorkflowDocument } from "../model/document";
import { type EditorStore, editorStore } from "../store";

const base: WorkflowDocument = {
  name: "w",
  nodes: [{ id: "a", type: "llm" }, { id: "b", type: "llm" }],
  edges: [{ id: "ab", type: "sequence", from: "a", to: "b" }],
};
const cost = (line: string): CostWords => ({ line, brief: line, said: line, basis: "", warning: "", offer: null });
const PAUSE = 1_200;

/** Needs three answers until it has all conversations. */
class Fake {
  asked: Asked[] = [];
  left = 2;

  async costs(asked: Asked): Promise<Costs> {
    this.asked.push(asked);
    const whole = this.left-- <= 0;
    return { whole, said: whole ? "on all" : "estimating", sample: "", nodes: { a: cost(whole ? "-1 %" : ""), b: cost("+2 %") }, edges: {} };
  }
}

describe("costs", () => {
  let server: Fake;
  let store: EditorStore;
  let stop: () => void;
  beforeEach(async () => {
    vi.useFakeTimers();
    server = new Fake();
    store = editorStore({ document: base, version: 1, places: {}, may_change: true });
    stop = startCosting(store, server);
    await vi.advanceTimersByTimeAsync(2_000);
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });

  it("are asked for until all conversations are known, and then no more", async () => {
    expect(server.asked.length).toBe(3);
    expect(store.getState().costs).toMatchObject({ whole: true, said: "on all", nodes: { a: { line: "-1 %" } } });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.asked.length).toBe(3);
  });

  it("of a changed element are gone at once and asked for when nobody types any more", async () => {
    const type = (name: string): void => store.getState().edit({ kind: "change", nodes: [{ key: "a", fields: { config: { model: name } } }], edges: [] }, "Model");
    type("m");
    expect([store.getState().costs?.nodes.a, store.getState().costs?.nodes.b?.line, store.getState().costs?.whole]).toEqual([undefined, "+2 %", false]);
    await vi.advanceTimersByTimeAsync(PAUSE - 100);
    type("mo");
    await vi.advanceTimersByTimeAsync(PAUSE - 100);
    expect(server.asked.length).toBe(3);
    await vi.advanceTimersByTimeAsync(200);
    expect(server.asked.length).toBe(4);
    expect(store.getState().costs?.nodes.a?.line).toBe("-1 %");
  });

  it("are not asked for when a card is moved", async () => {
    store.getState().edit({ kind: "change", nodes: [{ key: "a", fields: { position: { x: 9, y: 9 } } }], edges: [] }, "Move");
    await vi.advanceTimersByTimeAsync(2 * PAUSE);
    expect(server.asked.length).toBe(3);
    expect(store.getState().costs?.nodes.a?.line).toBe("-1 %");
  });

  it("that are the same stay the same objects, so that no card is drawn again", () => {
    const before = store.getState().costs!;
    const now = costsWith(before, { whole: true, said: "", sample: "", nodes: { a: cost("-1 %"), b: cost("+3 %") }, edges: {} });
    expect([now.nodes.a === before.nodes.a, now.nodes.b === before.nodes.b]).toEqual([true, false]);
  });
});
