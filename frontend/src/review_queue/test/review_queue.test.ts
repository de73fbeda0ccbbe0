import { describe, expect, it } from "vitest";
import { heirOf, MovedUnderPointer, placeFrom } from "../model";

describe("keys of the queue", () => {
  it("begin at an end, and stop at it", () => {
    expect([placeFrom(-1, 1, 3), placeFrom(-1, -1, 3), placeFrom(2, 1, 3), placeFrom(0, -1, 3), placeFrom(0, 1, 3)]).toEqual([0, 2, 2, 0, 1]);
  });

  it("go on at the next line that stays when the focused one is gone", () => {
    const before = ["a", "b", "c", "d"];
    expect(heirOf("b", before, ["a", "d", "e"])).toBe("d");
    expect(heirOf("d", before, ["a", "b"])).toBe("b");
    expect(heirOf("b", before, [])).toBeNull();
  });
});

describe("a line that moves under the pointer", () => {
  it("takes no click for a second, unless the pointer moves", () => {
    const pointer = new MovedUnderPointer();
    pointer.move({ x: 1, y: 1 });
    pointer.changed("a", "a", 0);
    expect(pointer.refuses(1)).toBe(false);
    pointer.changed("a", "b", 0);
    pointer.move({ x: 1, y: 1 });
    expect([pointer.refuses(999), pointer.refuses(1000)]).toEqual([true, false]);
    pointer.move({ x: 1, y: 2 });
    expect(pointer.refuses(999)).toBe(false);
  });
});
