import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Reader, startReading } from "../io/form_reader";
import { type Asked, type Fields, type Reading, Refused } from "../io/server";
import type { Element, JsonObject, WorkflowDocument, WorkflowNode } from "../model/document";
import { find } from "../model/document";
import { type ElementKind, elementOf } from "../model/form_edits";
import { type EditorStore, editorStore, formName } from "../store";
import { patched } from "./patching";

const base: WorkflowDocument = {
  name: "w",
  nodes: [{ id: "a", type: "llm" }, { id: "b", type: "tool" }],
  edges: [{ id: "ab", type: "sequence", from: "a", to: "b" }],
};

/** Reads forms as the server does: an id with a blank says no element. */
class Fake {
  failure: Refused | null = null;
  asked: Fields[] = [];
  sent: unknown[] = [];
  draft = { document: base, version: 1 };
  hold: Promise<void> = Promise.resolve();

  async read(_kind: ElementKind, sent: string, asked: Asked, fields: Fields): Promise<Reading> {
    this.asked.push(fields);
    await this.hold;
    if (this.failure) throw this.failure;
    if (asked.draft_version !== this.draft.version) throw new Refused("conflict", "", [], 0, this.draft.version);
    const said = Object.fromEntries(fields);
    const id = said["node-id"] ?? "";
    if (id.includes(" ")) return { element: null, id: sent, errors: [{ field: "node-id", label: "ID", message: "no id" }] };
    if (said["node-description"]?.includes("!")) return { element: null, id: sent, errors: [{ field: "node-description", label: "Description", message: "no number" }] };
    const before = patched(this.draft.document, asked.changes).nodes.find((node) => node.id === sent);
    this.sent.push(before);
    const { name: _, description: __, ...rest } = before ?? { id, type: "llm" };
    const element = { ...rest, id, ...(said["node-name"] ? { name: said["node-name"] } : {}), ...(said["node-description"] ? { description: said["node-description"] } : {}) };
    return { element: element as unknown as JsonObject, id: sent, errors: [] };
  }
}

describe("what is typed into a form", () => {
  let server: Fake;
  let store: EditorStore;
  let reader: Reader;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new Fake();
    store = editorStore({ document: base, version: 1, may_change: true, places: {} });
    reader = startReading(store, server);
  });
  afterEach(() => {
    reader.stop();
    vi.useRealTimers();
  });
  const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(500);
  const node = (key: string): WorkflowNode | undefined => find(store.getState().document.nodes, key);

  /** Type into the form of a node that was drawn of `drawn`. */
  function type(key: string, fields: Record<string, string>, drawn: Element = find(base.nodes, key)!): void {
    const all = Object.entries({ "node-id": key, "node-name": "", "node-description": "", ...fields });
    store.getState().keepTyped(formName("node", key), { kind: "node", key, fields: all, base: drawn, touch: "form 1 name", errors: [], isRead: false });
  }

  function others(fields: Partial<WorkflowNode>, key = "a"): void {
    const { document, version } = store.getState().base;
    const nodes = document.nodes.map((each) => (each.id === key ? { ...each, ...fields } : each));
    server.draft = { document: { ...document, nodes }, version: version + 1 };
    store.getState().receive(server.draft);
  }

  it("is in the document a moment after the last key, in one step", async () => {
    type("a", { "node-name": "A" });
    type("a", { "node-name": "Ada" });
    await settled();
    expect(server.asked).toHaveLength(1);
    type("a", { "node-name": "Ada L" }, { ...base.nodes[0]!, name: "Ada" });
    await settled();
    expect(node("a")?.name).toBe("Ada L");
    expect(store.getState().typed).toEqual({});
    store.getState().undo();
    expect(store.getState().document).toEqual(base);
  });

  it("is merged with what somebody else changed in the same element meanwhile", async () => {
    type("a", { "node-description": "mine" });
    others({ name: "Theirs" });
    await settled();
    expect(node("a")).toMatchObject({ name: "Theirs", description: "mine" });
  });

  it("is read as the form showed its element, whatever was set beside the form since", async () => {
    const filter = { messages: [{ operation: "truncate", truncate: { keep_last: 6 } }] };
    type("a", { "node-name": "Mine" });
    store.getState().edit({ kind: "change", nodes: [{ key: "a", fields: { context_filter: filter } }], edges: [] }, "Messages");
    await settled();
    expect(server.sent).toEqual([base.nodes[0]]);
    expect(node("a")).toMatchObject({ name: "Mine", context_filter: filter });
    expect(store.getState().clash).toBeNull();
  });

  it("gives way to what the same person set later, and replaces what was set before", async () => {
    const name = (to: string): void => store.getState().edit({ kind: "change", nodes: [{ key: "a", fields: { name: to } }], edges: [] }, "Name");
    type("a", { "node-name": "First" });
    name("Second");
    await settled();
    expect(node("a")?.name).toBe("Second");
    store.getState().saved({ document: store.getState().document, version: 1 });
    server.draft = store.getState().base as typeof server.draft;
    store.getState().keepTyped(formName("node", "a"), { kind: "node", key: "a", fields: [["node-id", "a"], ["node-name", "Third"]], base: base.nodes[0]!, over: node("a"), touch: "form 2 name", errors: [], isRead: false });
    await settled();
    expect(node("a")?.name).toBe("Third");
    expect(store.getState().clash).toBeNull();
  });

  it("stays while it cannot be read, and is merged when it is fixed", async () => {
    type("a", { "node-id": "a b" });
    await settled();
    expect(store.getState().typed[formName("node", "a")]).toMatchObject({ isRead: true, errors: [{ label: "ID", message: "no id" }] });
    others({ properties: { canvas: { note: { text: "n" } } } });
    await settled();
    expect(store.getState().typed[formName("node", "a")]?.fields).toContainEqual(["node-id", "a b"]);
    type("a", { "node-id": "a2" });
    await settled();
    expect(node("a2")?.properties).toEqual({ canvas: { note: { text: "n" } } });
    expect(store.getState().document.edges[0]?.from).toBe("a2");
  });

  it("gives the element back what it had when its first letters turn out to be the beginning of something wrong", async () => {
    const held = { ...base.nodes[0]!, description: "old" };
    store.getState().edit({ kind: "change", nodes: [{ key: "a", fields: { description: "old" } }], edges: [] }, "Describe");
    const drawn = find(store.getState().document.nodes, "a")!;
    type("a", { "node-description": "1" }, drawn);
    await settled();
    others({ name: "Theirs" });
    type("a", { "node-description": "12" }, { ...held, description: "1" });
    await settled();
    expect(node("a")?.description).toBe("12");
    type("a", { "node-description": "12x!" }, { ...held, name: "Theirs", description: "12" });
    await settled();
    expect(node("a")).toMatchObject({ name: "Theirs", description: "old" });
    type("a", { "node-description": "123", "node-name": "Theirs" }, store.getState().typed[formName("node", "a")]!.base as Element);
    await settled();
    expect(node("a")).toMatchObject({ name: "Theirs", description: "123" });
    expect(store.getState().clash).toBe(null);
  });

  it("waits for the draft that others saved meanwhile, and is read with it", async () => {
    server.draft = { document: { ...base, nodes: [base.nodes[0]!, { ...base.nodes[1]!, name: "Theirs" }] }, version: 2 };
    type("a", { "node-name": "Mine" });
    await settled();
    expect(store.getState().heard.version).toBe(2);
    expect(store.getState().typed[formName("node", "a")]?.isRead).toBe(false);
    store.getState().receive(server.draft);
    await settled();
    expect(store.getState().document.nodes.map(({ name }) => name)).toEqual(["Mine", "Theirs"]);
  });

  it("is asked about where somebody else changed the same field", async () => {
    type("a", { "node-name": "Mine" });
    others({ name: "Theirs" });
    await settled();
    const { clash, decide } = store.getState();
    expect(clash?.conflicts).toMatchObject([{ key: "a", mine: { name: "Mine" }, theirs: { name: "Theirs" } }]);
    decide({ "node a": "mine" });
    expect(node("a")?.name).toBe("Mine");
  });

  it("is read while a conflict waits, and waits with one of its own", async () => {
    type("a", { "node-name": "Mine" });
    others({ name: "Theirs" });
    await settled();
    store.getState().set({ postponed: store.getState().clash });
    type("b", { "node-name": "Read" });
    await settled();
    expect(node("b")?.name).toBe("Read");
    type("a", { "node-name": "Mine again" });
    await settled();
    expect(store.getState().clash?.conflicts).toMatchObject([{ mine: { name: "Mine" } }]);
    expect(store.getState().typed[formName("node", "a")]).toBeDefined();
  });

  it("is asked about where somebody else took the element away", async () => {
    type("a", { "node-name": "Mine" });
    server.draft = { document: { name: "w", nodes: [base.nodes[1]!], edges: [] }, version: 2 };
    store.getState().receive(server.draft);
    await settled();
    expect(store.getState().clash?.conflicts).toMatchObject([{ key: "a", mine: { name: "Mine" } }]);
    store.getState().decide({ "node a": "mine" });
    expect(node("a")?.name).toBe("Mine");
  });

  it("is forgotten with an element that one takes away oneself", async () => {
    type("a", { "node-name": "Mine" });
    store.getState().edit({ kind: "remove", nodes: ["a"], edges: ["ab"] }, "Delete");
    await settled();
    expect(store.getState().typed).toEqual({});
    expect(node("a")).toBeUndefined();
  });

  it("is read when the server is back, and until then it is told", async () => {
    server.failure = new Refused("offline", "");
    type("a", { "node-name": "A" });
    await settled();
    expect(store.getState().readingFails).toBe("offline");
    server.failure = null;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(node("a")?.name).toBe("A");
    expect(store.getState().readingFails).toBeNull();
  });

  it("is not overtaken by the answer to what was typed before", async () => {
    let release = (): void => undefined;
    server.hold = new Promise((resolve) => (release = resolve));
    type("a", { "node-name": "A" });
    await settled();
    type("a", { "node-name": "Ada" });
    release();
    await settled();
    expect(node("a")?.name).toBe("Ada");
    expect(store.getState().history.past).toHaveLength(1);
  });

  it("is all read before one leaves, unless it says no element", async () => {
    type("a", { "node-name": "A" });
    expect(await reader.finish()).toBe(true);
    expect(elementOf(store.getState().document, "node", "a")).toMatchObject({ name: "A" });
    type("b", { "node-id": "b b" });
    expect(await reader.finish()).toBe(false);
  });
});
