import { describe, expect, it } from "vitest";
import type { WorkflowEdge, WorkflowNode } from "../model/document";
import { amountOf, type Policy, policyOf, takesPolicy, USUAL, withPolicy } from "../model/policies";

const node: WorkflowNode = { id: "a", type: "llm", name: "Answer" };
const edge: WorkflowEdge = { id: "e", type: "sequence", from: "a", to: "b", condition: "x > 1" };
const CHOICES: readonly Policy[] = [
  USUAL,
  { ...USUAL, dropsTools: true },
  { ...USUAL, form: "last", count: 3 },
  { ...USUAL, form: "last", count: 9, keepsSystem: false, dropsTools: true },
  { ...USUAL, form: "budget" },
  { ...USUAL, form: "budget", most: 900, target: 300, keepsSystem: false },
];

describe("policies", () => {
  it("are read as they were written, on nodes and on edges", () => {
    for (const policy of CHOICES) {
      expect(policyOf(withPolicy(node, policy))).toEqual(policy);
      expect(policyOf(withPolicy(edge, policy))).toEqual(policy);
    }
  });

  it("leave everything else as it is", () => {
    const before = { ...node, context_filter: { rules: [{ type: "exclude", pattern: "note.*" }], default_behavior: "pass" } };
    const after = withPolicy(before, { ...USUAL, form: "last" });
    expect(after).toEqual({
      ...before,
      context_filter: { ...before.context_filter, messages: [{ operation: "truncate", truncate: { keep_last: 6, keep_system: true }, pairing: "keep" }] },
    });
    expect(withPolicy(after, USUAL)).toEqual(before);
    expect(withPolicy(withPolicy(node, { ...USUAL, form: "budget" }), USUAL)).toEqual(node);
    expect(withPolicy(withPolicy(edge, { ...USUAL, form: "budget" }), USUAL)).toEqual(edge);
  });

  it("are custom where the form says more, and are then not touched", () => {
    const operations = [
      [{ operation: "truncate", truncate: { keep_last: 6 } }],
      [{ operation: "truncate", truncate: { keep_last: 6, keep_first: 1 }, pairing: "keep" }],
      [{ operation: "budget", budget: { max_tokens: 9, target_tokens: 4, drop: "oldest_turns" }, pairing: "keep" }],
      [{ operation: "clear" }],
      [{ operation: "clear" }, { operation: "clear" }],
      [7],
    ];
    for (const messages of operations) {
      const element = { ...node, context_filter: { messages } };
      expect(policyOf(element).form).toBe("custom");
      expect(withPolicy(element, policyOf(element))).toBe(element);
    }
    expect(policyOf({ ...node, context_filter: [{ messages: [] }] }).form).toBe("custom");
    expect(policyOf({ ...node, context_filter: { messages: "wrong" } }).form).toBe("custom");
  });

  it("take whole numbers from 1 to the most, and nothing else", () => {
    expect(["1", " 60 ", "007", "900"].map((typed) => amountOf(typed, 1, 900))).toEqual([1, 60, 7, 900]);
    for (const typed of ["", " ", "-5", "0", "1.5", "1e2", "six", "901", "9".repeat(400)]) expect(amountOf(typed, 1, 900)).toBeNull();
  });

  it("always cut to less than their maximum, or the server would refuse them", () => {
    for (const [most, wished, target] of [[100, 4_000, 66], [3_000, 3_000, 2_000], [5_000, 4_000, 4_000], [2, 2, 1]] as const) {
      const made = withPolicy(node, { ...USUAL, form: "budget", most, target: wished });
      expect(policyOf(made)).toMatchObject({ most, target });
    }
  });

  it("are not offered where no model sees messages", () => {
    expect(["llm", "tool", "own type"].every((type) => takesPolicy({ ...node, type }))).toBe(true);
    expect(["start", "end", "context_processor"].some((type) => takesPolicy({ ...node, type }))).toBe(false);
    expect(takesPolicy(edge)).toBe(true);
    expect(takesPolicy({ ...edge, context_filter: { type: "block_all" } })).toBe(false);
  });
});
