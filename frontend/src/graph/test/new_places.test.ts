import { expect, it } from "vitest";
import { normalised, type WorkflowNode } from "../model/document";
import { CARD } from "../model/places";
import { editorStore } from "../store";
import { addKind, nextSpot } from "../view/actions";

const KIND = { type: "llm", label: "Model", tone: "", icon: "", context_type: "", context_label: "" };
const MIDDLE = { x: 254, y: 330 };

/** The places of nodes that are added one after the other, as the palette does it. */
const grown = (nodes: readonly WorkflowNode[], count: number, edges: { id: string; type: string; from: string; to: string }[] = []) => {
  const store = editorStore({ document: normalised({ name: "w", nodes, edges }), version: 1, places: {}, may_change: true });
  if (nodes.length) store.getState().choose({ nodes: [nodes.at(-1)!.id] });
  for (let number = 0; number < count; number += 1) {
    const { spot, tie } = nextSpot(store, MIDDLE);
    addKind(store, KIND, spot, tie);
  }
  return store.getState().document.nodes.map((node) => node.position!);
};

it("nodes that are added one after the other stand below each other", () => {
  const spots = grown([], 5);
  expect(new Set(spots.map(({ x }) => x)).size).toBe(1);
  for (const [place, { y }] of spots.slice(1).entries()) expect(y - spots[place]!.y).toBeGreaterThan(CARD.height + 40);
});

it("nodes that are added to a graph that leads to the right go on to the right", () => {
  const nodes = [{ id: "a", type: "start", position: { x: 0, y: 0 } }, { id: "b", type: "llm", position: { x: 310, y: 0 } }];
  const spots = grown(nodes, 2, [{ id: "e", type: "sequence", from: "a", to: "b" }]);
  expect(new Set(spots.map(({ y }) => y))).toEqual(new Set([0]));
});
