import { describe, expect, it } from "vitest";
import { changesBetween, countOf, editOf, isIn, isNothing, sides } from "../model/changes";
import { everything } from "../model/clipboard";
import { removal } from "../model/commands";
import type { Element, WorkflowDocument } from "../model/document";
import { find } from "../model/document";
import { apply } from "../model/edits";
import { type Conflict, merge, nameOf } from "../model/merge";
import { Chance, edited, SEEDS, someDocument } from "./random";

const base: WorkflowDocument = {
  name: "w",
  nodes: [
    { id: "a", type: "llm", config: { template: "t" } },
    { id: "b", type: "tool" },
    { id: "c", type: "end" },
  ],
  edges: [
    { id: "ab", type: "sequence", from: "a", to: "b" },
    { id: "bc", type: "sequence", from: "b", to: "c" },
  ],
};
const withNode = (document: WorkflowDocument, id: string, more: object): WorkflowDocument => ({
  ...document,
  nodes: document.nodes.map((node) => (node.id === id ? { ...node, ...more } : node)),
});
const without = (document: WorkflowDocument, id: string): WorkflowDocument =>
  apply(document, removal(document, { nodes: [id], edges: [] })).document;
const valueOf = (document: WorkflowDocument, { kind, key }: Conflict): unknown =>
  kind === "name" ? document.name : kind === "reducer" ? document.reducers?.[key] : find<Element>(kind === "node" ? document.nodes : document.edges, key);

describe("the merge", () => {
  it("of one side's edits alone is that side", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const start = someDocument(chance);
      const side = edited(chance, start);
      const bare = ({ reducers, ...rest }: WorkflowDocument): WorkflowDocument =>
        reducers && Object.keys(reducers).length ? { ...rest, reducers } : rest;
      expect(merge(start, side, start), `seed ${seed}`).toEqual({ document: bare(side), conflicts: [] });
      expect(merge(start, start, side), `seed ${seed}`).toEqual({ document: bare(side), conflicts: [] });
    }
  });

  it("of the same edits on both sides is that edit, once", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const start = someDocument(chance);
      const side = edited(chance, start);
      const { document, conflicts } = merge(start, side, structuredClone(side));
      expect(conflicts).toEqual([]);
      expect(document.nodes).toEqual(side.nodes);
      expect(document.edges).toEqual(side.edges);
    }
  });

  it("of edits that touch other elements has both", () => {
    const mine = withNode(base, "a", { name: "Mine" });
    const theirs = without(withNode(base, "b", { name: "Theirs" }), "c");
    const { document, conflicts } = merge(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(find(document.nodes, "a")?.name).toBe("Mine");
    expect(find(document.nodes, "b")?.name).toBe("Theirs");
    expect(document.nodes.map((node) => node.id)).toEqual(["a", "b"]);
    expect(document.edges.map((edge) => edge.id)).toEqual(["ab"]);
  });

  it("of two new elements has both, each behind what it followed", () => {
    const add = (id: string, at: number): WorkflowDocument =>
      apply(base, { kind: "add", nodes: [{ at, element: { id, type: "llm" } }], edges: [] }).document;
    const { document } = merge(base, add("m", 1), add("t", 3));
    expect(document.nodes.map((node) => node.id)).toEqual(["a", "m", "b", "c", "t"]);
  });

  it("of other fields of one node has both", () => {
    const { document, conflicts } = merge(base, withNode(base, "a", { position: { x: 1, y: 1 } }), withNode(base, "a", { name: "T" }));
    expect(conflicts).toEqual([]);
    expect(find(document.nodes, "a")).toMatchObject({ name: "T", position: { x: 1, y: 1 }, config: { template: "t" } });
  });

  it("of other keys of a free config has both, but an operation is one thing", () => {
    const my = (document: WorkflowDocument): WorkflowDocument => withNode(document, "a", { config: { template: "t", mine: 1 } });
    const their = (document: WorkflowDocument): WorkflowDocument => withNode(document, "a", { config: { template: "t", theirs: 2 } });
    expect(find(merge(base, my(base), their(base)).document.nodes, "a")?.config).toEqual({ template: "t", mine: 1, theirs: 2 });
    const processor = withNode(base, "a", { type: "context_processor" });
    expect(merge(processor, my(processor), their(processor)).conflicts).toHaveLength(1);
  });

  it("of rules that both added to one node has both without a question", () => {
    const ruled = (...patterns: string[]): WorkflowDocument => withNode(base, "a", { context_filter: { rules: patterns.map((pattern) => ({ type: "include", pattern })), priority: 0 } });
    for (const [before, ...first] of [[base], [ruled("user.*"), "user.*"]] as [WorkflowDocument, ...string[]][]) {
      const { document, conflicts } = merge(before, ruled(...first, "llm.*"), ruled(...first, "tool.*"));
      expect(conflicts).toEqual([]);
      expect(document).toEqual(ruled(...first, "tool.*", "llm.*"));
    }
  });

  it("of a free config that holds null in both asks about nothing", () => {
    const held = withNode(base, "a", { config: { template: "t", none: null } });
    const { conflicts } = merge(held, withNode(held, "a", { config: { template: "t", none: null, mine: 1 } }), withNode(held, "a", { config: { template: "t", none: null, theirs: 1 } }));
    expect(conflicts).toEqual([]);
  });

  it("of the same field is a conflict with base, mine and theirs, and goes as it is decided", () => {
    const [mine, theirs] = [withNode(base, "a", { name: "M" }), withNode(base, "a", { name: "T" })];
    const { conflicts, document } = merge(base, mine, theirs);
    expect(conflicts).toEqual([{ kind: "node", key: "a", base: base.nodes[0], mine: mine.nodes[0], theirs: theirs.nodes[0] }]);
    expect(find(document.nodes, "a")?.name).toBe("M");
    expect(find(merge(base, mine, theirs, { "node a": "theirs" }).document.nodes, "a")?.name).toBe("T");
  });

  it("keeps what one side changed and the other removed, until it is decided", () => {
    const [mine, theirs] = [without(base, "b"), withNode(base, "b", { name: "T" })];
    const { conflicts, document } = merge(base, mine, theirs);
    expect(conflicts.map(nameOf)).toEqual(["node b"]);
    expect(find(document.nodes, "b")?.name).toBe("T");
    expect(find(merge(base, mine, theirs, { "node b": "mine" }).document.nodes, "b")).toBeUndefined();
  });

  it("keeps a node that the other side removed with its edges, in their order", () => {
    const [mine, theirs] = [withNode(base, "b", { name: "M" }), without(base, "b")];
    expect(merge(base, mine, theirs, { "node b": "mine" }).document).toEqual(mine);
    expect(merge(base, theirs, mine, { "node b": "theirs" }).document).toEqual(mine);
    expect(merge(base, mine, theirs, { "node b": "theirs" }).document).toEqual(theirs);
  });

  it("keeps no edge of it that leads to a node that is gone, or that is decided to go", () => {
    const mine = withNode(base, "b", { name: "M" });
    expect(merge(base, mine, without(without(base, "b"), "c"), { "node b": "mine" }).document.edges.map(({ id }) => id)).toEqual(["ab"]);
    const weighed = { ...mine, edges: mine.edges.map((edge) => (edge.id === "bc" ? { ...edge, weight: 2 } : edge)) };
    const { conflicts } = merge(base, weighed, without(base, "b"));
    expect(conflicts.map(nameOf)).toEqual(["edge bc", "node b"]);
    expect(merge(base, weighed, without(base, "b"), { "node b": "mine", "edge bc": "theirs" }).document.edges.map(({ id }) => id)).toEqual(["ab"]);
  });

  it("keeps a node that one side removed when the other side tied a new edge to it", () => {
    const theirs = apply(base, { kind: "add", nodes: [], edges: [{ element: { id: "ac", type: "sequence", from: "a", to: "c" } }] }).document;
    const { conflicts, document } = merge(base, without(base, "c"), theirs);
    expect(conflicts.map(nameOf)).toEqual(["node c"]);
    expect(document.edges.map((edge) => edge.id)).toContain("ac");
    const decided = merge(base, without(base, "c"), theirs, { "node c": "mine" }).document;
    expect(decided.edges.map((edge) => edge.id)).toEqual(["ab"]);
  });

  it("loses neither side: every choice of every conflict gives what that side had", () => {
    let met = 0;
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const start = someDocument(chance, true);
      const [mine, theirs] = [edited(chance, start), edited(chance, start)];
      const { conflicts } = merge(start, mine, theirs);
      met += conflicts.length;
      for (const side of ["mine", "theirs"] as const) {
        const choices = Object.fromEntries(conflicts.map((conflict) => [nameOf(conflict), side]));
        const { document } = merge(start, mine, theirs, choices);
        for (const conflict of conflicts) {
          expect(conflict[side], `seed ${seed}`).toEqual(valueOf(side === "mine" ? mine : theirs, conflict));
          const got = valueOf(document, conflict);
          // An edge goes with the node that it was decided to let go.
          if (!(conflict.kind === "edge" && got === undefined)) expect(got, `seed ${seed}`).toEqual(conflict[side]);
        }
      }
    }
    expect(met).toBeGreaterThan(20);
  });

  it("lets no edge hang in the air that did not before", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const start = someDocument(chance);
      const [mine, theirs] = [edited(chance, start), edited(chance, start)];
      const loose = (document: WorkflowDocument): string[] => {
        const ids = new Set(document.nodes.map((node) => node.id));
        return document.edges.flatMap((edge) => [edge.from, edge.to]).filter((id) => !ids.has(id));
      };
      const before = new Set([...loose(mine), ...loose(theirs)]);
      expect(loose(merge(start, mine, theirs).document).filter((id) => !before.has(id)), `seed ${seed}`).toEqual([]);
    }
  });

  it("keeps the order that one side gave to edges, for the later of two that clash wins", () => {
    const mine = { ...base, edges: [...base.edges].reverse() };
    expect(merge(base, mine, base).document.edges.map((edge) => edge.id)).toEqual(["bc", "ab"]);
    expect(merge(base, base, mine).document.edges.map((edge) => edge.id)).toEqual(["bc", "ab"]);
  });
});

describe("unsaved changes", () => {
  it("are counted by what is changed: an element with a form that is ahead of it is one", () => {
    const changes = { nodes: [{ key: "a", before: null, after: null }], edges: [], name: { before: "w", after: "x" } };
    expect(countOf([changes])).toBe(2);
    expect(countOf([changes], [{ kind: "node", key: "a" }, { kind: "workflow", key: "" }])).toBe(2);
    expect(countOf([changes], [{ kind: "node", key: "b" }])).toBe(3);
  });

  it("bring the document back on the draft that they were made from", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const before = someDocument(chance);
      const after = edited(chance, before);
      const kept = JSON.parse(JSON.stringify(changesBetween(before, after)));
      const { mine } = sides(kept, before);
      const { document } = merge(sides(kept, before).base, mine, before);
      const [a, b] = [everything(document), everything(after)];
      expect(new Set(a.nodes), `seed ${seed}`).toEqual(new Set(b.nodes));
      for (const key of b.nodes) expect(find(document.nodes, key)).toEqual(find(after.nodes, key));
      for (const key of b.edges) expect(find(document.edges, key)).toEqual(find(after.edges, key));
      expect(document.reducers ?? {}).toEqual(after.reducers ?? {});
    }
  });

  it("are merged into a draft that was saved by somebody else meanwhile", () => {
    const kept = changesBetween(base, withNode(base, "a", { name: "M" }));
    const now = without(withNode(base, "b", { name: "T" }), "c");
    const { base: was, mine } = sides(kept, now);
    const { document, conflicts } = merge(was, mine, now);
    expect(conflicts).toEqual([]);
    expect(document.nodes.map((node) => [node.id, node.name])).toEqual([["a", "M"], ["b", "T"]]);
  });

  it("of one field that the others changed too are a conflict", () => {
    const kept = changesBetween(base, withNode(base, "a", { name: "M" }));
    const now = withNode(base, "a", { name: "T" });
    const { base: was, mine } = sides(kept, now);
    expect(merge(was, mine, now).conflicts.map(nameOf)).toEqual(["node a"]);
  });

  it("are one edit, which can be undone", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const before = someDocument(chance, true);
      const after = edited(chance, before);
      const { document, inverse } = apply(before, editOf(changesBetween(before, after)));
      expect(new Set(document.nodes), `seed ${seed}`).toEqual(new Set(after.nodes));
      expect(new Set(document.edges), `seed ${seed}`).toEqual(new Set(after.edges));
      expect(apply(document, inverse).document).toEqual(before);
    }
  });

  it("are in the document that they led to, and in no other", () => {
    const after = withNode(without(base, "c"), "a", { name: "M" });
    expect(isIn(changesBetween(base, after), after)).toBe(true);
    expect(isIn(changesBetween(base, after), base)).toBe(false);
  });

  it("are none between equal documents", () => {
    expect(isNothing(changesBetween(base, structuredClone(base)))).toBe(true);
  });
});

describe("cards that both added at one place", () => {
  const added = (id: string, x: number): WorkflowDocument => ({ ...base, nodes: [...base.nodes, { id, type: "task", position: { x, y: 100 } }] });
  const at = (document: WorkflowDocument, id: string) => find(document.nodes, id)?.position;

  it("stand apart: mine goes aside, theirs stays", () => {
    const { document } = merge(base, added("mine", 10), added("theirs", 0));
    expect(at(document, "theirs")).toEqual({ x: 0, y: 100 });
    expect(Math.abs((at(document, "mine")?.y ?? 0) - 100)).toBeGreaterThan(84);
  });

  it("stay where they are clear of each other", () => {
    const { document } = merge(base, added("mine", 400), added("theirs", 0));
    expect([at(document, "mine"), at(document, "theirs")]).toEqual([{ x: 400, y: 100 }, { x: 0, y: 100 }]);
  });
});
