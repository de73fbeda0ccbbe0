import { describe, expect, it } from "vitest";

import { counted, reach, whole } from "../model";

describe("the selection of a list", () => {
  it("takes one row, or with Shift all from the one before in either direction", () => {
    expect(reach(4, null, true)).toEqual([4]);
    expect(reach(4, 1, false)).toEqual([4]);
    expect(reach(4, 2, true)).toEqual([2, 3, 4]);
    expect(reach(1, 3, true)).toEqual([1, 2, 3]);
  });

  it("tells none, some and all rows apart", () => {
    expect([whole(0, 3), whole(2, 3), whole(3, 3), whole(0, 0)]).toEqual(["none", "some", "all", "none"]);
  });

  it("counts in the words of the page", () => {
    expect(counted(1, "1 selected", "{n} selected", "en")).toBe("1 selected");
    expect(counted(1200, "1 selected", "{n} selected", "en")).toBe("1,200 selected");
  });
});
