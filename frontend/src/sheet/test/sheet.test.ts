import { describe, expect, it } from "vitest";
import { positionsOf } from "../../select/model";
import { isIn, isSame, runsOf } from "../model";

describe("what a sheet is about", () => {
  it("is the same in the words of the page and of the server", () => {
    expect(isSame(positionsOf("3,7-9"), positionsOf("3-3,7-9"))).toBe(true);
    expect(isSame(positionsOf("3"), positionsOf("3-4"))).toBe(false);
  });
});

describe("messages that would go", () => {
  it("are read as the server writes them", () => {
    expect(runsOf("3-5,9-9")).toEqual([
      [3, 5],
      [9, 9],
    ]);
    expect(runsOf("")).toEqual([]);
  });

  it("leave out what is no run", () => {
    expect(runsOf("3,x-4,-1-2,5-6")).toEqual([[5, 6]]);
  });

  it("are known by the names of their elements", () => {
    const runs = runsOf("3-5");
    expect(isIn(runs, "m3")).toBe(true);
    expect(isIn(runs, "m5")).toBe(true);
    expect(isIn(runs, "m6")).toBe(false);
    expect(isIn(runs, "m33")).toBe(false);
    expect(isIn(runs, "s3")).toBe(false);
  });
});
