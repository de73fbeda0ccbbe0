// A graph on a page among other things: the drawing of the canvas, whose cards and chips are links.

import { Background, BackgroundVariant, Panel, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { type CSSProperties, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Links } from "../io/setup";
import { around, isSeen, placesOf } from "../model/places";
import type { Drawn } from "../store";
import { t } from "../texts";
import { useRoom } from "./canvas_room";
import { CARDS, Leading, Zoom } from "./Card";
import { type Desk, DeskContext, useDesk, useEditor } from "./context";
import { markedNode, openingOf, useOpening } from "./first_view";
import { useShowAll } from "./fitted_view";
import { drawnPlaces, type FlowEdge, type FlowNode } from "./flow";
import { useFlow } from "./flow_state";
import { Sprite } from "./Icon";
import { LINES } from "./Line";
import { Legend, Overview } from "./Overview";
import { useTheme } from "./theme";
import { Tool } from "./Tool";
import { hasNames, letterAt, rowsAt } from "./zoom";

// A finger that moves over it scrolls the page.
const TOUCH = "(pointer: coarse)";

interface Props {
  readonly links: Links;
  /** It is there, and what stood in its place can go. */
  readonly onDrawn: () => void;
}

export function DrawnGraph({ desk, ...props }: Props & { readonly desk: Desk }) {
  return (
    <Sprite value={desk.setup.urls.icons}>
      <DeskContext value={desk}>
        <Leading value={props.links}>
          <ReactFlowProvider>
            <Drawing {...props} />
          </ReactFlowProvider>
        </Leading>
      </DeskContext>
    </Sprite>
  );
}

function Drawing({ onDrawn }: Props) {
  const drawn = useEditor(useShallow(({ document, places, chosen, words, costs, tokens, typed, marks, whatIf, mayChange }): Drawn => ({ document, places, chosen, words, costs, tokens, typed, marks, whatIf, mayChange })));
  const { nodes, edges, onNodesChange } = useFlow(drawn);
  const { step, across, seen } = useRoom(drawn, edges);
  const rows = rowsAt(step);
  const theme = useTheme();
  const frame = useRef<HTMLDivElement>(null);
  const start = useOpening(frame);
  useFitting(frame, drawn);
  const isMoved = useMemo(() => !matchMedia(TOUCH).matches, []);
  return (
    <div
      className={`flow flow-drawn flow-${seen.level}${seen.large ? " flow-large" : ""}${rows === 1 ? " flow-one-row" : ""}${hasNames(step) ? "" : " flow-nameless"} flow-to-${drawnPlaces(drawn).flow}`}
      ref={frame}
      style={{ "--letter": `${letterAt(step)}px`, "--rows": rows, "--across": `${across}px` } as CSSProperties}
    >
      {start && (
        <Zoom value={seen}>
          <ReactFlow<FlowNode, FlowEdge>
            nodes={nodes}
            edges={edges}
            nodeTypes={CARDS}
            edgeTypes={LINES}
            onNodesChange={onNodesChange}
            onInit={onDrawn}
            defaultViewport={start}
            minZoom={0.05}
            maxZoom={2}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            deleteKeyCode={null}
            panOnDrag={isMoved}
            zoomOnScroll={false}
            zoomOnPinch={isMoved}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            onlyRenderVisibleElements
            colorMode={theme}
            ariaLabelConfig={{ ...NOTHING_TO_PRESS, "minimap.ariaLabel": t("Minimap") }}
          >
            <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
            <Tools />
            {drawn.marks && <Legend marks={drawn.marks} />}
            <Overview drawn={drawn} />
          </ReactFlow>
        </Zoom>
      )}
    </div>
  );
}

/** Cards and lines are no controls here, so there is nothing to say about their keys. */
const NOTHING_TO_PRESS = {
  "node.a11yDescription.default": "",
  "node.a11yDescription.keyboardDisabled": "",
  "edge.a11yDescription.default": "",
};

function Tools() {
  const flow = useReactFlow();
  const showAll = useShowAll();
  return (
    <Panel position="top-right" className="flow-tools">
      <div className="btn-group-vertical" role="group" aria-label={t("Zoom and drag")}>
        <Tool icon="zoom-in" label={t("Zoom in")} onClick={() => void flow.zoomIn()} />
        <Tool icon="zoom-out" label={t("Zoom out")} onClick={() => void flow.zoomOut()} />
        <Tool icon="maximize" label={t("Show all")} onClick={showAll} />
      </div>
    </Panel>
  );
}

/** The graph fits again when its frame has another width, when someone changed it, or when an execution goes on out of sight. */
function useFitting(frame: { readonly current: HTMLDivElement | null }, { document, places, marks }: Drawn): void {
  const { store } = useDesk();
  const flow = useReactFlow();
  const [width, setWidth] = useState(0);
  const shown = useRef<unknown[]>([]);
  useEffect(() => {
    if (!frame.current) return undefined;
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [frame]);
  useLayoutEffect(() => {
    const isFirst = !shown.current.length;
    const now = [document, places, width];
    if (!frame.current || !width || now.every((each, place) => each === shown.current[place])) return;
    shown.current = now;
    if (!isFirst) void flow.setViewport(openingOf(store.getState(), frame.current.getBoundingClientRect()));
  }, [document, flow, frame, places, store, width]);
  const here = markedNode({ document, marks });
  const before = useRef(here);
  useEffect(() => {
    if (here === before.current || here === null || !frame.current) return;
    before.current = here;
    const { document: now, places: given } = store.getState();
    const spot = placesOf(now, given).get(here);
    const size = frame.current.getBoundingClientRect();
    if (spot && !isSeen(flow.getViewport(), size, around([spot]))) void flow.setViewport(openingOf(store.getState(), size));
  }, [flow, frame, here, store]);
}
