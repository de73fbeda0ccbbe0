import { describe, expect, it } from "vitest";
import type { WorkflowDocument } from "../model/document";
import { type KnownNames, namedBy, namesIn, NO_NAMES, suggestions, withSuggestion } from "../model/suggestions";

const KNOWN: KnownNames = { variables: ["draft", "fact.order", "fact.status", "odd name", "prompt.tone"], metadata: ["customer"] };
const DOCUMENT = { name: "", nodes: [{ id: "look-up", type: "tool", name: "Look up" }, { id: "end", type: "end" }], edges: [] } as unknown as WorkflowDocument;
const values = (section: string, known = KNOWN) => suggestions({ section }, known, DOCUMENT).map(({ value }) => value);

describe("suggestions", () => {
  it("are the names that the conversation has, and patterns for several of them", () => {
    expect(values("variables")).toEqual(["fact.*", "draft", "fact.order", "fact.status", "odd name", "prompt.tone"]);
    expect(values("metadata")).toEqual(["customer"]);
    expect(values("variables", NO_NAMES)).toEqual([]);
  });

  it("are the nodes of the graph for the history, with their names", () => {
    expect(suggestions({ section: "history" }, KNOWN, DOCUMENT)).toEqual([{ value: "look-up", label: "Look up" }, { value: "end", label: "" }]);
  });

  it("are what a condition can read", () => {
    expect(suggestions("condition", KNOWN, DOCUMENT).map(({ value }) => value)).toEqual(["context.draft", "context.fact.order", "context.fact.status", "context.prompt.tone"]);
  });

  it("belong to the section of their rule", () => {
    const targets: { readonly [name: string]: string } = { "node-context_filters-0-rules-1-target": "history", "edge-transform_rules-0-target": "" };
    const of = (name: string) => namedBy(name, (other) => targets[other] ?? "");
    expect(of("node-context_filters-0-rules-1-pattern")).toEqual({ section: "history" });
    expect(of("edge-transform_rules-0-pattern")).toEqual({ section: "variables" });
    expect(of("edge-include_patterns")).toEqual({ section: "variables" });
    expect(of("reducers-3-pattern")).toEqual({ section: "variables" });
    expect(of("edge-filter_condition")).toBe("condition");
    expect(of("edge-condition")).toBe("condition");
    expect(of("node-name")).toBeNull();
    expect(of("node-context_filters-0-rules-1-type")).toBeNull();
  });

  it("come from a pasted context as soon as it can be read", () => {
    expect(namesIn('{"variables": {"b": 1, "a": 2}, "metadata": {"m": 1}}')).toEqual({ variables: ["a", "b"], metadata: ["m"] });
    for (const text of ["", "{", "[]", "null", '{"variables": [1]}']) expect(namesIn(text)).toEqual(NO_NAMES);
  });

  it("go to a line of their own, or where one types", () => {
    expect(withSuggestion("a\n\n", 0, "fact.*", { section: "variables" })).toEqual({ text: "a\nfact.*", at: 8 });
    expect(withSuggestion("", 0, "x", { section: "variables" }).text).toBe("x");
    expect(withSuggestion(" > 2", 0, "context.n", "condition")).toEqual({ text: "context.n > 2", at: 9 });
  });
});
