import { describe, expect, it } from "vitest";

import { forgotten, openedOf, readLook, type Look } from "../model";

const look = (seen: string, at = 1): Look => ({ seen, proof: "p", at });

describe("what was opened of a review", () => {
  it("is unopened, opened, or changed since", () => {
    expect(openedOf(null, "a.1")).toBe("unopened");
    expect(openedOf(look("a.1"), "a.1")).toBe("opened");
    expect(openedOf(look("a.1"), "a.2")).toBe("changed");
  });

  it("is read only as it was written", () => {
    expect(readLook(JSON.stringify(look("a.1")))).toEqual(look("a.1"));
    for (const text of [null, "", "{", "null", "3", '{"seen": "a"}', '{"seen": 1, "proof": "p", "at": 1}']) expect(readLook(text)).toBeNull();
  });

  it("is forgotten from the oldest on, and what cannot be read first", () => {
    const looks = new Map([["old", look("a", 1)], ["new", look("a", 3)], ["broken", null], ["mid", look("a", 2)]]);
    expect(forgotten(looks, 2)).toEqual(["old", "broken"]);
    expect(forgotten(looks)).toEqual([]);
  });
});
