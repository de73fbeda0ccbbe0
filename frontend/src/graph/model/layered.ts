// Layers by dagre, with room for the chips of edges.

import { graphlib, layout } from "@dagrejs/dagre";
import { CHIP_HEIGHT } from "./chips";
import type { Key, Position } from "./document";
import { FOR_CHIPS, ROOM } from "./layers";
import { endsOf, type Flow } from "./lines";
import { CARD } from "./places";

export interface LayoutQuestion {
  readonly nodes: readonly Key[];
  /** `chips` is how wide what an edge says is; 0 for nothing. */
  readonly edges: readonly { readonly from: Key; readonly to: Key; readonly chips: number }[];
  readonly flow: Flow;
}

// Beyond so many nodes what follows takes longer than anybody waits: chips between two layers put one
// more there, and tight trees, which are four times as fast, are as good. 500 nodes: 0.6 s.
const MOST_EXACT = 150;

/** The upper left corner of each card, on the grid. */
export function layered({ nodes, edges, flow }: LayoutQuestion): Record<Key, Position> {
  const isExact = nodes.length <= MOST_EXACT;
  const isDown = flow === "down";
  const graph = new graphlib.Graph({ multigraph: true });
  const { beside, ahead } = ROOM[flow];
  const more = isDown && edges.some(({ chips }) => chips) ? FOR_CHIPS : 0;
  graph.setGraph({ rankdir: isDown ? "TB" : "LR", nodesep: beside, ranksep: ahead + more, edgesep: 16, ranker: isExact ? "network-simplex" : "tight-tree" });
  const widths = isDown ? widthsWith(edges) : new Map<Key, number>();
  for (const key of nodes) graph.setNode(key, { width: Math.max(CARD.width, widths.get(key) ?? 0), height: CARD.height });
  for (const [number, { from, to, chips }] of edges.entries()) {
    graph.setEdge(from, to, !isDown && isExact && chips ? { width: chips, height: CHIP_HEIGHT, labelpos: "c" } : {}, String(number));
  }
  layout(graph);
  const onGrid = (value: number): number => Math.round(value / 10) * 10;
  return Object.fromEntries(nodes.map((key) => {
    const { x, y } = graph.node(key) as Position;
    return [key, { x: onGrid(x - CARD.width / 2), y: onGrid(y - CARD.height / 2) }];
  }));
}

/** The widths of the chips above and below cards; of several that meet at one, the widest. */
function widthsWith(edges: LayoutQuestion["edges"]): Map<Key, number> {
  const endOf = endsOf(edges);
  const widths = new Map<Key, number>();
  for (const edge of edges) {
    const key = endOf(edge) === "start" ? edge.from : edge.to;
    widths.set(key, Math.max(widths.get(key) ?? 0, edge.chips));
  }
  return widths;
}
