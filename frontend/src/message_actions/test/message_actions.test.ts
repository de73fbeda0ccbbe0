import { describe, expect, it } from "vitest";
import { filled, hasAction, type MessageFacts } from "../model";

const message: MessageFacts = { index: "12", position: "4", path: "/conversations/c/messages/12/", isPinned: false, isWhole: true };

describe("the actions of a message", () => {
  it("are those whose condition it meets", () => {
    expect(hasAction(undefined, message)).toBe(true);
    expect([hasAction("pinned", message), hasAction("unpinned", message)]).toEqual([false, true]);
    expect(hasAction("pinned", { ...message, isPinned: true })).toBe(true);
    expect(hasAction("whole", { ...message, isWhole: false })).toBe(false);
  });

  it("do not hide a message that the current view does not have", () => {
    expect(hasAction("selectable", message)).toBe(true);
    expect(hasAction("selectable", { ...message, position: null })).toBe(false);
  });

  it("are left out under a condition that nobody knows", () => {
    expect(hasAction("starred", message)).toBe(false);
  });
});

describe("addresses and names", () => {
  it("have the message's numbers in the places that the template leaves open", () => {
    expect(filled("/operate/?do=hide&positions={position}", message)).toBe("/operate/?do=hide&positions=4");
    expect(filled("{message}pin/?do=pin", message)).toBe("/conversations/c/messages/12/pin/?do=pin");
    expect(filled(" on message #{index}", message)).toBe(" on message #12");
  });

  it("keep other braces as they are", () => {
    expect(filled("/c/{other}/{message}", { ...message, path: "/{index}/" })).toBe("/c/{other}//{index}/");
  });
});
