// The canvas: cards, lines, dragging, connecting and selecting, by React Flow.

import { Background, BackgroundVariant, ReactFlow, SelectionMode, useConnection } from "@xyflow/react";
import { type CSSProperties, useRef } from "react";
import { useShallow } from "zustand/react/shallow";
import { members } from "../model/commands";
import type { Drawn } from "../store";
import { t } from "../texts";
import { useElementKeys, useMenus } from "./canvas_menus";
import { useRoom } from "./canvas_room";
import { CARDS, Zoom } from "./Card";
import { useDesk, useEditor } from "./context";
import { KIND_TYPE } from "./actions";
import { useDrawing } from "./drawing_edges";
import { EmptyCanvas } from "./EmptyCanvas";
import { useOpening } from "./first_view";
import { useRefitting } from "./fitted_view";
import { drawnPlaces, type FlowEdge, type FlowNode } from "./flow";
import { useFlow } from "./flow_state";
import { useFollowing } from "./following";
import { useStillLines } from "./still_lines";
import { LINES } from "./Line";
import { middleOf } from "./menu_target";
import { Legend, Overview } from "./Overview";
import type { Popup } from "./Popups";
import { EDGE_STOPS } from "./tab_order";
import { useTheme } from "./theme";
import { type Drawing, ViewTools } from "./ViewTools";
import { hasNames, letterAt, rowsAt } from "./zoom";

const GRID: [number, number] = [10, 10];
const LEAST_ZOOM = 0.05;

interface Props extends Drawing {
  readonly onPopup: (popup: Popup | null) => void;
}

export function Canvas({ drawing, onDrawing, onPopup }: Props) {
  const { store } = useDesk();
  const drawn = useEditor(useShallow(({ document, places, chosen, words, costs, tokens, typed, marks, whatIf, mayChange }): Drawn => ({ document, places, chosen, words, costs, tokens, typed, marks, whatIf, mayChange })));
  const { nodes, edges, onNodesChange, onEdgesChange, dragging } = useFlow(drawn);
  const theme = useTheme();
  const { step, across, seen } = useRoom(drawn, edges);
  const rows = rowsAt(step);
  const { onConnect, onReconnect, onConnectEnd, onDrop, onDoubleClick, offer } = useDrawing(onPopup);
  const menus = useMenus(onPopup);
  const pressed = useElementKeys();
  const frame = useRef<HTMLDivElement>(null);
  const start = useOpening(frame);
  useRefitting(frame);
  useFollowing(frame);
  const began = useStillLines(frame);
  // While a line is drawn, a card is where it can end as a whole (graph.css).
  const wanted = useConnection(({ fromHandle }) => (fromHandle ? (fromHandle.type === "source" ? "target" : "source") : null));

  return (
    <div
      className={`flow flow-${seen.level}${seen.large ? " flow-large" : ""}${rows === 1 ? " flow-one-row" : ""}${hasNames(step) ? "" : " flow-nameless"} flow-to-${drawnPlaces(drawn).flow}${wanted ? ` flow-wants-${wanted}` : ""}`}
      ref={frame}
      style={{ "--letter": `${letterAt(step)}px`, "--rows": rows, "--across": `${across}px` } as CSSProperties}
      tabIndex={-1} // what is pressed on the empty canvas keeps the keys here
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(KIND_TYPE)) event.preventDefault();
      }}
      onDrop={onDrop}
      onDoubleClick={onDoubleClick}
      onKeyDownCapture={pressed}
      onMouseDownCapture={({ target, clientX: x, clientY: y }) => began(target, { x, y })}
      onTouchStartCapture={({ target, touches }) => touches[0] && began(target, { x: touches[0].clientX, y: touches[0].clientY })}
      {...menus}
    >
      {start && (
        <Zoom value={seen}>
        <ReactFlow<FlowNode, FlowEdge>
          nodes={nodes}
          edges={edges}
          nodeTypes={CARDS}
          edgeTypes={LINES}
          defaultEdgeOptions={EDGE_STOPS}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          onReconnect={onReconnect}
          onNodeDragStart={() => dragging(true)}
          onNodeDragStop={() => dragging(false)}
          onSelectionDragStart={() => dragging(true)}
          onSelectionDragStop={() => dragging(false)}
          onNodeClick={(event, node) => {
            const one = !(event.ctrlKey || event.metaKey || event.shiftKey);
            if (node.type === "card" && one) store.getState().choose({ nodes: [node.id] });
            if (node.type === "note") store.getState().choose({ nodes: [node.data.of] });
            if (node.type === "frame") store.getState().choose({ nodes: members(store.getState().document, node.data.name) });
          }}
          defaultViewport={start}
          minZoom={LEAST_ZOOM}
          maxZoom={2}
          snapToGrid
          snapGrid={GRID}
          nodesDraggable={drawn.mayChange}
          nodesConnectable={drawn.mayChange}
          edgesReconnectable={drawn.mayChange}
          connectionRadius={28}
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          multiSelectionKeyCode={["Control", "Meta", "Shift"]}
          selectionOnDrag={drawing === "box"}
          selectionMode={SelectionMode.Partial}
          panOnDrag={drawing === "box" ? [1, 2] : true}
          zoomOnDoubleClick={false}
          onlyRenderVisibleElements
          colorMode={theme}
          ariaLabelConfig={{
            "node.a11yDescription.default": howToChoose(),
            "node.a11yDescription.keyboardDisabled": howToChoose(), // said when the keyboard is not disabled
            "node.a11yDescription.ariaLiveMessage": ({ x, y }) => t("Node moved to {x}, {y}.", { x, y }),
            "handle.ariaLabel": t("Connection points"),
            "edge.a11yDescription.default": t("Press Enter to select the edge, Enter again to edit it, Delete to delete it."),
            "minimap.ariaLabel": t("Minimap"),
          }}
        >
          <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
          <ViewTools drawing={drawing} onDrawing={onDrawing} />
          {drawn.marks && <Legend marks={drawn.marks} />}
          <Overview drawn={drawn} />
        </ReactFlow>
        </Zoom>
      )}
      <EmptyCanvas onOffer={(at) => offer(at, middleOf(frame.current))} />
    </div>
  );
}

const howToChoose = (): string => t("Press Enter to select the node, Enter again to edit it, arrow keys to move it, Delete to delete it.");
