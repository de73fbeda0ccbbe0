import { describe, expect, it } from "vitest";
import { afterKey, fitting, LEAST_WIDTH, remember, remembered, USUAL_WIDTH } from "../io/panel_width";

describe("the width of the panel", () => {
  it("leaves room for the canvas, and the form readable", () => {
    expect(fitting(500, 1_000)).toBe(500);
    expect(fitting(5_000, 1_000)).toBe(700);
    expect(fitting(10, 1_000)).toBe(LEAST_WIDTH);
  });

  it("follows the arrow keys towards the edge that they name", () => {
    expect(afterKey("ArrowLeft", 420, 1_000)).toBeGreaterThan(420);
    expect(afterKey("ArrowRight", 420, 1_000)).toBeLessThan(420);
    expect(afterKey("Home", 420, 1_000)).toBe(700);
    expect(afterKey("End", 420, 1_000)).toBe(LEAST_WIDTH);
    expect(afterKey("x", 420, 1_000)).toBeNull();
  });

  it("is remembered, and usual where nothing sensible is", () => {
    const kept = new Map<string, string>();
    const storage = { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => void kept.set(name, value) };
    expect(remembered(storage)).toBe(USUAL_WIDTH);
    remember(storage, 512);
    expect(remembered(storage)).toBe(512);
    for (const wrong of ["", "wide", "-7", "NaN"]) {
      kept.forEach((_, name) => kept.set(name, wrong));
      expect(remembered(storage)).toBe(USUAL_WIDTH);
    }
  });
});
