import { describe, expect, it } from "vitest";
import { followed, named, nothing, positionsOf, pressed, queryOf, ranged, ranges, type Selection } from "../model";

const shown = new Map([["m0", 0], ["m1", 1], ["m2", 2], ["m3", 3]]);
const some = (...at: number[]): Selection => named(at.reduce((now, each) => ranged(now, each, each, true), nothing("1")), shown);

describe("a selection of messages", () => {
  it("is told by ranges in their order", () => {
    expect(ranges(nothing("1"))).toBe("");
    expect(ranges(some(9, 3, 5, 4))).toBe("3-5,9");
    expect(ranges(ranged(some(0, 9), 8, 6, true))).toBe("0,6-9");
  });

  it("goes with Shift from the box that was pressed before, in both directions", () => {
    const first = pressed(nothing("1"), 5, true, false);
    expect(ranges(pressed(first, 2, true, true))).toBe("2-5");
    expect(ranges(pressed(first, 7, true, true))).toBe("5-7");
    expect(ranges(pressed(pressed(first, 7, true, true), 6, false, true))).toBe("5");
    expect(ranges(pressed(nothing("1"), 2, true, true))).toBe("2");
  });

  it("follows its messages into other places", () => {
    const moved = followed(some(1, 2), new Map([["m1", 0], ["m2", 1]]), "2");
    expect(ranges(moved)).toBe("0-1");
    expect(moved.anchor).toBeNull();
    expect(ranges(followed(some(1, 2), new Map([["m2", 1]]), "2"))).toBe("1");
  });

  it("keeps what is not loaded as long as the view is the same, and no longer", () => {
    const far = ranged(some(0), 7, 8, true);
    expect(ranges(followed(far, shown, "1"))).toBe("0,7-8");
    expect(ranges(followed(far, shown, "2"))).toBe("0");
  });

  it("goes along to another page by its positions and the view that they are of", () => {
    const seen = { revision: "4", count: "9" };
    expect(queryOf(nothing("4"), "hide", seen)).toBe("");
    expect(queryOf(some(3, 5, 4), "hide", seen)).toBe("?do=hide&positions=3-5&revision=4&count=9");
  });

  it("is read from what a sheet is about", () => {
    expect(positionsOf("3-5,9")).toEqual([[3, 5], [9, 9]]);
    expect(positionsOf("")).toEqual([]);
  });

  it("is of messages that load later, too", () => {
    const later = named(ranged(nothing("1"), 2, 3, true), shown);
    expect([...later.chosen]).toEqual([[2, "m2"], [3, "m3"]]);
  });
});
