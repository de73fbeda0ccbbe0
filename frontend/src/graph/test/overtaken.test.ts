import { describe, expect, it } from "vitest";
import { apply } from "../model/edits";
import { isStanding, overtakenIn, takenBack, withSave } from "../model/overtaken";
import type { WorkflowDocument } from "../model/document";

const made = (more: object): WorkflowDocument => ({
  name: "w",
  nodes: [{ id: "a", type: "llm", name: "A", config: { template: "t", temperature: 0 }, ...more }],
  edges: [],
});
const [first, mine] = [made({}), made({ name: "Mine" })];
const own = withSave([], first, mine, 1000);

describe("what was saved here and is changed by someone else", () => {
  it("is told, with both values", () => {
    const [found] = overtakenIn(own, mine, made({ name: "Theirs" }), 2000);
    expect(found).toMatchObject({ kind: "node", key: "a", base: { name: "A" }, mine: { name: "Mine" }, theirs: { name: "Theirs" } });
  });

  it("is not told of fields that only the other touched, or of where a card stands", () => {
    expect(overtakenIn(own, mine, made({ name: "Mine", position: { x: 1, y: 1 }, context_type: "isolate" }), 2000)).toEqual([]);
    const written = made({ config: { template: "mine", temperature: 0 } });
    const saved = withSave([], first, written, 1000);
    expect(overtakenIn(saved, written, made({ config: { template: "mine", temperature: 1 } }), 2000)).toEqual([]);
  });

  it("is not told of a rule that the other goes on typing beside one of this page", () => {
    const ruled = (...patterns: string[]): WorkflowDocument => made({ context_filter: { rules: patterns.map((pattern) => ({ type: "include", pattern })), priority: 0 } });
    const one = withSave([], first, ruled("mi"), 1000);
    expect(overtakenIn(one, ruled("mi"), ruled("t", "mi"), 1100)).toEqual([]);
    const two = withSave(one, ruled("t", "mi"), ruled("t", "mine"), 1200);
    expect(overtakenIn(two, ruled("t", "mine"), ruled("their", "mine"), 1300)).toEqual([]);
    expect(overtakenIn(two, ruled("t", "mine"), ruled("t", "other"), 1300)).toMatchObject([{ key: "a" }]);
  });

  it("is not told after two minutes, nor of what was undone here", () => {
    expect(overtakenIn(own, mine, made({ name: "Theirs" }), 130_000)).toEqual([]);
    expect(overtakenIn(withSave(own, mine, first, 1500), first, made({ name: "Theirs" }), 2000)).toEqual([]);
  });

  it("is taken back without what the other wrote elsewhere, while it still stands", () => {
    const written = made({ config: { template: "mine", temperature: 0 } });
    const theirs = made({ config: { template: "theirs", temperature: 1 } });
    const [found] = overtakenIn(withSave([], first, written, 1000), written, theirs, 2000);
    expect(isStanding(found!, theirs)).toBe(true);
    expect(isStanding(found!, written)).toBe(false);
    expect(apply(theirs, takenBack(found!, theirs)!).document.nodes[0]).toMatchObject({ config: { template: "mine", temperature: 1 } });
  });

  it("is told of the name of the workflow and of reducers", () => {
    const written = { ...first, name: "mine", reducers: { "notes.*": "append", total: "sum" } };
    const theirs = { ...first, name: "theirs", reducers: { "notes.*": "replace", total: "sum" } };
    const found = overtakenIn(withSave([], first, written, 1000), written, theirs, 2000);
    expect(found).toEqual([
      { kind: "reducer", key: "notes.*", base: undefined, mine: "append", theirs: "replace" },
      { kind: "name", key: "name", base: "w", mine: "mine", theirs: "theirs" },
    ]);
    expect(found.every((each) => isStanding(each, theirs))).toBe(true);
    const back = found.reduce((now, each) => apply(now, takenBack(each, now)!).document, theirs as WorkflowDocument);
    expect(back).toMatchObject({ name: "mine", reducers: { "notes.*": "append", total: "sum" } });
    expect(found.some((each) => isStanding(each, back))).toBe(false);
  });

  it("is told when it is deleted, and comes back with the edges that went along", () => {
    const go = { id: "go", type: "sequence", from: "a", to: "b" };
    const found = { ...first, nodes: [...first.nodes, { id: "b", type: "end" }], edges: [go] };
    const written = { ...found, nodes: [{ ...first.nodes[0]!, name: "Mine" }, found.nodes[1]!], edges: [{ ...go, weight: 2 }] };
    const theirs = { ...found, nodes: [found.nodes[1]!], edges: [] };
    const own = withSave([], found, written, 1000);
    const told = overtakenIn(own, written, theirs, 2000);
    expect(told).toMatchObject([{ kind: "node", key: "a", mine: { name: "Mine" }, along: [{ id: "go", weight: 2 }] }]); // the edge is not told by itself
    expect(isStanding(told[0]!, theirs)).toBe(true);
    const back = apply(theirs, takenBack(told[0]!, theirs)!).document;
    expect(back.nodes.map(({ id, name }) => [id, name])).toEqual([["b", undefined], ["a", "Mine"]]);
    expect(back.edges).toEqual([{ ...go, weight: 2 }]);
    expect(isStanding(told[0]!, back)).toBe(false);
  });

  it("is told when a node goes that was only connected, once for all of its edges", () => {
    const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, type: "llm" })) as [{ id: string; type: string }, { id: string; type: string }, { id: string; type: string }];
    const [ab, cb] = [{ id: "ab", type: "sequence", from: "a", to: "b" }, { id: "cb", type: "sequence", from: "c", to: "b" }];
    const before: WorkflowDocument = { name: "w", nodes: [a, b, c], edges: [] };
    const connected = { ...before, edges: [ab, cb] };
    const theirs = { ...before, nodes: [a, c] };
    const told = overtakenIn(withSave([], before, connected, 1000), connected, theirs, 2000);
    expect(told).toMatchObject([{ kind: "node", key: "b", along: [{ id: "ab" }, { id: "cb" }] }]);
    expect(apply(theirs, takenBack(told[0]!, theirs)!).document.edges.map(({ id }) => id)).toEqual(["ab", "cb"]);
  });

  it("is told when what was just added is deleted, and not when it is changed", () => {
    const added = { ...first, nodes: [...first.nodes, { id: "n", type: "llm", name: "N" }] };
    const own = withSave([], first, added, 1000);
    expect(overtakenIn(own, added, first, 2000)).toMatchObject([{ key: "n", theirs: undefined }]);
    const renamed = { ...first, nodes: [...first.nodes, { id: "n", type: "llm", name: "Other" }] };
    expect(overtakenIn(own, added, renamed, 2000)).toEqual([]);
  });
});
