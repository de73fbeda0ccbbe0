import { describe, expect, it } from "vitest";
import { nameOfPlace, titleOf } from "../model/element_names";
import { conditionOf, contextOf, hiddenCost, inLine, inLines, spokenEdge } from "../view/accessible_names";

describe("the title of a node", () => {
  it("names signs that nobody sees or that turn what stands around them", () => {
    expect(titleOf({ id: "a", name: "pay \u202eyap\u200b" })).toBe("pay U+202EyapU+200B");
  });

  it("is the id where a name is nothing but spaces", () => {
    expect(titleOf({ id: "a", name: " \n " })).toBe("a");
  });
});

describe("the place of someone who edits", () => {
  const document = { name: "w", nodes: [{ id: "classify", type: "llm", name: "Sort it" }, { id: "b", type: "end" }], edges: [{ id: "go", type: "sequence", from: "classify", to: "b" }] };

  it("is called as on its card, and an edge by its nodes", () => {
    expect(nameOfPlace(document, "node:classify")).toBe("Sort it");
    expect(nameOfPlace(document, "edge:go")).toBe("Sort it → b");
  });

  it("has no name where the page does not have it", () => {
    expect([nameOfPlace(document, "node:gone"), nameOfPlace(document, "state"), nameOfPlace(document, "")]).toEqual([null, null, null]);
  });
});

describe("a text of the canvas", () => {
  it("names what is hidden in it and keeps its lines", () => {
    expect(inLines("one\u200b\r\ntwo \u202eowt\n")).toBe("oneU+200B\ntwo U+202Eowt\n");
  });

  it("is one line on a chip, whatever blanks part its words", () => {
    expect(inLine("last\n 6\u2066")).toBe("last 6U+2066");
  });

  it("tells the condition of an edge with what turns it round named", () => {
    const edge = { id: "e", type: "conditional", from: "a", to: "b", condition: "context.p === '\u202ehgih'" };
    expect(conditionOf(edge)).toBe("if p === 'U+202Ehgih'");
    expect(conditionOf({})).toBe("");
    expect(spokenEdge(edge, ["a", "b"], undefined)).toContain("'U+202Ehgih'");
  });
});

it("a card says what a node of its type sees until the server has told its words", () => {
  const kind = { type: "tool", label: "Tool", tone: "", icon: "", context_type: "tool_context", context_label: "what a tool needs" };
  expect(contextOf({}, kind, undefined)).toBe("what a tool needs");
  expect(contextOf({ context_type: "tool_context" }, kind, undefined)).toBe("what a tool needs");
  expect(contextOf({ context_type: "isolate" }, kind, undefined)).toBe("isolate");
});

describe("the tooltip of a card without a row for its cost", () => {
  const cost = { line: "−72 % tokens", brief: "", said: "Said.", basis: "30 calls.", warning: "Raises the cost.", offer: null };

  it("says what the policy costs", () => {
    expect(hiddenCost({ cost, mark: undefined, tried: undefined } as never)).toBe("Raises the cost. Said. 30 calls.");
  });

  it("says nothing of what costs the same, or beside a mark", () => {
    expect(hiddenCost({ cost: { ...cost, line: "" } } as never)).toBe("");
    expect(hiddenCost({ cost, mark: { sign: "done", text: "done", icon: "check" } } as never)).toBe("");
  });
});
