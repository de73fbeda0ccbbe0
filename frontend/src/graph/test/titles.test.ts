import { describe, expect, it } from "vitest";
import { titleOf } from "../view/spoken";

describe("the title of a node", () => {
  it("names signs that nobody sees or that turn what stands around them", () => {
    expect(titleOf({ id: "a", name: "pay \u202eyap\u200b" })).toBe("pay \\u202eyap\\u200b");
  });

  it("is the id where a name is nothing but spaces", () => {
    expect(titleOf({ id: "a", name: " \n " })).toBe("a");
  });
});
