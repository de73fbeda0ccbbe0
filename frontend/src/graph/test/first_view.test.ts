import { describe, expect, it } from "vitest";
import { CARD } from "../model/places";
import { normalised } from "../model/document";
import { markedNode, opening, openingOf, TOOLS } from "../view/first_view";

const SIZE = { width: 800, height: 700 };
const grid = (count: number, across: number) => Array.from({ length: count }, (_, n) => ({ x: (n % across) * 310, y: Math.floor(n / across) * 170 }));

const shown = (spots: readonly { x: number; y: number }[], start: { x: number; y: number }) => {
  const { x, y, zoom } = opening(spots, [], start, SIZE);
  const seen = spots.filter((spot) => spot.x * zoom + x >= 0 && spot.y * zoom + y >= 0 && (spot.x + CARD.width) * zoom + x <= SIZE.width && (spot.y + CARD.height) * zoom + y <= SIZE.height);
  return { zoom, seen };
};

it("opens with the whole graph in sight where its names can be read", () => {
  const spots = grid(24, 6);
  expect(shown(spots, spots[0]!).seen).toHaveLength(24);
});

it("has no card under the tools at the upper right", () => {
  const size = { width: 1500, height: 800 };
  const row = (last: number) => grid(7, 7).map(({ x, y }, place) => ({ x, y: place === 6 ? y + last : y + 300 }));
  const right = (spots: ReturnType<typeof row>) => {
    const { x, zoom } = opening(spots, [], spots[0], size);
    return { zoom, right: Math.max(...spots.map((spot) => (spot.x + CARD.width) * zoom + x)) };
  };
  const [high, low] = [right(row(-300)), right(row(600))];
  expect(high.right).toBeLessThanOrEqual(size.width - TOOLS.width);
  expect(low.right).toBeGreaterThan(size.width - TOOLS.width);
  expect(high.zoom).toBeLessThan(low.zoom);
});

it.each([0, 250, 499])("opens a large graph around its start %i, with dozens of cards that can be read and no empty half", (at) => {
  const spots = grid(500, 25);
  const { zoom, seen } = shown(spots, spots[at]!);
  expect(zoom).toBeGreaterThan(0.4);
  expect(seen).toContain(spots[at]);
  expect(seen.length).toBeGreaterThan(30);
});

it("opens a long narrow graph around its start in the middle of the room", () => {
  const { x, zoom } = opening(grid(40, 1), [], { x: 0, y: 0 }, { width: 614, height: 240 });
  expect(zoom).toBeGreaterThan(0.4);
  expect((CARD.width / 2) * zoom + x).toBeCloseTo((614 - TOOLS.width) / 2);
});

describe("A graph with marks", () => {
  const spots = grid(500, 25);
  const document = normalised({ name: "large", nodes: spots.map((position, place) => ({ id: `n${place}`, type: place ? "llm" : "start", position })), edges: [] });
  const marks = (signs: { readonly [id: string]: string }) => ({ said: "", icon: "", signs: [], edges: {}, nodes: Object.fromEntries(Object.entries(signs).map(([id, sign]) => [id, [sign, sign] as const])) });
  const opened = (signs: { readonly [id: string]: string }) => openingOf({ document, places: {}, words: null, costs: null, marks: marks(signs) }, SIZE);

  it("opens around the node where the execution is, or the first that differs", () => {
    const { x, y, zoom } = opened({ n0: "done", n1: "open", n300: "paused", n301: "ready" });
    const spot = spots[300]!;
    expect(spot.x * zoom + x).toBeGreaterThanOrEqual(0);
    expect((spot.x + CARD.width) * zoom + x).toBeLessThanOrEqual(SIZE.width);
    expect(spot.y * zoom + y).toBeGreaterThanOrEqual(0);
    expect((spot.y + CARD.height) * zoom + y).toBeLessThanOrEqual(SIZE.height);
  });

  it("opens around its start where no mark is looked for", () => {
    expect(opened({ n300: "done", n301: "open" })).toEqual(opened({}));
    expect(markedNode({ document, marks: null })).toBeNull();
    expect(markedNode({ document, marks: marks({ n7: "removed" }) })).toBe("n7");
  });
});
