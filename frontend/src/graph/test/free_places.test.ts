import { expect, it } from "vitest";
import type { Position } from "../model/document";
import { laneBoxes } from "../model/lines";
import { CARD, freeSpot, shiftInto } from "../model/places";

const edge = (from: string, to: string) => ({ id: `${from}-${to}`, type: "sequence", from, to });

it("puts a new node on the side where no line leads back", () => {
  const places = new Map<string, Position>([["start", { x: 0, y: 0 }], ["answer", { x: 0, y: 160 }], ["listen", { x: 0, y: 320 }], ["end", { x: 0, y: 480 }]]);
  const document = { edges: [edge("start", "answer"), edge("answer", "listen"), edge("listen", "answer"), edge("listen", "end")] };
  const lines = laneBoxes(document, places, "down");
  const spot = freeSpot(places, { x: 0, y: 320 }, "down", lines);
  expect(spot).toEqual({ x: -CARD.width - 40, y: 320 });
});

it("puts a new node below a row with a line back over it", () => {
  const places = new Map<string, Position>([["a", { x: 0, y: 0 }], ["b", { x: 310, y: 0 }]]);
  const lines = laneBoxes({ edges: [edge("a", "b"), edge("b", "a")] }, places, "right");
  expect(freeSpot(places, { x: 310, y: 0 }, "right", lines).y).toBeGreaterThan(CARD.height);
});

it("puts a new node clear of the words on a line back", () => {
  const places = new Map<string, Position>([["a", { x: 0, y: 0 }], ["b", { x: 0, y: 160 }], ["c", { x: 0, y: 320 }]]);
  const back = { ...edge("c", "a"), condition: "context.done !== true" };
  const [chip] = laneBoxes({ edges: [edge("a", "b"), edge("b", "c"), back] }, places, "down").slice(-1);
  expect(chip?.width).toBeGreaterThan(100);
  const wished = { x: (chip?.x ?? 0) + 80, y: 160 };
  const spot = freeSpot(places, wished, "down", laneBoxes({ edges: [back] }, places, "down"));
  expect(spot.x).toBeGreaterThan((chip?.x ?? 0) + (chip?.width ?? 0));
});

it("moves what is partly out of sight into it, its beginning first, and nothing else", () => {
  const canvas = { left: 100, right: 500 };
  expect(shiftInto(canvas, { left: 60, right: 300 }, 0)).toBe(48);
  expect(shiftInto(canvas, { left: 300, right: 520 }, 40)).toBe(-68);
  expect(shiftInto(canvas, { left: 120, right: 900 }, 0)).toBe(-12);
  for (const [left, right] of [[120, 480], [0, 90], [510, 700]] as const) expect(shiftInto(canvas, { left, right }, 0)).toBe(0);
});
