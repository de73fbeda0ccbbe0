// An edge as a line, with its condition, what it lets through and its weight.

import { BaseEdge, type EdgeProps, getBezierPath, useStore } from "@xyflow/react";
import { memo } from "react";
import { createPortal } from "react-dom";
import { CARD } from "../model/places";
import { t } from "../texts";
import { useEditor } from "./context";
import type { FlowEdge } from "./flow";
import { Icon } from "./Icon";

// Lines end where the dot of a handle is; what one can hit is larger.
const IN_HANDLE = 12;

const layers = new WeakMap<Element, Element>();

/**
 * Where React Flow keeps what stands on lines. Its own EdgeLabelRenderer looks for that in the whole
 * page, for each line and at every move: half of the time of dragging among 500 cards.
 */
function layerOf({ domNode }: { readonly domNode: Element | null }): Element | null {
  if (!domNode) return null;
  const known = layers.get(domNode);
  if (known) return known;
  const found = domNode.querySelector(".react-flow__edgelabel-renderer");
  if (found) layers.set(domNode, found);
  return found;
}

function LineView(given: EdgeProps<FlowEdge>) {
  const { id, data, selected, markerEnd } = given;
  const props = { ...given, sourceX: given.sourceX - IN_HANDLE, targetX: given.targetX + IN_HANDLE - 6 };
  const layer = useStore(layerOf);
  const choose = useEditor((state) => state.choose);
  const [path, x, y] = props.targetX < props.sourceX ? wayBack(props) : getBezierPath(props);
  const edge = data?.edge;
  const condition = edge?.condition?.replaceAll("context.", "");
  const chips = data?.words?.chips ?? [];
  const faulty = Boolean(data?.words?.problems.length);
  const isBare = !condition && !chips.length && edge?.weight === undefined && !faulty;
  return (
    <>
      <BaseEdge id={id} path={path} markerEnd={markerEnd} interactionWidth={24} />
      {!isBare &&
        layer &&
        createPortal(
          <div
            className={`flow-chips nopan${selected ? " flow-chips-chosen" : ""}${faulty ? " flow-chips-faulty" : ""}`}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            translate="no"
            title={[edge?.condition, ...chips, ...(data?.words?.problems ?? [])].filter(Boolean).join("\n")}
            onClick={() => choose({ edges: [id] })}
          >
            {faulty && <Icon name="alert-circle" />}
            {condition && <span className="flow-chip flow-chip-condition">{t("if {condition}", { condition })}</span>}
            {chips.map((chip) => (
              <span key={chip} className="flow-chip">
                {chip}
              </span>
            ))}
            {edge?.weight !== undefined && <span className="flow-chip">{t("weight {n}", { n: edge.weight })}</span>}
          </div>,
          layer,
        )}
    </>
  );
}

/** Back to where the flow came from, or to the node itself: above the cards and not across them. */
function wayBack({ sourceX, sourceY, targetX, targetY }: EdgeProps<FlowEdge>): [path: string, x: number, y: number] {
  const far = (sourceX - targetX) * 0.04;
  const over = Math.min(sourceY, targetY) - CARD.height / 2 - 40 - far;
  const bend = 70;
  const path =
    `M${sourceX} ${sourceY}C${sourceX + bend} ${sourceY} ${sourceX + bend} ${over} ${sourceX - 20} ${over}` +
    `L${targetX + 20} ${over}C${targetX - bend} ${over} ${targetX - bend} ${targetY} ${targetX} ${targetY}`;
  return [path, (sourceX + targetX) / 2, over];
}

export const LINES = { line: memo(LineView) };
