import { describe, expect, it } from "vitest";
import { placeOf, read, STEPS, tokensAt, withMost, withTarget } from "../model";

describe("a slider of tokens", () => {
  it("goes from 500 to 500,000 and never back", () => {
    const all = Array.from({ length: STEPS + 1 }, (_, place) => tokensAt(place));
    expect([all[0], all[STEPS]]).toEqual([500, 500_000]);
    expect(all).toEqual([...all].sort((a, b) => a - b));
  });

  it("stands where a number is that it gave", () => {
    for (let place = 0; place <= STEPS; place++) expect(tokensAt(placeOf(tokensAt(place)))).toBe(tokensAt(place));
  });

  it("stands at its end for what lies beyond it", () => {
    expect([placeOf(1), placeOf(9_000_000), tokensAt(-3), tokensAt(999)]).toEqual([0, STEPS, 500, 500_000]);
  });

  it("reads nothing from what is no number", () => {
    expect(["", "2,5", "-1", "1e3", "99999999999"].map(read)).toEqual([null, null, null, null, null]);
    expect(read(" 2500 ")).toBe(2500);
  });
});

describe("a budget", () => {
  it("keeps its target below its maximum, whichever is moved", () => {
    expect(withMost({ most: 2500, target: 1900 }, 1000)).toEqual({ most: 1000, target: 700 });
    expect(withTarget({ most: 2500, target: 1900 }, 7000)).toEqual({ most: 10_000, target: 7000 });
  });

  it("leaves the other where it is if it may stay", () => {
    expect(withMost({ most: 2500, target: 1900 }, 4000)).toEqual({ most: 4000, target: 1900 });
    expect(withTarget({ most: 2500, target: 1900 }, 1000)).toEqual({ most: 2500, target: 1000 });
  });

  it("is whole after the first move of an empty one", () => {
    expect(withMost({ most: null, target: null }, 10_000)).toEqual({ most: 10_000, target: 7000 });
    expect(withTarget({ most: null, target: null }, 7000)).toEqual({ most: 10_000, target: 7000 });
  });
});
