// The tools over the canvas that change the visible part, and what dragging does.

import { Panel, useReactFlow } from "@xyflow/react";
import { find } from "../model/document";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";
import { useShowAll } from "./fitted_view";
import { Tool } from "./Tool";

export interface Drawing {
  readonly drawing: "pan" | "box";
  readonly onDrawing: (drawing: "pan" | "box") => void;
}

export function ViewTools({ drawing, onDrawing }: Drawing) {
  const { store } = useDesk();
  const flow = useReactFlow();
  const showAll = useShowAll();
  const any = useEditor((state) => state.chosen.nodes.length + state.chosen.edges.length);
  return (
    <Panel position="top-right" className="flow-tools">
      <div className="btn-group-vertical" role="group" aria-label={t("Zoom and drag")}>
        <Tool icon="hand-stop" label={t("Drag to pan")} pressed={drawing === "pan"} onClick={() => onDrawing("pan")} />
        <Tool icon="marquee-2" label={t("Drag to select")} pressed={drawing === "box"} onClick={() => onDrawing("box")} keys="b" />
        <Tool icon="zoom-in" label={t("Zoom in")} keys="+" onClick={() => void flow.zoomIn()} />
        <Tool icon="zoom-out" label={t("Zoom out")} keys="-" onClick={() => void flow.zoomOut()} />
        <Tool icon="maximize" label={t("Show all")} keys="f" onClick={showAll} />
        <Tool icon="focus-2" label={t("Zoom to selection")} keys="z" disabled={!any} onClick={() => showChosen(flow, store.getState())} />
      </div>
    </Panel>
  );
}

type Flow = ReturnType<typeof useReactFlow>;

export function showChosen(flow: Flow, { chosen, document }: ReturnType<ReturnType<typeof useDesk>["store"]["getState"]>): void {
  const ends = chosen.edges.flatMap((key) => {
    const edge = find(document.edges, key);
    return edge ? [edge.from, edge.to] : [];
  });
  const nodes = [...new Set([...chosen.nodes, ...ends])].map((id) => ({ id }));
  if (nodes.length) void flow.fitView({ nodes, maxZoom: 1, padding: 0.3 });
}

