import { describe, expect, it } from "vitest";
import type { Json, WorkflowNode } from "../model/document";
import { isKept, mergedFilters, mergedLists } from "../model/merged_filters";
import { type PolicyForm, USUAL, withPolicy } from "../model/policies";

const rule = (pattern: string): Json => ({ type: "include", pattern });
const filter = (...patterns: string[]): { readonly [key: string]: Json } => ({ rules: patterns.map(rule), priority: 0 });

describe("a list that both sides changed", () => {
  it("gets what both added, theirs first, and what is the same once", () => {
    expect(mergedLists(["a"], ["a", "m", "x"], ["a", "t", "x"])).toEqual(["a", "t", "x", "m"]);
  });

  it("gets changes in other places", () => {
    expect(mergedLists(["a", "m"], ["a", "mm"], ["a", "t", "m"])).toEqual(["a", "t", "mm"]);
    expect(mergedLists(["a", "t"], ["a", "tt"], ["a", "t", "m"])).toEqual(["a", "tt", "m"]);
    expect(mergedLists(["a", "b", "c"], ["b", "c"], ["a", "b", "c", "t"])).toEqual(["b", "c", "t"]);
  });

  it("is a question where both changed one place", () => {
    expect(mergedLists(["a", "b"], ["a", "m"], ["a", "t"])).toBeNull();
    expect(mergedLists(["a", "b"], ["a"], ["a", "t"])).toBeNull();
  });
});

describe("a filter that both sides changed", () => {
  it("gets what both added to its lists", () => {
    const mine = { ...filter("user.*", "llm.*"), messages: ["m"] };
    expect(mergedFilters(filter("user.*"), mine, filter("user.*", "tool.*"))).toEqual({ ...filter("user.*", "tool.*", "llm.*"), messages: ["m"] });
  });

  it("is one filter where both added the first one", () => {
    expect(mergedFilters(undefined, filter("m"), filter("t"))).toEqual(filter("t", "m"));
    expect(mergedFilters(undefined, [filter("m"), filter("more")], filter("t"))).toEqual([filter("t", "m"), filter("more")]);
  });

  it("is merged within a list of filters, which gets those that both added", () => {
    expect(mergedFilters([filter("a"), filter("b")], [filter("a", "m"), filter("b", "m")], [filter("a", "t"), filter("b")])).toEqual([filter("a", "t", "m"), filter("b", "m")]);
    expect(mergedFilters(filter("a"), [filter("a"), filter("m")], [filter("a"), filter("t")])).toEqual([filter("a"), filter("t"), filter("m")]);
    expect(mergedFilters(filter("a"), [filter("a"), filter("m")], filter("a", "t"))).toEqual([filter("a", "t"), filter("m")]);
  });

  it("of an edge gets the patterns of both", () => {
    const edge = (include: string[], exclude: string[] = []): Json => ({ type: "selective", include_patterns: include, ...(exclude.length ? { exclude_patterns: exclude } : {}) });
    expect(mergedFilters(undefined, edge(["m"], ["secret"]), edge(["t"]))).toEqual(edge(["t", "m"], ["secret"]));
  });

  it("means something as a whole in all but its lists", () => {
    expect(mergedFilters(filter("a"), { ...filter("a", "m"), default_behavior: "block" }, filter("a", "t"))).toBeNull();
    expect(mergedFilters(filter("a"), { ...filter("a"), priority: 2 }, filter("a", "t"))).toBeNull();
    expect(mergedFilters(filter("a"), { ...filter("a"), default_behavior: null }, filter("a", "t"))).toBeNull();
    expect(mergedFilters(filter("a"), undefined, filter("a", "t"))).toBeNull();
  });
});

describe("operations on messages that both sides changed", () => {
  const node = (form: PolicyForm, dropsTools = false): Json => withPolicy<WorkflowNode>({ id: "a", type: "llm" }, { ...USUAL, form, dropsTools }).context_filter ?? null;
  const operations = (...names: string[]): Json => ({ rules: [], messages: names.map((operation) => ({ operation })) });

  it("are a question where each side chose another policy, and none where both chose the same", () => {
    expect(mergedFilters(undefined, node("last"), node("budget"))).toBeNull();
    expect(mergedFilters(node("all", true), node("last", true), node("budget", true))).toBeNull();
    expect(mergedFilters(node("all", true), node("last", true), node("all"))).toBeNull();
    expect(mergedFilters(undefined, node("last"), node("last"))).toEqual(node("last"));
  });

  it("are of both sides only where both add to the same ones", () => {
    expect(mergedFilters(operations("a"), operations("a", "m"), operations("a", "t"))).toEqual(operations("a", "t", "m"));
    expect(mergedFilters(operations(), operations("m"), operations("t"))).toBeNull();
    expect(mergedFilters(operations("a", "b"), operations("b"), operations("a", "b", "t"))).toBeNull();
  });

  it("get along with another list that the other side changed", () => {
    expect(mergedFilters(filter("a"), { ...filter("a"), messages: ["m"] }, filter("a", "t"))).toEqual({ ...filter("a", "t"), messages: ["m"] });
  });

  it("are kept by one that was added later", () => {
    const later = { messages: [...((node("last") as { readonly messages: Json[] }).messages), { operation: "t" }] };
    expect(isKept(undefined, node("last"), later)).toBe(true);
  });
});

describe("what a side did to a filter", () => {
  it("is kept by a later change of another place", () => {
    expect(isKept(filter("a"), filter("a", "m"), filter("a", "m", "t"))).toBe(true);
    expect(isKept(filter("a", "t"), filter("a", "t", "m"), filter("a", "tt", "m"))).toBe(true);
    expect(isKept(undefined, filter("m"), filter("m", "t"))).toBe(true);
  });

  it("is lost where the later change set or removed it", () => {
    expect(isKept(filter("a"), filter("a", "m"), filter("a", "other"))).toBe(false);
    expect(isKept(filter("a"), filter("a", "m"), filter("a"))).toBe(false);
    expect(isKept(filter("a", "b"), filter("a"), filter("a", "b"))).toBe(false);
  });
});
