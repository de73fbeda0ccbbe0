// What drawing a line, dropping it or a type of node, and a double click on the canvas do.

import { type Connection, type FinalConnectionState, useReactFlow } from "@xyflow/react";
import { type DragEvent, type MouseEvent as ReactMouseEvent, useCallback } from "react";
import { hint } from "../io/notice";
import { connection, isConnected, reconnection } from "../model/commands";
import type { Position } from "../model/document";
import { find } from "../model/document";
import type { Flow } from "../model/lines";
import { CARD } from "../model/places";
import { t } from "../texts";
import { addKind, centred, KIND_TYPE, NAME_FIELD } from "./actions";
import { titleOf } from "../model/element_names";
import { useDesk } from "./context";
import { drawnPlaces, type FlowEdge, type FlowNode } from "./flow";
import type { Popup } from "./Popups";

export function useDrawing(onPopup: (popup: Popup | null) => void) {
  const { store, setup } = useDesk();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const onConnect = useCallback(
    ({ source, target }: Connection) => {
      const { document, edit, choose } = store.getState();
      const [first, second] = [find(document.nodes, source), find(document.nodes, target)];
      if (!first || !second) return;
      const { from, to, names } = { from: first.id, to: second.id, names: { from: titleOf(first), to: titleOf(second) } };
      if (isConnected(document, from, to)) return hint(t("{from} is already connected to {to}", names));
      const made = connection(document, from, to);
      edit(made.edit, t("Connect {from} with {to}", names));
      choose({ edges: [made.key] });
    },
    [store],
  );
  const onReconnect = useCallback(
    (old: FlowEdge, { source, target }: Connection) => {
      const { document, edit } = store.getState();
      const made = reconnection(document, old.id, source, target);
      if (made) edit(made, t("Connect to another node"));
    },
    [store],
  );
  const onDrop = (event: DragEvent): void => {
    const type = event.dataTransfer.getData(KIND_TYPE);
    const kind = setup.kinds.find((each) => each.type === type);
    if (!kind) return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    addKind(store, kind, { x: x - CARD.width / 2, y: y - CARD.height / 2 });
    store.getState().set({ wanted: NAME_FIELD });
  };
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, { fromHandle, fromNode, toNode }: FinalConnectionState) => {
      const { document, places } = store.getState();
      const node = fromNode && find(document.nodes, fromNode.id);
      if (!node || !fromHandle || toNode) return;
      const { clientX: x, clientY: y } = "changedTouches" in event ? (event.changedTouches[0] as Touch) : event;
      const isSource = fromHandle.type === "source";
      const spot = spotAt(flow.screenToFlowPosition({ x, y }), drawnPlaces({ document, places }).flow, isSource);
      onPopup({ kind: "offer", at: { x, y }, spot, tie: isSource ? { from: node.id } : { to: node.id } });
    },
    [flow, onPopup, store],
  );
  const offer = (at: Position, middle: Position): void => onPopup({ kind: "offer", at, spot: centred(flow.screenToFlowPosition(middle)) });
  const onDoubleClick = (event: ReactMouseEvent): void => {
    const isBare = event.target instanceof Element && event.target.matches(".react-flow__pane");
    const at = { x: event.clientX, y: event.clientY };
    if (isBare && store.getState().mayChange) offer(at, at);
  };
  return { onConnect, onReconnect, onConnectEnd, onDrop, onDoubleClick, offer };
}

/** The place of a card that begins, or ends, at a point. */
function spotAt({ x, y }: Position, flow: Flow, begins: boolean): Position {
  if (flow === "right") return { x: begins ? x : x - CARD.width, y: y - CARD.height / 2 };
  return { x: x - CARD.width / 2, y: begins ? y : y - CARD.height };
}
