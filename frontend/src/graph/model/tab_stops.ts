// The order in which Tab goes through a canvas: each node, then the edges that leave it.

import type { Key, WorkflowDocument } from "./document";
import { indexOf } from "./document";

export interface TabStop {
  readonly kind: "node" | "edge";
  readonly key: Key;
}

export function tabStops({ nodes, edges }: WorkflowDocument): TabStop[] {
  const leaving = new Map<Key, TabStop[]>();
  const { keys } = indexOf(edges);
  edges.forEach(({ from }, place) => {
    const key = keys[place] as Key;
    leaving.set(from, [...(leaving.get(from) ?? []), { kind: "edge", key }]);
  });
  return indexOf(nodes).keys.flatMap((key): TabStop[] => [{ kind: "node", key }, ...(leaving.get(key) ?? [])]);
}
