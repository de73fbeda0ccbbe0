import { describe, expect, it } from "vitest";
import { change, removal } from "../model/commands";
import type { WorkflowDocument, WorkflowEdge } from "../model/document";
import { apply, type Edit } from "../model/edits";
import { NOTHING_DONE, redo, settle, type Stand, take, undo } from "../model/history";
import { Chance, SEEDS, someDocument, someEdit } from "./random";

const draft: WorkflowDocument = {
  name: "w",
  nodes: [{ id: "a", type: "llm" }, { id: "b", type: "tool", position: { x: 1, y: 2 } }],
  edges: [{ id: "e", type: "sequence", from: "a", to: "b" }],
};
const fresh = (document: WorkflowDocument): Stand => ({ document, history: NOTHING_DONE });
const others = (stand: Stand, make: (document: WorkflowDocument) => WorkflowDocument): Stand => ({ ...stand, document: make(stand.document) });
const remove = (key: string): Edit => removal(draft, { nodes: [key], edges: [] });

describe("edits", () => {
  it("are taken back by their inverse, whatever they are", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const before = someDocument(chance);
      const frozen = JSON.stringify(before);
      const edit = someEdit(chance, before);
      const { document, inverse } = apply(before, edit);
      expect(apply(document, inverse).document, `seed ${seed}: ${JSON.stringify(edit)}`).toEqual(before);
      expect(JSON.stringify(before)).toBe(frozen);
    }
  });

  it("are done again by the inverse of their inverse", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const before = someDocument(chance);
      const after = apply(before, someEdit(chance, before));
      const back = apply(after.document, after.inverse);
      expect(apply(back.document, back.inverse).document).toEqual(after.document);
    }
  });

  it("of one field leave alone what somebody else changed in the same element meanwhile", () => {
    const { document, inverse } = apply(draft, { kind: "change", nodes: [{ key: "a", fields: { name: "mine" } }], edges: [] });
    const merged = apply(document, { kind: "change", nodes: [{ key: "a", fields: { description: "theirs" } }], edges: [] }).document;
    expect(apply(merged, inverse).document.nodes[0]).toEqual({ id: "a", type: "llm", description: "theirs" });
  });

  it("pass over what is not there", () => {
    const gone = { nodes: [{ key: "z", fields: { name: "z" } }], edges: [] };
    expect(apply(draft, { kind: "change", ...gone }).document).toEqual(draft);
    expect(apply(draft, { kind: "remove", nodes: ["z"], edges: ["z"] }).document).toEqual(draft);
  });

  it("leave what they do not name as the same value, so that only changed cards are drawn", () => {
    const { document } = apply(draft, { kind: "move", to: { b: { x: 9, y: 9 } } });
    expect(document.nodes[0]).toBe(draft.nodes[0]);
    expect(document.edges).toBe(draft.edges);
  });
});

describe("undo of what someone else changed meanwhile", () => {
  const back = (more: readonly WorkflowEdge[] = []) => (document: WorkflowDocument): WorkflowDocument => ({
    ...document,
    nodes: [{ id: "a", type: "llm", name: "Theirs" }, ...document.nodes],
    edges: more,
  });

  it("brings back only what is still missing", () => {
    const deleted = others(take(fresh(draft), remove("a"), "Delete"), back());
    const undone = undo(deleted);
    expect(undone.document.nodes.map(({ id, name }) => [id, name])).toEqual([["a", "Theirs"], ["b", undefined]]);
    expect(undone.document.edges).toEqual(draft.edges);
    expect(redo(undone).document).toEqual(deleted.document);
    expect(undo(redo(undone)).document).toEqual(undone.document);
  });

  it("leaves a value that someone else has set since, and takes back the others", () => {
    const fields = { name: "Mine", description: "Mine", config: { template: "mine", seed: 1 } };
    const named = take(fresh(draft), { kind: "change", nodes: [{ key: "a", fields }], edges: [] }, "Name");
    const stand = others(named, (document) => ({
      ...document,
      nodes: [{ ...document.nodes[0]!, name: "Theirs", config: { template: "mine", seed: 2, top: 3 } }, document.nodes[1]!],
    }));
    const undone = undo(stand);
    expect(undone.document.nodes[0]).toEqual({ id: "a", type: "llm", name: "Theirs", config: { seed: 2, top: 3 } });
    expect(redo(undone).document).toEqual(stand.document);
  });

  it("leaves reducers and the name of the workflow that someone else has set since", () => {
    const start = { ...draft, reducers: { a: "append", b: "append" } };
    const both: Edit = { kind: "together", edits: [{ kind: "rename", to: "Mine" }, { kind: "reducers", to: { a: "max", b: "max" } }] };
    const stand = others(take(fresh(start), both, "Both"), (document) => ({ ...document, name: "Theirs", reducers: { a: "max", b: "min", c: "min" } }));
    const undone = undo(stand);
    expect([undone.document.name, undone.document.reducers]).toEqual(["Theirs", { a: "append", b: "min", c: "min" }]);
    expect(redo(undone).document).toEqual(stand.document);
  });

  it("adds no second edge where a like one was drawn", () => {
    const stand = others(take(fresh(draft), remove("a"), "Delete"), back([{ ...draft.edges[0]!, id: "a-b" }]));
    expect(undo(stand).document).toEqual(stand.document);
  });

  it("adds no node again, by redo, whose id someone else has given to another", () => {
    const added = take(fresh(draft), { kind: "add", nodes: [{ element: { id: "c", type: "llm" } }], edges: [] }, "Add");
    const stand = others(undo(added), (document) => ({ ...document, nodes: [...document.nodes, { id: "c", type: "tool" }] }));
    expect(redo(stand).document).toEqual(stand.document);
  });

  it("leaves a new id, with its edges, if another node has the old one by now", () => {
    const renamed = take(fresh(draft), change(draft, "node", "a", { id: "z", type: "llm", name: "Z" }), "Id");
    const stand = others(renamed, (document) => ({ ...document, nodes: [...document.nodes, { id: "a", type: "tool" }] }));
    const { document } = undo(stand);
    expect(document.nodes.map(({ id, name }) => [id, name])).toEqual([["z", undefined], ["b", undefined], ["a", undefined]]);
    expect(document.edges[0]?.from).toBe("z");
  });
});

describe("how much of a step is undone", () => {
  const apart: Edit = { kind: "move", to: { a: { x: 1, y: 1 }, b: { x: 2, y: 2 } } };
  const placed = (key: string, x: number) => (document: WorkflowDocument) => apply(document, { kind: "move", to: { [key]: { x, y: x } } }).document;

  it("is all of it where nobody else was, also of what was pushed step by step", () => {
    let stand = fresh(draft);
    for (const x of [10, 20, 30]) stand = take(stand, { kind: "move", to: { a: { x, y: 0 } } }, "Move", "arrows a");
    const undone = undo(stand);
    expect([undone.document, undone.share]).toEqual([draft, "all"]);
  });

  it("is a part where someone else has moved a card since, which stays there", () => {
    const stand = others(take(fresh(draft), apart, "Move"), placed("a", 9));
    const undone = undo(stand);
    expect(undone.share).toBe("part");
    expect(undone.document.nodes.map(({ position }) => position)).toEqual([{ x: 9, y: 9 }, { x: 1, y: 2 }]);
    const redone = redo(undone);
    expect([redone.share, redone.document]).toEqual(["all", stand.document]);
  });

  it("is none where someone else has moved all of it, and the step is forgotten", () => {
    const undone = undo(others(take(fresh(draft), { kind: "move", to: { a: { x: 1, y: 1 } } }, "Move"), placed("a", 9)));
    expect([undone.share, undone.history]).toEqual(["none", NOTHING_DONE]);
  });

  it("is a part where one value is another's by now", () => {
    const edit: Edit = { kind: "change", nodes: [{ key: "a", fields: { name: "Mine", config: { x: 1, y: 1 } } }], edges: [] };
    const theirs = (document: WorkflowDocument) => apply(document, { kind: "change", nodes: [{ key: "a", fields: { config: { x: 2, y: 1 } } }], edges: [] }).document;
    const undone = undo(others(take(fresh(draft), edit, "Edit"), theirs));
    expect([undone.share, undone.document.nodes[0]]).toEqual(["part", { id: "a", type: "llm", config: { x: 2 } }]);
  });

  it("leaves out the edge of a deleted node, to one that someone else has deleted since", () => {
    const stand = others(take(fresh(draft), remove("a"), "Delete"), (document) => ({ ...document, nodes: document.nodes.filter(({ id }) => id !== "b") }));
    const undone = undo(stand);
    expect([undone.share, undone.document.nodes.map(({ id }) => id), undone.document.edges]).toEqual(["part", ["a"], []]);
  });
});

describe("undo and redo", () => {
  it("walk all the way back and forth", () => {
    for (const seed of SEEDS.slice(0, 100)) {
      const chance = new Chance(seed);
      const stands = [fresh(someDocument(chance))];
      for (let step = 0; step < 8; step += 1) {
        const now = stands.at(-1) as Stand;
        stands.push(take(now, someEdit(chance, now.document), "step"));
      }
      let now = stands.at(-1) as Stand;
      for (const was of stands.slice(0, -1).reverse()) {
        now = undo(now);
        expect(now.document).toEqual(was.document);
      }
      for (const is of stands.slice(1)) {
        now = redo(now);
        expect(now.document).toEqual(is.document);
      }
    }
  });

  it("take what is typed into one field as one step", () => {
    let stand = fresh(draft);
    for (const name of ["H", "He", "Hey"]) {
      const edit = { kind: "change" as const, nodes: [{ key: "a", fields: { name } }], edges: [] };
      stand = take(stand, edit, "name", "a/name");
    }
    expect(stand.history.past).toHaveLength(1);
    expect(undo(stand).document).toEqual(draft);
    expect(redo(undo(stand)).document.nodes[0]?.name).toBe("Hey");
  });

  it("take it as two steps when the focus has left the field between", () => {
    const typed = (stand: Stand, to: string): Stand => take(stand, { kind: "rename", to }, "name", "name");
    const first = typed(fresh(draft), "x");
    const second = typed({ ...first, history: settle(first.history) }, "y");
    expect(second.history.past).toHaveLength(2);
    expect(undo(second).document.name).toBe("x");
  });

  it("forget what was undone when something else is done", () => {
    const done = take(undo(take(fresh(draft), { kind: "rename", to: "x" }, "")), { kind: "rename", to: "y" }, "");
    expect(redo(done).document.name).toBe("y");
  });

  it("at the ends do nothing", () => {
    expect(undo(fresh(draft)).document).toBe(draft);
    expect(redo(fresh(draft)).document).toBe(draft);
  });
});

describe("undoing a change of a filter that someone else added to since", () => {
  const rules = (...patterns: string[]) => ({ rules: patterns.map((pattern) => ({ type: "include", pattern })), priority: 0 });
  const withFilter = (document: WorkflowDocument, context_filter: ReturnType<typeof rules> | undefined): WorkflowDocument => ({
    ...document,
    nodes: document.nodes.map(({ context_filter: _, ...node }) => (node.id === "a" ? { ...node, ...(context_filter && { context_filter }) } : node)),
  });
  const filterOf = ({ document }: Stand) => document.nodes[0]?.context_filter;
  const step = (before: WorkflowDocument, after: ReturnType<typeof rules>): Stand => take(fresh(before), change(before, "node", "a", withFilter(before, after).nodes[0]!), "Edit a");

  it("takes away only what the step added, and brings it again", () => {
    const mine = step(withFilter(draft, rules("a")), rules("a", "admin.x"));
    const undone = undo(others(mine, (document) => withFilter(document, rules("a", "admin.x", "dora.yy"))));
    expect([undone.share, filterOf(undone)]).toEqual(["all", rules("a", "dora.yy")]);
    const again = redo(undone);
    expect([again.share, filterOf(again)]).toEqual(["all", rules("a", "admin.x", "dora.yy")]);
  });

  it("takes away what was typed letter by letter, wherever the other's rule is", () => {
    const to = (stand: Stand, ...patterns: string[]): Stand => take(stand, change(stand.document, "node", "a", withFilter(stand.document, rules(...patterns)).nodes[0]!), "Edit a", "typing");
    const typed = to(to(to(fresh(withFilter(draft, rules("a"))), "a", "x"), "a", "xy"), "a", "xyz");
    for (const [now, left] of [[["a", "xyz", "t"], ["a", "t"]], [["a", "t", "xyz"], ["a", "t"]], [["t", "a", "xyz"], ["t", "a"]]] as const) {
      const undone = undo(others(typed, (document) => withFilter(document, rules(...now))));
      expect([undone.share, filterOf(undone)]).toEqual(["all", rules(...left)]);
      expect(filterOf(redo(undone))).toEqual(rules(...now));
    }
  });

  it("leaves the other's rules also where the step added the filter", () => {
    const undone = undo(others(step(draft, rules("admin.x")), (document) => withFilter(document, rules("admin.x", "dora.yy"))));
    expect([undone.share, filterOf(undone)]).toEqual(["all", rules("dora.yy")]);
  });

  it("does not touch a rule that someone else changed", () => {
    const undone = undo(others(step(draft, rules("admin.x")), (document) => withFilter(document, rules("other"))));
    expect([undone.share, filterOf(undone)]).toEqual(["none", rules("other")]);
  });
});
