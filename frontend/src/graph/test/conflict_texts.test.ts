import { expect, it } from "vitest";
import type { ConflictAsked, Names } from "../io/server";
import { namesOf, tell } from "../io/conflict_texts";
import type { Conflict, Kind, Sided } from "../model/merge";

const edge = (to: string): Conflict["base"] => ({ id: "go", type: "sequence", from: "ask", to });
const changed = (kind: Kind, base: Sided, mine: Sided, theirs: Sided): Conflict => ({ kind, key: "x", base, mine, theirs });
const names = new Map([["ask", "Ask"], ["answer", "Answer"], ["review", "A person reads"], ["other", "Other"]]);
const { signal } = new AbortController();

async function asked(conflict: Conflict): Promise<{ conflict: ConflictAsked | undefined; names: Names }> {
  const calls: { conflict: ConflictAsked | undefined; names: Names }[] = [];
  const server = { sides: async ([first]: readonly ConflictAsked[], given: Names) => (calls.push({ conflict: first, names: given }), [[]]) };
  await tell(server, [conflict], names, signal, () => undefined);
  return calls[0]!;
}

it("asks for the words of edges with the names of their ends, and of no other nodes", async () => {
  const found = await asked(changed("edge", edge("answer"), edge("review"), edge("removed")));
  expect(found.names).toEqual({ ask: "Ask", answer: "Answer", review: "A person reads" });
  expect(found.conflict?.theirs).toEqual({ element: edge("removed") });
});

it("asks for what the canvas keeps of a node as texts, and for no side that is not there", async () => {
  const node = { id: "a", type: "llm", position: { x: 1, y: 2 }, properties: { canvas: { group: "G", note: { text: "N" } } } };
  const { conflict } = await asked(changed("node", { id: "a", type: "llm" }, node, undefined));
  expect(conflict).toEqual({
    kind: "node",
    base: { element: { id: "a", type: "llm" }, texts: {} },
    mine: { element: { id: "a", type: "llm" }, texts: { "Group on the canvas": "G", "Note on the canvas": "N" } },
    theirs: undefined,
  });
});

it("asks for the words of a name and of a reducer as texts", async () => {
  expect((await asked(changed("name", "A", "B", "C"))).conflict).toEqual({ kind: "text", base: { texts: { Name: "A" } }, mine: { texts: { Name: "B" } }, theirs: { texts: { Name: "C" } } });
  expect((await asked(changed("reducer", "sum", undefined, "last"))).conflict?.theirs).toEqual({ texts: { Reducer: "last" } });
});

it("asks for a few at a time, and tells each by its name what was answered", async () => {
  const many = Array.from({ length: 7 }, (_, n): Conflict => ({ kind: "name", key: `${n}`, base: "", mine: `${n}`, theirs: "t" }));
  const rows = (label: string) => [{ label, is_json: false, sides: [[], [], []] as const }];
  const lengths: number[] = [];
  const server = { sides: async (some: readonly ConflictAsked[]) => (lengths.push(some.length), some.map(({ mine }) => rows(mine?.texts?.Name ?? ""))) };
  const heard: unknown[] = [];
  await tell(server, many, names, signal, (name, told) => heard.push([name, told?.[0]?.label]));
  expect(lengths).toEqual([5, 2]);
  expect(heard).toEqual(many.map(({ key }) => [`name ${key}`, key]));
});

it("tells that there are no words if they cannot be had", async () => {
  const heard: unknown[] = [];
  await tell({ sides: () => Promise.reject(new Error("offline")) }, [changed("name", "A", "B", "C")], names, signal, (_, told) => heard.push(told));
  expect(heard).toEqual([null]);
});

it("calls nodes of one name by their ids too, in any version of the workflow", () => {
  const node = (id: string, name?: string) => ({ id, type: "llm", ...(name === undefined ? {} : { name }) });
  const document = (...nodes: ReturnType<typeof node>[]) => ({ name: "", nodes, edges: [] });
  const found = namesOf([document(node("a", "Ask"), node("b", "Answer")), document(node("c", "Answer"), node("d", " "))]);
  expect([...found]).toEqual([["a", "Ask"], ["b", "Answer (b)"], ["c", "Answer (c)"]]);
});
