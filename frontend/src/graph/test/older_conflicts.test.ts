import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startSaving } from "../io/autosave";
import { unsavedIn } from "../io/journal";
import type { Server } from "../io/server";
import { type EditorStore, editorStore } from "../store";
import { base, Fake, name, named } from "./fake_drafts";

describe("a question about older changes", () => {
  let server: Fake;
  let store: EditorStore;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new Fake();
    store = editorStore({ document: base, version: 1, places: {}, may_change: true });
  });
  afterEach(() => vi.useRealTimers());
  const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1_000);
  const before = base.nodes[0]!;
  const older = { nodes: [{ key: "a", before: { ...before, name: "Old" }, after: { ...before, name: "Left" } }], edges: [] };
  const isOpen = (): boolean => store.getState().clash !== null && store.getState().clash !== store.getState().postponed;
  const putOff = (): void => store.getState().set({ postponed: store.getState().clash });

  it("asks about a later conflict at once, and about the older changes after it", async () => {
    const { bringBack, decide } = store.getState();
    const saver = startSaving(store, server as unknown as Server);
    bringBack(older);
    putOff();
    name(store, "b", "Mine");
    server.changedByOthers((document) => named(document, "b", "Theirs"));
    saver.heard(2);
    await settled();
    expect([isOpen(), store.getState().clash!.conflicts.map(({ key }) => key)]).toEqual([true, ["b"]]);
    expect(unsavedIn(store.getState())).toHaveLength(2);
    putOff();
    expect(isOpen()).toBe(false);
    store.getState().resolve();
    decide({ "node b": "mine" });
    expect([isOpen(), store.getState().clash!.conflicts.map(({ key }) => key)]).toEqual([true, ["a"]]);
    decide({ "node a": "mine" });
    await settled();
    expect(server.draft.document.nodes.map((node) => node.name)).toEqual(["Left", "Mine"]);
    saver.stop();
  });

  it("asks about a later conflict that was met while the question stood open", async () => {
    const saver = startSaving(store, server as unknown as Server);
    store.getState().bringBack(older);
    name(store, "b", "Mine");
    server.changedByOthers((document) => named(document, "b", "Theirs"));
    saver.heard(2);
    await settled();
    expect(store.getState().clash!.conflicts.map(({ key }) => key)).toEqual(["a"]);
    putOff();
    await settled();
    expect([isOpen(), store.getState().clash!.conflicts.map(({ key }) => key)]).toEqual([true, ["b"]]);
    saver.stop();
  });

  it("asks again when the others change the value in question, and stays put off while they do not", () => {
    const { bringBack, receive } = store.getState();
    bringBack(older);
    putOff();
    receive({ document: named(base, "b", "Theirs"), version: 2 });
    expect(isOpen()).toBe(false);
    receive({ document: named(base, "a", "Theirs"), version: 3 });
    expect([isOpen(), store.getState().clash!.conflicts[0]!.theirs]).toMatchObject([true, { name: "Theirs" }]);
    receive({ document: named(base, "a", "Left"), version: 4 });
    expect(store.getState().clash).toBeNull();
  });

  it("takes in another draft while a question about older changes is put off, and keeps these", () => {
    const { receive, bringBack } = store.getState();
    const before = base.nodes[0]!;
    bringBack({ nodes: [{ key: "a", before: { ...before, name: "Old" }, after: { ...before, name: "Left" } }], edges: [] });
    store.getState().set({ postponed: store.getState().clash });
    expect(receive({ document: named(base, "b", "Theirs"), version: 2 })).toBe(true);
    expect(unsavedIn(store.getState())).toMatchObject([{ nodes: [{ key: "a", after: { name: "Left" } }] }]);
    name(store, "a", "Newest");
    expect(unsavedIn(store.getState()).flatMap(({ nodes }) => nodes.map(({ after }) => after?.name))).toEqual(["Left", "Newest"]);
    store.getState().undo();
    store.getState().resolve();
    store.getState().decide({ "node a": "mine" });
    expect(store.getState().document.nodes.map((node) => node.name)).toEqual(["Left", "Theirs"]);
  });

  it("leaves an open question alone when another draft comes", () => {
    const { receive, bringBack } = store.getState();
    name(store, "a", "Mine");
    const before = base.nodes[0]!;
    expect(bringBack({ nodes: [{ key: "a", before: { ...before, name: "Old" }, after: { ...before, name: "Left" } }], edges: [] })).toBe(false);
    const question = store.getState().clash;
    expect(receive({ document: named(base, "a", "Theirs"), version: 2 })).toBe(false);
    expect(store.getState().clash).toBe(question);
  });
});
