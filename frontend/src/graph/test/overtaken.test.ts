import { describe, expect, it } from "vitest";
import { isStanding, overtakenIn, takenBack, withSave } from "../model/overtaken";
import type { WorkflowDocument } from "../model/document";

const made = (more: object): WorkflowDocument => ({
  name: "w",
  nodes: [{ id: "a", type: "llm", name: "A", config: { template: "t", temperature: 0 }, ...more }],
  edges: [],
});
const [first, mine] = [made({}), made({ name: "Mine" })];
const own = withSave([], first, mine, 1000);

describe("what was saved here and is changed by someone else", () => {
  it("is told, with both values", () => {
    const [found] = overtakenIn(own, mine, made({ name: "Theirs" }), 2000);
    expect(found).toMatchObject({ kind: "node", key: "a", base: { name: "A" }, mine: { name: "Mine" }, theirs: { name: "Theirs" } });
  });

  it("is not told of fields that only the other touched, or of where a card stands", () => {
    expect(overtakenIn(own, mine, made({ name: "Mine", position: { x: 1, y: 1 }, context_type: "isolate" }), 2000)).toEqual([]);
    const written = made({ config: { template: "mine", temperature: 0 } });
    const saved = withSave([], first, written, 1000);
    expect(overtakenIn(saved, written, made({ config: { template: "mine", temperature: 1 } }), 2000)).toEqual([]);
  });

  it("is not told after two minutes, nor of what was undone here", () => {
    expect(overtakenIn(own, mine, made({ name: "Theirs" }), 130_000)).toEqual([]);
    expect(overtakenIn(withSave(own, mine, first, 1500), first, made({ name: "Theirs" }), 2000)).toEqual([]);
  });

  it("is taken back without what the other wrote elsewhere, while it still stands", () => {
    const written = made({ config: { template: "mine", temperature: 0 } });
    const theirs = made({ config: { template: "theirs", temperature: 1 } });
    const [found] = overtakenIn(withSave([], first, written, 1000), written, theirs, 2000);
    expect(isStanding(found!, theirs)).toBe(true);
    expect(isStanding(found!, written)).toBe(false);
    expect(takenBack(found!, theirs.nodes[0]!)).toMatchObject({ config: { template: "mine", temperature: 1 } });
  });
});
