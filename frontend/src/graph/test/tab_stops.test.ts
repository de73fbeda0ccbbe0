import { expect, it } from "vitest";
import { tabStops } from "../model/tab_stops";

it("goes from each node to the edges that leave it, then to the next node", () => {
  const edge = (id: string, from: string, to: string) => ({ id, type: "sequence", from, to });
  const nodes = ["b", "a"].map((id) => ({ id, type: "llm" }));
  const stops = tabStops({ name: "w", nodes, edges: [edge("1", "a", "b"), edge("2", "b", "a"), edge("3", "gone", "a"), edge("4", "b", "b")] });
  expect(stops.map(({ kind, key }) => `${kind} ${key}`)).toEqual(["node b", "edge 2", "edge 4", "node a", "edge 1"]);
});
