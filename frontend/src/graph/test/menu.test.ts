import { describe, expect, it } from "vitest";
import { withGroup } from "../model/canvas_data";
import { NOTHING } from "../store";
import type { WorkflowDocument } from "../model/document";
import { maySuit, type Tie } from "../model/commands";
import { chosenBy, corner, kindsFor, menuActions } from "../model/menu";

const document: WorkflowDocument = {
  name: "w",
  nodes: [{ id: "a", type: "llm" }, withGroup({ id: "b", type: "llm" }, "First")],
  edges: [{ id: "e", type: "sequence", from: "a", to: "b" }],
};
const state = { document, chosen: NOTHING, mayChange: true };

describe("a menu", () => {
  it("offers what can be done with a node, several, an edge and the canvas", () => {
    expect(menuActions({ kind: "node", key: "a" }, state)).toEqual(["edit", "add-after", "connect", "duplicate", "group", "show-selection", "delete"]);
    expect(menuActions({ kind: "node", key: "b" }, state)).toContain("ungroup");
    const both = menuActions({ kind: "node", key: "a" }, { ...state, chosen: { nodes: ["a", "b"], edges: [] } });
    expect(both).toContain("layout");
    expect(both).not.toContain("connect");
    expect(menuActions({ kind: "edge", key: "e" }, state)).toEqual(["edit", "insert", "show-selection", "delete"]);
    expect(menuActions({ kind: "canvas" }, state)).toEqual(["add", "layout", "select-all", "show-all"]);
    expect(menuActions({ kind: "canvas" }, { ...state, document: { ...document, nodes: [], edges: [] } })).toEqual(["add"]);
  });

  it("offers nothing that changes where nothing may be changed", () => {
    const looking = { ...state, mayChange: false };
    expect(menuActions({ kind: "node", key: "a" }, looking)).toEqual(["show-selection"]);
    expect(menuActions({ kind: "edge", key: "e" }, looking)).toEqual(["show-selection"]);
    expect(menuActions({ kind: "canvas" }, looking)).toEqual(["select-all", "show-all"]);
  });

  it("selects what it is opened on, unless that is selected with others", () => {
    const both = { nodes: ["a", "b"], edges: [] };
    expect(chosenBy({ kind: "node", key: "a" }, both)).toBe(both);
    expect(chosenBy({ kind: "edge", key: "e" }, both)).toEqual({ nodes: [], edges: ["e"] });
    expect(chosenBy({ kind: "canvas" }, both)).toBe(both);
  });

  it("stays on the screen", () => {
    const screen = { width: 400, height: 300 };
    expect(corner({ x: 100, y: 50 }, { width: 200, height: 100 }, screen)).toEqual({ x: 100, y: 50 });
    expect(corner({ x: 390, y: 290 }, { width: 200, height: 100 }, screen)).toEqual({ x: 196, y: 196 });
    expect(corner({ x: 10, y: 10 }, { width: 500, height: 100 }, screen).x).toBe(4);
  });
});

describe("types of nodes", () => {
  it("are found by parts of their names and ids", () => {
    const kinds = [{ type: "llm", label: "Model" }, { type: "human_relay", label: "Human relay" }];
    expect(kindsFor(kinds, "mod").map(({ type }) => type)).toEqual(["llm"]);
    expect(kindsFor(kinds, "RELAY hum").map(({ type }) => type)).toEqual(["human_relay"]);
    expect(kindsFor(kinds, " ")).toHaveLength(2);
    expect(kindsFor(kinds, "zzz")).toEqual([]);
  });
});

describe("the types that a place offers", () => {
  const document = { name: "w", nodes: [{ id: "a", type: "llm" }, { id: "z", type: "end" }], edges: [] };
  const types = ["start", "trigger", "llm", "subworkflow", "end"];
  const offered = (tie: Tie | undefined) => types.filter((type) => maySuit(document, tie, type));

  it("are those that can follow a node, precede one, or stand between two", () => {
    expect(offered({ from: "a" })).toEqual(["llm", "subworkflow", "end"]);
    expect(offered({ to: "a" })).toEqual(["start", "trigger", "llm", "subworkflow"]);
    expect(offered({ edge: "e" })).toEqual(["llm", "subworkflow"]);
  });

  it("are all where the new node is tied to nothing", () => {
    expect(offered(undefined)).toEqual(types);
    expect(offered({ from: "z" })).toEqual(types);
  });
});
