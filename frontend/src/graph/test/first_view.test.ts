import { expect, it } from "vitest";
import { CARD } from "../model/places";
import { opening } from "../view/first_view";

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

it.each([0, 250, 499])("opens a large graph around its start %i, with dozens of cards that can be read and no empty half", (at) => {
  const spots = grid(500, 25);
  const { zoom, seen } = shown(spots, spots[at]!);
  expect(zoom).toBeGreaterThan(0.4);
  expect(seen).toContain(spots[at]);
  expect(seen.length).toBeGreaterThan(30);
});
