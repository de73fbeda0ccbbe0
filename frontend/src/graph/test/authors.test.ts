import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Saver } from "../io/autosave";
import { startFollowing } from "../io/draft_socket";
import type { WorkflowDocument } from "../model/document";
import { type EditorStore, editorStore } from "../store";
import { calledAuthor } from "../view/accessible_names";
import { SideOf } from "../view/Sides";

const saver = { heard: () => undefined } as unknown as Saver;

describe("who saved the draft", () => {
  let store: EditorStore;
  const hear = (version: number, who: object | null) =>
    document.dispatchEvent(Object.assign(new Event("live:changed"), { detail: { frame: { who }, state: { draft_version: version } } }));
  beforeEach(() => {
    vi.stubGlobal("document", new EventTarget());
    store = editorStore({ document: { name: "w", nodes: [], edges: [] }, version: 1, may_change: true, places: {} });
    startFollowing(store, saver, "7", () => null);
  });
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    ["Rosa", { kind: "person", id: "8", name: "Rosa" }],
    ["Your other tab", { kind: "person", id: "7", name: "Rosa" }],
    ["An engine", { kind: "token", id: "7", name: "An engine" }],
    ["Someone else", null],
  ])("is called %s", (called, who) => {
    hear(2, who);
    expect(calledAuthor(store.getState().by)).toBe(called);
  });
});

describe("who changed what this page had saved", () => {
  const named = (name: string): WorkflowDocument => ({ name: "w", nodes: [{ id: "a", type: "llm", name }], edges: [] });
  const store = (by: number): EditorStore => {
    const made = editorStore({ document: named("A"), version: 1, may_change: true, places: {} });
    made.getState().saved({ document: named("Mine"), version: 2 });
    made.getState().set({ by: { name: "Rosa", isMe: false, version: by } });
    made.setState({ document: made.getState().base.document });
    made.getState().receive({ document: named("Theirs"), version: 3 });
    return made;
  };
  const who = (made: EditorStore): string[] => made.getState().overtaken.map(({ by }) => calledAuthor(by));

  it("is still who did it when this page saves something else", () => {
    const made = store(3);
    made.getState().set({ by: { name: "Me", isMe: true, version: 4 } });
    expect(who(made)).toEqual(["Rosa"]);
  });

  it("is nobody by name who was heard of for an older version only", () => {
    expect(who(store(2))).toEqual(["Someone else"]);
  });
});

describe("a side of a conflict without a value", () => {
  it("was deleted, or was never there", () => {
    const said = (isDeleted: boolean) => renderToStaticMarkup(createElement(SideOf, { told: [], side: 1, json: undefined, isDeleted }));
    expect(said(true)).toContain("Deleted");
    expect(said(false)).toContain("Not present");
  });
});
