import { expect, it } from "vitest";
import type { Names } from "../io/server";
import { tell } from "../io/telling";
import type { Conflict } from "../model/merge";

const edge = (to: string): Conflict["base"] => ({ id: "go", type: "sequence", from: "ask", to });
const conflict: Conflict = { kind: "edge", key: "go", base: edge("answer"), mine: edge("review"), theirs: edge("gone") };

it("asks for the words of edges with the names of their ends, and of no other nodes", async () => {
  const asked: Names[] = [];
  const server = { sides: async (_: unknown, edges: readonly unknown[], names: Names) => (asked.push(names), { nodes: [], edges: edges.map(() => []) }) };
  const names = new Map([["ask", "Ask"], ["answer", "Answer"], ["review", "A person reads"], ["other", "Other"]]);
  await tell(server, [conflict], names, new AbortController().signal, () => undefined);
  expect(asked).toEqual([{ ask: "Ask", answer: "Answer", review: "A person reads" }]);
});
