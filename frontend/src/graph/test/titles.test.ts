import { describe, expect, it } from "vitest";
import { conditionOf, inLine, inLines, spokenEdge, titleOf } from "../view/accessible_names";

describe("the title of a node", () => {
  it("names signs that nobody sees or that turn what stands around them", () => {
    expect(titleOf({ id: "a", name: "pay \u202eyap\u200b" })).toBe("pay \\u202eyap\\u200b");
  });

  it("is the id where a name is nothing but spaces", () => {
    expect(titleOf({ id: "a", name: " \n " })).toBe("a");
  });
});

describe("a text of the canvas", () => {
  it("names what is hidden in it and keeps its lines", () => {
    expect(inLines("one\u200b\r\ntwo \u202eowt\n")).toBe("one\\u200b\ntwo \\u202eowt\n");
  });

  it("is one line on a chip, whatever blanks part its words", () => {
    expect(inLine("last\n 6\u2066")).toBe("last 6\\u2066");
  });

  it("tells the condition of an edge with what turns it round named", () => {
    const edge = { id: "e", type: "conditional", from: "a", to: "b", condition: "context.p === '\u202ehgih'" };
    expect(conditionOf(edge)).toBe("if p === '\\u202ehgih'");
    expect(conditionOf({})).toBe("");
    expect(spokenEdge(edge, undefined)).toContain("'\\u202ehgih'");
  });
});
