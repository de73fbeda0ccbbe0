// Cards that two people added at one place: that of the second to save moves aside.

import type { Key, Position, WorkflowDocument, WorkflowNode } from "./document";
import { indexOf } from "./document";
import { withPosition } from "./edits";
import { flowOf } from "./lines";
import { CARD, freeSpot } from "./places";

/** `merged` with the cards that are neither in `base` nor in `theirs` moved off those that `theirs` added. */
export function apart(base: WorkflowDocument, theirs: WorkflowDocument, merged: WorkflowDocument): WorkflowDocument {
  const [known, there] = [idsOf(base), idsOf(theirs)];
  const added = theirs.nodes.flatMap(({ id, position }) => (position && !known.has(id) ? [position] : []));
  const isHidden = ({ id, position }: WorkflowNode): boolean =>
    position !== undefined && !known.has(id) && !there.has(id) && added.some((other) => covers(other, position));
  if (!merged.nodes.some(isHidden)) return merged;
  const places = new Map<Key, Position>();
  const { keys } = indexOf(merged.nodes);
  merged.nodes.forEach((node, at) => node.position && !isHidden(node) && places.set(keys[at] as Key, node.position));
  const flow = flowOf(merged, places);
  const nodes = merged.nodes.map((node, at) => {
    if (!isHidden(node)) return node;
    const spot = freeSpot(places, node.position as Position, flow);
    places.set(keys[at] as Key, spot);
    return withPosition(node, spot);
  });
  return { ...merged, nodes };
}

function idsOf({ nodes }: WorkflowDocument): ReadonlySet<string> {
  return new Set(nodes.map(({ id }) => id));
}

function covers(a: Position, b: Position): boolean {
  return Math.abs(a.x - b.x) < CARD.width && Math.abs(a.y - b.y) < CARD.height;
}
