import { describe, expect, it } from "vitest";
import { arranged, fixed, folded, type Places, unplaced } from "../model/arranging";
import { find, type Position, type WorkflowDocument, type WorkflowNode } from "../model/document";
import { apply, type Edit } from "../model/edits";
import { wayOf } from "../model/lines";
import { CARD, placesOf } from "../model/places";
import { editorStore } from "../store";
import { Chance, SEEDS, someDocument, someEdit } from "./random";

const chain = (count: number): WorkflowDocument => ({
  name: "w",
  nodes: Array.from({ length: count }, (_, n) => ({ id: `n${n}`, type: "llm" })),
  edges: Array.from({ length: count - 1 }, (_, n) => ({ id: `e${n}`, type: "sequence", from: `n${n}`, to: `n${n + 1}` })),
});
const row = (count: number): Places => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, { x: n * 360, y: 0 }]));
const pairsOf = (document: WorkflowDocument) => document.edges.map(({ from, to }) => [from, to] as const);
const covers = (a: Position, b: Position): boolean => Math.abs(a.x - b.x) < CARD.width && Math.abs(a.y - b.y) < CARD.height;

describe("a row that is too long", () => {
  it("is folded into rows that read from left to right", () => {
    const spots = folded(row(12), pairsOf(chain(12)));
    const rows = [...new Set(Object.values(spots).map(({ y }) => y))];
    expect(rows).toHaveLength(4);
    expect(spots.n0).toEqual({ x: 0, y: 0 });
    expect(spots.n3).toEqual({ x: 0, y: rows[1] });
    expect(spots.n11).toEqual({ x: 2 * 360, y: rows[3] });
  });

  it("is cut where fewest lines cross", () => {
    const edges = [...pairsOf(chain(12)), ["n4", "n3"] as const, ["n5", "n2"] as const, ["n5", "n3"] as const];
    const spots = folded(row(12), edges);
    expect(new Set(["n2", "n3", "n4", "n5"].map((key) => spots[key]!.y)).size).toBe(1);
  });

  it("stays as it is where it is short, or as high as it is wide", () => {
    expect(folded(row(5), pairsOf(chain(5)))).toEqual(row(5));
    const square = Object.fromEntries(Object.entries(row(8)).map(([key, { x }]) => [key, { x, y: x }]));
    expect(folded(square, [])).toEqual(square);
  });

  it("never has two cards on one place, and none beside the grid", () => {
    const spots = Object.values(folded(row(500), pairsOf(chain(500))));
    expect(new Set(spots.map(({ x, y }) => `${x} ${y}`)).size).toBe(500);
    expect(spots.every(({ x, y }) => x % 10 === 0 && y % 10 === 0)).toBe(true);
  });
});

describe("nodes that nobody placed", () => {
  const document: WorkflowDocument = {
    name: "w",
    nodes: [
      { id: "old", type: "llm", position: { x: 1000, y: 500 } },
      { id: "below", type: "llm", position: { x: 1320, y: 520 } },
      { id: "after", type: "llm" },
      { id: "next", type: "llm" },
      { id: "first", type: "llm" },
      { id: "alone", type: "llm" },
    ],
    edges: [
      { id: "a", type: "sequence", from: "old", to: "after" },
      { id: "b", type: "sequence", from: "after", to: "next" },
      { id: "c", type: "sequence", from: "first", to: "old" },
    ],
  };
  const layout: Places = { after: { x: 0, y: 0 }, next: { x: 360, y: 0 }, first: { x: 0, y: 150 }, alone: { x: 0, y: 290 } };
  const placed = new Map([["old", { x: 1000, y: 500 }], ["below", { x: 1320, y: 520 }]]);

  it("stand beside the placed ones that they are connected with, and cover none", () => {
    const spots = arranged(document, layout, placed);
    expect(spots.after!.x).toBe(1000 + 320);
    expect(spots.after!.y).toBeGreaterThanOrEqual(520 + CARD.height);
    expect(spots.next).toEqual({ x: spots.after!.x + 360, y: spots.after!.y });
    expect(spots.first).toEqual({ x: 1000 - 320, y: 500 });
    expect(spots.alone!.y).toBeGreaterThan(spots.after!.y);
    const all = [...placed.values(), ...Object.values(spots)];
    expect(all.some((a, at) => all.slice(at + 1).some((b) => covers(a, b)))).toBe(false);
  });

  it("are named by their keys, also those of one id", () => {
    const nodes: WorkflowNode[] = [{ id: "a", type: "x", position: { x: 1, y: 1 } }, { id: "a", type: "y" }];
    expect(unplaced({ name: "w", nodes, edges: [] })).toEqual(["a~2"]);
  });

  it("are no edit of the draft when they get their places", () => {
    const store = editorStore({ document, version: 1, places: {}, may_change: true });
    store.getState().set({ places: layout });
    const { document: now, base, history } = store.getState();
    expect(now).toBe(base.document);
    expect(history.past).toHaveLength(0);
  });

  it("keep their places when one card is moved, and lose them when that is undone", () => {
    const store = editorStore({ document, version: 1, places: layout, may_change: true });
    store.getState().edit({ kind: "move", to: { next: { x: 5, y: 5 } } }, "Move");
    const { nodes } = store.getState().document;
    expect(find(nodes, "next")?.position).toEqual({ x: 5, y: 5 });
    expect(find(nodes, "first")?.position).toEqual(layout.first);
    expect(find(nodes, "old")?.position).toEqual({ x: 1000, y: 500 });
    store.getState().undo();
    expect(store.getState().document).toEqual(document);
  });

  it("get no position by an edit that places nothing", () => {
    const edit: Edit = { kind: "change", nodes: [{ key: "next", fields: { name: "N" } }], edges: [] };
    expect(fixed(document, edit, placesOf(document, layout))).toBe(edit);
  });

  it.each(SEEDS)("are undone with every edit (seed %i)", (seed) => {
    const chance = new Chance(seed);
    const before = someDocument(chance);
    const edit = fixed(before, someEdit(chance, before), placesOf(before, {}));
    const { document: after, inverse } = apply(before, edit);
    expect(apply(after, inverse).document).toEqual(before);
  });
});

describe("a line", () => {
  it("to the row below runs between the rows, and above the cards within one", () => {
    expect(wayOf(1000, 48, 0, 300).y).toBeGreaterThan(96);
    expect(wayOf(1000, 48, 0, 300).y).toBeLessThan(300 - 48);
    expect(wayOf(1000, 48, 0, 48).y).toBeLessThan(0);
  });
});
