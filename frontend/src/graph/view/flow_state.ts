// The nodes and edges of React Flow, and what its changes mean for the document.

import { applyNodeChanges, type EdgeChange, type NodeChange } from "@xyflow/react";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { groupOf } from "../model/canvas_data";
import type { Position } from "../model/document";
import { indexOf } from "../model/document";
import type { Drawn } from "../store";
import { moved } from "./actions";
import { useDesk } from "./context";
import { type FlowEdge, flowEdges, type FlowNode, flowNodes, frameKey } from "./flow";

export function useFlow(drawn: Drawn) {
  const { store, setup } = useDesk();
  const kinds = useMemo(() => new Map(setup.kinds.map((kind) => [kind.type, kind])), [setup]);
  const [nodes, setNodes] = useState<FlowNode[]>(() => flowNodes(drawn, kinds, []));
  const [edges, setEdges] = useState<FlowEdge[]>(() => flowEdges(drawn, []));
  const now = useRef(nodes);
  now.current = nodes;
  const byHand = useRef(false);

  const of = useRef(drawn);
  useLayoutEffect(() => {
    if (of.current === drawn) return;
    of.current = drawn;
    setNodes((before) => flowNodes(drawn, kinds, before));
    setEdges((before) => flowEdges(drawn, before));
  }, [drawn, kinds]);

  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const { choose, chosen, document } = store.getState();
      const selects = changes.filter((change) => change.type === "select");
      if (selects.length) {
        const nodeKeys = new Set(chosen.nodes);
        for (const { id, selected } of selects) selected ? nodeKeys.add(id) : nodeKeys.delete(id);
        const there = indexOf(document.nodes).at;
        choose({ ...chosen, nodes: [...nodeKeys].filter((key) => there.has(key)) });
      }
      const others = changes.filter((change) => change.type !== "select" && change.type !== "remove");
      if (!others.length) return;
      const all = [...others, ...followers(others, now.current)];
      now.current = applyNodeChanges(all, now.current);
      setNodes(now.current);
      const byKeys = !byHand.current && others.some((change) => change.type === "position" && change.position);
      if (byKeys) moved(store, now.current, "arrows");
    },
    [store],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange<FlowEdge>[]) => {
      const { choose, chosen } = store.getState();
      const keys = new Set(chosen.edges);
      for (const change of changes) {
        if (change.type === "select") change.selected ? keys.add(change.id) : keys.delete(change.id);
      }
      if (changes.some((change) => change.type === "select")) choose({ ...store.getState().chosen, edges: [...keys] });
    },
    [store],
  );
  const dragging = useCallback(
    (starts: boolean) => {
      byHand.current = starts;
      if (!starts) moved(store, now.current);
    },
    [store],
  );
  return { nodes, edges, onNodesChange, onEdgesChange, dragging };
}

/** Who moves along: the members of a group that is dragged by its title, the note of a card. */
function followers(changes: readonly NodeChange<FlowNode>[], nodes: readonly FlowNode[]): NodeChange<FlowNode>[] {
  const by = new Map<string, Position>();
  const at = new Map(nodes.map((node) => [node.id, node]));
  const own = new Set(changes.flatMap((change) => (change.type === "position" ? [change.id] : [])));
  for (const change of changes) {
    if (change.type !== "position" || !change.position) continue;
    const was = at.get(change.id)?.position;
    if (was) by.set(change.id, { x: change.position.x - was.x, y: change.position.y - was.y });
  }
  if (!by.size) return [];
  const shifts = (node: FlowNode): Position | undefined => {
    if (node.type === "note") return by.get(node.data.of) ?? groupShift(at.get(node.data.of));
    return groupShift(node);
  };
  const groupShift = (node: FlowNode | undefined): Position | undefined => {
    if (node?.type !== "card") return undefined;
    const group = groupOf(node.data.node);
    return group ? by.get(frameKey(group)) : undefined;
  };
  return nodes.flatMap((node): NodeChange<FlowNode>[] => {
    const shift = own.has(node.id) ? undefined : shifts(node);
    if (!shift) return [];
    return [{ type: "position", id: node.id, position: { x: node.position.x + shift.x, y: node.position.y + shift.y } }];
  });
}
