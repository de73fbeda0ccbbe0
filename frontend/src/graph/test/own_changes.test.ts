import { describe, expect, it } from "vitest";
import type { WorkflowNode } from "../model/document";
import { isMine, rebased } from "../model/own_changes";

const old: WorkflowNode = { id: "a", type: "llm", name: "Old", context_filter: { rules: [], messages: [6] } };
const rule = { type: "include", pattern: "x" };

describe("what one person did to one element in a form and beside it", () => {
  it("counts both, also in other parts of one filter", () => {
    const said = { ...old, name: "Typed", context_filter: { rules: [rule], messages: [6] } };
    const now = { ...old, context_filter: { rules: [], messages: [12] } };
    const made = rebased({ base: old, said, over: old }, now, () => true);
    expect(made).toEqual({ base: now, said: { ...now, name: "Typed", context_filter: { rules: [rule], messages: [12] } } });
  });

  it("keeps a rule of someone else that was merged into the element since the form was drawn", () => {
    const ruled = (...patterns: string[]): WorkflowNode => ({ ...old, context_filter: { rules: patterns.map((pattern) => ({ type: "include", pattern })) } });
    const now = ruled("theirs", "mi");
    expect(rebased({ base: ruled("mi"), said: ruled("mine"), over: now }, now, () => true).said).toEqual(ruled("theirs", "mine"));
  });

  it("counts the later where both set one value", () => {
    const [said, now] = [{ ...old, name: "Typed" }, { ...old, name: "Set" }];
    expect(rebased({ base: old, said, over: old }, now, () => true).said).toEqual(now);
    expect(rebased({ base: old, said, over: now }, now, () => true).said).toEqual(said);
  });

  it("takes away what was taken away beside the form", () => {
    const { context_filter: _, ...now } = old;
    expect(rebased({ base: old, said: { ...old, name: "Typed" }, over: old }, now, () => true).said).toEqual({ ...now, name: "Typed" });
  });

  it("leaves what someone else set to the merge", () => {
    const now = { ...old, name: "Theirs" };
    const said = { ...old, name: "Typed" };
    expect(rebased({ base: old, said, over: old }, now, () => false)).toEqual({ base: old, said });
  });

  it("is what is not saved yet, or was saved lately and not changed since", () => {
    const now = { ...old, name: "Mine" };
    expect(isMine("name", now, old, undefined)).toBe(true);
    expect(isMine("name", now, now, undefined)).toBe(false);
    const own = { before: old, after: now } as unknown as Parameters<typeof isMine>[3];
    expect(isMine("name", now, now, own)).toBe(true);
    const theirs = { ...old, name: "Theirs" };
    expect(isMine("name", theirs, theirs, own)).toBe(false);
  });
});
