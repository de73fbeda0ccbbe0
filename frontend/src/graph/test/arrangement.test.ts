import { describe, expect, it } from "vitest";
import { arranged, fixed, folded, type Places, unplaced } from "../model/arrangement";
import { find, type Position, type WorkflowDocument, type WorkflowNode } from "../model/document";
import { apply, type Edit } from "../model/edits";
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

const turned = (spots: Places): Places => Object.fromEntries(Object.entries(spots).map(([key, { x, y }]) => [key, { x: y, y: x }]));
const rowsOf = (spots: Places, axis: "x" | "y") => [...new Set(Object.values(spots).map((spot) => spot[axis]))];

describe("a graph that is too long to be read", () => {
  it("is folded into rows that read from left to right", () => {
    const spots = folded(row(24), pairsOf(chain(24)), "right");
    const rows = rowsOf(spots, "y");
    expect(rows.length).toBeGreaterThan(2);
    const first = Object.values(spots).filter(({ y }) => y === rows[0]).length;
    expect(spots.n0).toEqual({ x: 0, y: 0 });
    expect(spots[`n${first}`]).toEqual({ x: 0, y: rows[1] });
  });

  it("is folded into columns that read downwards", () => {
    const spots = folded(turned(row(60)), pairsOf(chain(60)), "down");
    expect(rowsOf(spots, "x").length).toBeGreaterThan(2);
    expect(spots.n1!.y).toBeGreaterThan(spots.n0!.y);
    expect(spots.n59!.x).toBeGreaterThan(spots.n0!.x);
  });

  it("is cut where fewest lines cross", () => {
    const column = Object.fromEntries(Object.entries(turned(row(40))).map(([key, { x, y }]) => [key, { x, y: (y / 360) * 150 }]));
    const parts = (more: readonly (readonly [string, string])[]) => {
      const spots = folded(column, [...pairsOf(chain(40)), ...more], "down");
      return ["n18", "n19", "n20", "n21"].map((key) => spots[key]!.x);
    };
    expect(new Set(parts([])).size).toBe(2);
    expect(new Set(parts([["n20", "n18"], ["n21", "n19"], ["n21", "n18"]])).size).toBe(1);
  });

  it("stays as it is where it can be read, or about as high as the canvas", () => {
    expect(folded(row(5), pairsOf(chain(5)), "right")).toEqual(row(5));
    const high = Object.fromEntries(Object.entries(row(18)).map(([key, { x }]) => [key, { x, y: x * 1.5 }]));
    expect(folded(high, [], "right")).toEqual(high);
  });

  it("is one column that leads down as long as each card has a line for its name, which finds room beside it", () => {
    const column = Object.fromEntries(Array.from({ length: 48 }, (_, n) => [`n${n}`, { x: (n % 2) * 260, y: Math.floor(n / 2) * 150 }]));
    const spots = Object.values(folded(column, [], "down"));
    expect(spots.map(({ y }) => y)).toEqual(Object.values(column).map(({ y }) => y));
    expect(new Set(spots.map(({ x }) => x))).toEqual(new Set([0, 650]));
  });

  it("stays as close as it was where names are whole", () => {
    const branches = { a: { x: 130, y: 0 }, b: { x: 0, y: 150 }, c: { x: 260, y: 150 }, d: { x: 130, y: 300 } };
    expect(folded(branches, [], "down")).toEqual(branches);
  });

  it("never has two cards on one place, and none beside the grid", () => {
    const spots = Object.values(folded(row(500), pairsOf(chain(500)), "right"));
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
    const spots = arranged(document, layout, placed, "right");
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
