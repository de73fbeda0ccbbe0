import { describe, expect, it } from "vitest";
import type { WorkflowDocument } from "../model/document";
import { isEmpty, patchBetween } from "../model/patch";
import cases from "./patches.json";
import { patched } from "./patching";
import { Chance, edited, SEEDS, someDocument } from "./random";

// The server reads the same cases (tests/unit/workflows/test_changes.py).
describe("the changes of a document", () => {
  it.each(cases)("name no more than $what", ({ before, after, changes }) => {
    expect(patchBetween(before as WorkflowDocument, after as WorkflowDocument)).toEqual(changes);
    expect(patched(before as WorkflowDocument, changes as object)).toEqual(after);
  });

  it("make of any document what any edits made of it", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const before = someDocument(chance);
      const after = edited(chance, before);
      const changes = patchBetween(before, after);
      expect(JSON.parse(JSON.stringify(patched(before, changes)))).toEqual(JSON.parse(JSON.stringify({ ...after })));
      expect(isEmpty(patchBetween(before, before))).toBe(true);
    }
  });

  it("name an id that objects have by themselves", () => {
    const before: WorkflowDocument = { name: "w", nodes: [{ id: "__proto__", type: "llm" }], edges: [] };
    const after = { ...before, nodes: [{ id: "__proto__", type: "tool" }] };
    expect(JSON.stringify(patchBetween(before, after))).toBe('{"nodes":{"changed":{"__proto__":{"id":"__proto__","type":"tool"}}}}');
  });

  it("of one element among many are those of this one", () => {
    const nodes = Array.from({ length: 500 }, (_, number) => ({ id: `n${number}`, type: "llm" }));
    const before = { name: "w", nodes, edges: [] };
    const after = { ...before, nodes: nodes.map((node) => (node.id === "n7" ? { ...node, name: "Seven" } : node)) };
    expect(JSON.stringify(patchBetween(before, after)).length).toBeLessThan(100);
  });
});
