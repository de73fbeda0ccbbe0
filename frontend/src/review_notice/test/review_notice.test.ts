import { expect, it } from "vitest";
import { Reviews } from "../model";

it("tells of a review that began to wait after the page was loaded, once", () => {
  const reviews = new Reviews();
  expect(["2026-01-02", "2026-01-02", "2026-01-03", "2026-01-03"].map((since) => reviews.hear(since))).toEqual([false, false, true, false]);
});

it("does not tell again of one that waited before, when the newest was decided", () => {
  const reviews = new Reviews();
  expect(["2026-01-02", "", "2026-01-01", "2026-01-02", "2026-01-04"].map((since) => reviews.hear(since))).toEqual([false, false, false, false, true]);
});

it("tells of the first one in an empty queue", () => {
  const reviews = new Reviews();
  expect([reviews.hear(""), reviews.hear("2026-01-01")]).toEqual([false, true]);
});
