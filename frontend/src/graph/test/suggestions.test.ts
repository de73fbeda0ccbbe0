import { describe, expect, it } from "vitest";
import type { WorkflowDocument } from "../model/document";
import { namesInCondition } from "../model/used_names";
import { hasNames } from "../view/known_names";
import { type KnownNames, namedBy, namesIn, NO_NAMES, suggestions, withSuggestion } from "../model/suggestions";

const KNOWN: KnownNames = { variables: ["draft", "fact.order", "fact.status", "odd name", "prompt.tone"], metadata: ["customer"] };
const DOCUMENT = { name: "", nodes: [{ id: "look-up", type: "tool", name: "Look up" }, { id: "end", type: "end" }], edges: [] } as unknown as WorkflowDocument;
const SUPPORT = {
  name: "",
  nodes: [
    { id: "start", type: "start" },
    { id: "plan", type: "llm", context_filter: { rules: [{ type: "exclude", pattern: "draft_*" }, { type: "include", pattern: "channel", target: "metadata" }] } },
    { id: "draft", type: "llm", name: "Draft the answer", context_filter: [{ rules: [{ type: "include", pattern: "fact.*", condition: "variables.stage === 'context.not'" }, { type: "exclude", pattern: "plan", target: "history" }] }], outgoing_filter: { rules: [{ type: "include", pattern: "priority" }] } },
  ],
  edges: [
    { id: "again", type: "conditional", from: "draft", to: "plan", condition: "context.missing.length > 0 && context.tokens > 5 && context['odd name'].includes('x')" },
    { id: "go", type: "sequence", from: "plan", to: "draft", context_filter: { type: "transform", include_patterns: ["prompt.*", "draft_output"], transform_rules: [{ pattern: "fact.*", rename: "known.*" }] } },
  ],
  reducers: { notes: "append", "*": "overwrite" },
} as unknown as WorkflowDocument;
const USED = ["draft_*", "fact.*", "stage", "priority", "missing", "odd name", "prompt.*", "draft_output", "known.*", "notes"];

const values = (section: string, known = KNOWN, document = DOCUMENT) => suggestions({ section }, known, document).map(({ value }) => value);

describe("suggestions", () => {
  it("are the names that the conversation has, and patterns for several of them", () => {
    expect(values("variables")).toEqual(["fact.*", "draft", "fact.order", "fact.status", "odd name", "prompt.tone", "look-up_output"]);
    expect(values("metadata")).toEqual(["customer"]);
    expect(values("variables", NO_NAMES)).toEqual(["look-up_output"]);
  });

  it("begin with what rules, patterns, conditions and reducers of the workflow name, each once", () => {
    expect(values("variables", NO_NAMES, SUPPORT)).toEqual([...USED, "plan_output"]);
    expect(values("variables", KNOWN, SUPPORT)).toEqual([...USED, "draft", "fact.order", "fact.status", "prompt.tone", "plan_output"]);
    expect(values("metadata", KNOWN, SUPPORT)).toEqual(["channel", "customer"]);
    expect(suggestions({ section: "variables" }, NO_NAMES, SUPPORT).find(({ value }) => value === "draft_output")?.label).toBe("Draft the answer");
  });

  it("of a condition begin with what other conditions read, without what is no state", () => {
    const found = suggestions("condition", KNOWN, SUPPORT).map(({ value }) => value);
    expect(found.slice(0, 4)).toEqual(["context.stage", "context.missing", "context.priority", "context.draft_output"]);
    expect(found).not.toContain("context.tokens");
    expect(namesInCondition("context.a.b.startsWith('context.c') && metadata.d && variables[\"e f\"] === context . g")).toEqual(["a.b", "g", "e f"]);
  });

  it("take no names of a conversation of another workflow that nobody chose", () => {
    const offered = [["own", "Own", true], ["other", "Other", false]] as const;
    expect(hasNames({ conversation: "own", isFirst: true }, offered)).toBe(true);
    expect(hasNames({ conversation: "other", isFirst: true }, offered)).toBe(false);
    expect(hasNames({ conversation: "other", isFirst: false }, offered)).toBe(true);
    expect(hasNames({ conversation: " ", isFirst: false }, offered)).toBe(false);
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
