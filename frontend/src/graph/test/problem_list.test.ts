import { describe, expect, it } from "vitest";
import { indexOf, type WorkflowDocument } from "../model/document";
import { begunProblems, countsOf, grouped, nameOfProblem, problemAfter, problemsOfForms, targetOf } from "../model/problem_list";

const document: WorkflowDocument = {
  name: "Two of one id",
  nodes: [
    { id: "a", type: "llm" },
    { id: "a", type: "llm" },
  ],
  edges: [{ id: "e", type: "sequence", from: "a", to: "a" }],
};
const whole = { message: "there is no start node", pointer: "/nodes" };
const second = { message: "bad pattern", pointer: "/nodes/1/context_filter/rules/0/pattern", node: "a" };
const edge = { message: "bad condition", pointer: "/edges/0/condition", edge: "e", severity: "warning" };
const gone = { message: "unknown type", pointer: "/nodes/7/type", node: "b" };
const loop = { message: "a loop", pointer: "/edges/0", edge: "e", severity: "note" };

describe("an empty draft", () => {
  const noStart = { message: "A workflow needs a start node", code: "no_start", pointer: "/nodes" };
  it("is not wrong because it has no node yet", () => {
    expect(begunProblems([noStart, whole], { ...document, nodes: [] })).toEqual([whole]);
    expect(begunProblems([noStart], document)).toEqual([noStart]);
  });
});

describe("a problem leads", () => {
  it("to exactly the element of its pointer, of two with one id", () => {
    expect(targetOf(document, second)).toEqual({ kind: "node", key: "a~2" });
  });

  it("to the first with its id, if the document went on since", () => {
    expect(targetOf(document, { ...second, pointer: "/nodes/5/type" })).toEqual({ kind: "node", key: "a" });
  });

  it("nowhere if it concerns the whole draft or an element that is gone", () => {
    expect([targetOf(document, whole), targetOf(document, gone)]).toEqual([null, null]);
  });
});

describe("the next problem", () => {
  const all = [whole, second, gone, edge, loop];

  it("is the first that leads somewhere, and after the last one the first again", () => {
    const first = problemAfter(all, document, "", 1);
    expect(first).toBe(second);
    expect(problemAfter(all, document, nameOfProblem(second), 1)).toBe(edge);
    expect(problemAfter(all, document, nameOfProblem(edge), 1)).toBe(second);
  });

  it("goes backwards, too", () => {
    expect(problemAfter(all, document, "", -1)).toBe(edge);
    expect(problemAfter(all, document, nameOfProblem(second), -1)).toBe(edge);
  });

  it("is none where nothing leads anywhere", () => {
    expect(problemAfter([whole, gone, loop], document, "", 1)).toBeNull();
  });
});

it("counts notes apart: nothing has to be fixed in them", () => {
  expect(countsOf([whole, second, edge, loop])).toEqual({ errors: 2, warnings: 1, notes: 1 });
});

it("takes in the errors of forms that cannot be saved, each leading to its own field", () => {
  const { keys } = indexOf(document.nodes);
  const error = { field: "node-name", label: "Name", message: "Enter a name." };
  const form = { kind: "node", key: keys[1] as string, errors: [error, error], isRead: true };
  const found = problemsOfForms({ one: form, two: { ...form, isRead: false }, three: { ...form, kind: "reducers", key: "" } }, (_, key) => `<${key}>`);
  expect(found.map((each) => targetOf(document, each)?.key)).toEqual([keys[1], keys[1], undefined, undefined]);
  expect(new Set(found.map(nameOfProblem)).size).toBe(4);
  expect(found[0]).toMatchObject({ element: `<${keys[1]}>`, field: "Name", input: "node-name", message: "Enter a name." });
  expect(countsOf(found)).toEqual({ errors: 4, warnings: 0, notes: 0 });
});

describe("problems that are the same", () => {
  it("are one group with all their elements, at the place of the first", () => {
    const unwritten = (edge: string) => ({ message: "Nothing writes 'round'", severity: "warning", code: "unwritten_name", field: "Condition", edge });
    const other = { message: "No start", severity: "warning", code: "no_start" };
    const groups = grouped([unwritten("a"), other, unwritten("b"), { ...unwritten("c"), field: "Filter" }]);
    expect(groups.map(({ problems }) => problems.length)).toEqual([2, 1, 1]);
    expect(groups[0]!.problems).toEqual([unwritten("a"), unwritten("b")]);
  });
});
