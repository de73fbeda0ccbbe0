import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askAbout } from "../io/document_requests";
import { startJournal, unsavedIn } from "../io/journal";
import { startSaving } from "../io/autosave";
import { Refused, type Server } from "../io/server";
import { canKeep, parse } from "../io/json";
import type { WorkflowDocument } from "../model/document";
import { countOf } from "../model/changes";
import { removal } from "../model/commands";
import { find } from "../model/document";
import { standing } from "../model/merge";
import { patchBetween } from "../model/patch";
import { type EditorStore, editorStore } from "../store";
import { base, Fake, name, named } from "./fake_drafts";

describe("saving", () => {
  let server: Fake;
  let store: EditorStore;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new Fake();
    store = editorStore({ document: base, version: 1, places: {}, may_change: true });
    startSaving(store, server as unknown as Server);
  });
  afterEach(() => vi.useRealTimers());
  const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1_000);

  it("waits for the last of several edits", async () => {
    name(store, "a", "A");
    await vi.advanceTimersByTimeAsync(500);
    name(store, "a", "AA");
    await settled();
    expect(server.saves).toHaveLength(1);
    expect(find(server.draft.document.nodes, "a")?.name).toBe("AA");
    expect(store.getState().saving.kind).toBe("saved");
  });

  it("takes in what others saved and saves both", async () => {
    server.changedByOthers((document) => named(document, "b", "Theirs"));
    name(store, "a", "Mine");
    await settled();
    await settled();
    expect(server.draft.document.nodes.map((node) => node.name)).toEqual(["Mine", "Theirs"]);
    expect(store.getState().document).toEqual(server.draft.document);
    expect(server.saves.at(-1)).toEqual({ nodes: { changed: { a: { id: "a", type: "llm", name: "Mine" } } } });
  });

  it("undoes mine alone after theirs came in", async () => {
    server.changedByOthers((document) => ({ ...document, nodes: document.nodes.map((node) => ({ ...node, description: "theirs" })) }));
    name(store, "a", "Mine");
    await settled();
    await settled();
    store.getState().undo();
    expect(find(store.getState().document.nodes, "a")).toEqual({ id: "a", type: "llm", description: "theirs" });
  });

  it("undoes no deletion that someone else has taken back, and forgets the step", async () => {
    store.getState().edit(removal(base, { nodes: ["a"], edges: [] }), "Delete");
    await settled();
    server.changedByOthers(() => named(base, "a", "Theirs"));
    store.getState().set({ heard: { version: 3 } });
    await settled();
    expect(store.getState().undo()).toBe("none");
    expect(store.getState().history).toEqual({ past: [], future: [] });
    expect(store.getState().document).toEqual(named(base, "a", "Theirs"));
    expect(store.getState().saving.kind).toBe("saved");
  });

  it("stops at what both changed until it is decided", async () => {
    server.changedByOthers((document) => named(document, "a", "Theirs"));
    name(store, "a", "Mine");
    await settled();
    await settled();
    expect(store.getState().clash?.conflicts).toHaveLength(1);
    expect(find(server.draft.document.nodes, "a")?.name).toBe("Theirs");
    expect(server.saves).toHaveLength(1);
    store.getState().decide({ "node a": "mine" });
    await settled();
    expect(find(server.draft.document.nodes, "a")?.name).toBe("Mine");
    expect(store.getState().saving.kind).toBe("saved");
  });

  it("keeps what was changed while the question stood, and asks about it too where both changed it", async () => {
    server.changedByOthers((document) => named(named(document, "a", "Theirs"), "b", "Theirs"));
    name(store, "a", "Mine");
    await settled();
    await settled();
    name(store, "b", "Later");
    store.getState().decide({ "node a": "theirs" });
    expect(store.getState().clash?.conflicts.map(({ key }) => key)).toEqual(["a", "b"]);
    store.getState().decide({ "node a": "theirs", "node b": "mine" });
    await settled();
    expect(server.draft.document.nodes.map((node) => node.name)).toEqual(["Theirs", "Later"]);
  });

  it("asks about what others save while the question stands, and sends nothing", async () => {
    server.changedByOthers((document) => named(document, "a", "Theirs"));
    const saver = startSaving(store, server as unknown as Server);
    name(store, "a", "Mine");
    saver.heard(2);
    await settled();
    expect(store.getState()).toMatchObject({ saving: { kind: "waiting" }, clash: { version: 2 } });
    const decided = { "node a": { side: "mine", of: store.getState().clash!.conflicts[0]! } } as const;
    server.changedByOthers((document) => named(document, "b", "Theirs"));
    saver.heard(3);
    await settled();
    expect(store.getState().clash).toMatchObject({ version: 3, theirs: server.draft.document });
    expect(standing(decided, store.getState().clash!.conflicts)).toEqual({ "node a": "mine" });
    server.changedByOthers((document) => named(document, "a", "Theirs again"));
    saver.heard(4);
    await settled();
    expect(store.getState().clash!.conflicts[0]!.theirs).toMatchObject({ name: "Theirs again" });
    expect(standing(decided, store.getState().clash!.conflicts)).toEqual({});
    expect(server.saves).toEqual([]);
    server.changedByOthers(() => base);
    saver.heard(5);
    await settled();
    expect(store.getState().clash).toBeNull(); // they took it back
    await settled();
    expect(find(server.draft.document.nodes, "a")?.name).toBe("Mine");
    saver.stop();
  });

  it("asks about this draft by what differs from the others' while the question stands", async () => {
    server.changedByOthers((document) => named(document, "a", "Theirs"));
    name(store, "a", "Mine");
    await settled();
    await settled();
    const asked: unknown[] = [];
    const answer = await askAbout(store, ({ document }) => document, async (about) => {
      asked.push(about);
      return "told";
    });
    expect([answer, asked]).toEqual(["told", [{ draft_version: 2, changes: patchBetween(server.draft.document, store.getState().document) }]]);
  });

  it("saves and loses nothing while the question is put off, and asks it again as it is by then", async () => {
    server.changedByOthers((document) => named(document, "a", "Theirs"));
    name(store, "a", "Mine");
    await settled();
    await settled();
    store.getState().set({ postponed: store.getState().clash });
    name(store, "b", "Later");
    await settled();
    expect(server.saves).toHaveLength(1);
    expect(countOf(unsavedIn(store.getState()))).toBe(2);
    store.getState().resolve();
    expect(store.getState().postponed).toBeNull();
    store.getState().decide({ "node a": "theirs" });
    await settled();
    expect(server.draft.document.nodes.map((node) => node.name)).toEqual(["Theirs", "Later"]);
  });

  it("stays put off while the others save something else, and is asked again when the conflict is another one", async () => {
    server.changedByOthers((document) => named(document, "a", "Theirs"));
    const saver = startSaving(store, server as unknown as Server);
    name(store, "a", "Mine");
    saver.heard(2);
    await settled();
    store.getState().set({ postponed: store.getState().clash });
    const isPutOff = (): boolean => store.getState().clash !== null && store.getState().clash === store.getState().postponed;
    const others = async (version: number, change: (document: WorkflowDocument) => WorkflowDocument): Promise<void> => {
      server.changedByOthers(change);
      saver.heard(version);
      await settled();
      expect(store.getState().clash).toMatchObject({ version });
    };
    await others(3, (document) => named(document, "b", "Theirs"));
    expect(isPutOff()).toBe(true);
    await others(4, (document) => ({ ...document, nodes: document.nodes.map((node) => ({ ...node, position: { x: 1, y: 2 } })) }));
    expect(isPutOff()).toBe(true);
    await others(5, (document) => named(document, "a", "Theirs again"));
    expect(isPutOff()).toBe(false);
    store.getState().set({ postponed: store.getState().clash });
    name(store, "b", "Mine");
    await others(6, (document) => named(document, "b", "Theirs again"));
    expect(isPutOff()).toBe(false);
    saver.stop();
  });

  it("saves at once what is no question any more, also while it is put off", async () => {
    server.changedByOthers((document) => named(named(document, "a", "Theirs"), "b", "Theirs"));
    name(store, "a", "Mine");
    await settled();
    await settled();
    store.getState().set({ postponed: store.getState().clash });
    store.getState().undo();
    expect(store.getState()).toMatchObject({ clash: null, postponed: null, document: server.draft.document });
    await settled();
    expect(store.getState().saving.kind).toBe("saved");
  });

  it("finishes only when what came during a save is saved too", async () => {
    const saver = startSaving(store, server as unknown as Server);
    name(store, "a", "A");
    const first = saver.flush();
    name(store, "b", "B");
    expect(await saver.finish()).toBe(true);
    await first;
    expect(server.draft.document.nodes.map((node) => node.name)).toEqual(["A", "B"]);
    server.failure = new Refused("offline", "");
    name(store, "a", "AA");
    expect(await saver.finish()).toBe(false);
    saver.stop();
  });

  it("sends nothing for what is as it was saved", async () => {
    name(store, "a", "A");
    store.getState().edit({ kind: "change", nodes: [{ key: "a", fields: { name: null } }], edges: [] }, "Name");
    await settled();
    expect(server.saves).toEqual([]);
    expect(store.getState().saving.kind).toBe("saved");
  });

  it("tries again when the server was away, and loses nothing", async () => {
    server.failure = new Refused("offline", "");
    name(store, "a", "A");
    await settled();
    expect(store.getState().saving.kind).toBe("offline");
    name(store, "b", "B");
    server.failure = null;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.draft.document.nodes.map((node) => node.name)).toEqual(["A", "B"]);
    expect(store.getState().saving.kind).toBe("saved");
  });

  it("says why something is refused, and does not send it again before it is another", async () => {
    server.failure = new Refused("invalid", "too long", [{ message: "too long", pointer: "/changes/nodes/changed/a/name" }]);
    name(store, "a", "A");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.saves).toHaveLength(1);
    expect(store.getState().saving).toEqual({ kind: "refused", why: "A › name: too long" });
    server.failure = new Refused("invalid", "no id", [{ message: "no id", pointer: "/changes/nodes/added/0/element/id" }]);
    store.getState().edit({ kind: "add", nodes: [{ element: { id: "new one", type: "llm" } }], edges: [] }, "Add");
    await settled();
    expect(store.getState().saving).toEqual({ kind: "refused", why: "new one › id: no id" });
    store.getState().undo();
    server.failure = null;
    name(store, "a", "B");
    await settled();
    expect(store.getState().saving.kind).toBe("saved");
  });

  it("sends nothing for who may only look", async () => {
    const looking = editorStore({ document: base, version: 1, places: {}, may_change: false });
    startSaving(looking, server as unknown as Server);
    name(looking, "a", "A");
    await settled();
    expect(looking.getState().document).toEqual(base);
    expect(server.saves).toEqual([]);
  });
});

describe("the journal", () => {
  class Shelf {
    constructor() {
      Object.defineProperty(this, "removeItem", { value: (key: string) => delete (this as Record<string, unknown>)[key] });
      Object.defineProperty(this, "setItem", { value: (key: string, value: string) => Object.assign(this, { [key]: value }) });
      Object.defineProperty(this, "getItem", { value: (key: string) => (this as Record<string, unknown>)[key] ?? null });
    }
  }

  it("keeps what is not saved, and a page that comes later brings it back", async () => {
    vi.useFakeTimers();
    const shelf = new Shelf() as unknown as Storage;
    const crashed = editorStore({ document: base, version: 1, places: {}, may_change: true });
    startJournal(crashed, "me:w", shelf);
    name(crashed, "a", "Unsaved");
    crashed.getState().keepTyped("node b", { kind: "node", key: "b", fields: [["node-id", "??"]], base: base.nodes[1]!, touch: "", errors: [{ field: "node-id", label: "ID", message: "no id" }], isRead: true });
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    const later = editorStore({ document: named(base, "b", "Theirs"), version: 2, places: {}, may_change: true });
    const journal = startJournal(later, "me:w", shelf);
    const [left] = await journal.left();
    expect(left?.typed["node b"]?.fields).toEqual([["node-id", "??"]]);
    expect(left!.changes.map((each) => later.getState().bringBack(each))).toEqual([true]);
    expect(later.getState().document.nodes.map((node) => node.name)).toEqual(["Unsaved", "Theirs"]);
    later.getState().undo();
    expect(later.getState().document.nodes.map((node) => node.name)).toEqual([undefined, "Theirs"]);
    journal.forget(left!);
    expect(await journal.left()).toEqual([]);
  });

  it("of another person or workflow is not offered", async () => {
    const shelf = new Shelf() as unknown as Storage;
    shelf.setItem("editor:other:w:1", JSON.stringify({ at: 1, changes: { nodes: [], edges: [] } }));
    shelf.setItem("editor:me:w:2", "broken");
    const store = editorStore({ document: base, version: 1, places: {}, may_change: true });
    expect(await startJournal(store, "me:w", shelf).left()).toEqual([]);
  });
});

describe("numbers", () => {
  const text = '{"seed":9223372036854775807,"small":1}';

  it("that JavaScript would round are kept, or the text is known as one that cannot be", () => {
    if (canKeep(text)) expect(JSON.stringify(parse(text))).toBe(text);
    else expect((JSON as { rawJSON?: unknown }).rawJSON).toBeUndefined();
    expect(canKeep('{"small":[1,2.5,"9223372036854775807"]}')).toBe(true);
  });
});
