// An edge as a line, with its condition, what it lets through and its weight.

import { BaseEdge, type EdgeProps, useStore } from "@xyflow/react";
import { memo, useContext } from "react";
import { createPortal } from "react-dom";
import { type Way, wayOf } from "../model/lines";
import { CARD } from "../model/places";
import { t } from "../texts";
import { Far } from "./Card";
import { useEditor } from "./context";
import type { FlowEdge } from "./flow";
import { Icon } from "./Icon";
import { conditionOf, inLine } from "./spoken";

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
  const { id, data, markerEnd } = given;
  const isFar = useContext(Far);
  const way = wayOf(given.sourceX - IN_HANDLE, given.sourceY, given.targetX + IN_HANDLE - 6, given.targetY);
  return (
    <>
      <BaseEdge id={id} path={way.path} markerEnd={markerEnd} interactionWidth={24} />
      {/* Nobody can read them from far away, and each would be moved with its line. */}
      {!isFar && !isBare(data) && <Chips way={way} given={given} />}
    </>
  );
}

function isBare(data: FlowEdge["data"]): boolean {
  const { edge, words, cost, mark } = data ?? {};
  return !mark && !edge?.condition && !words?.chips.length && edge?.weight === undefined && !words?.problems.length && !cost?.line;
}

function Chips({ way: { x, y }, given }: { readonly way: Way; readonly given: EdgeProps<FlowEdge> }) {
  const { id, data, selected } = given;
  const layer = useStore(layerOf);
  const choose = useEditor((state) => state.choose);
  const edge = data?.edge;
  const condition = conditionOf(edge);
  const chips = (data?.words?.chips ?? []).map(inLine);
  const faulty = Boolean(data?.words?.problems.length);
  const cost = data?.cost;
  // With a mark that is all that fits between two cards; the rest is read in the panel.
  const mark = data?.mark;
  return (
    layer &&
    createPortal(
      <div
        className={`flow-chips nopan${selected ? " flow-chips-chosen" : ""}${faulty ? " flow-chips-faulty" : ""}${mark ? ` mark-${mark.sign}` : ""}`}
        style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)`, maxWidth: roomFor(given) }}
        translate="no"
        title={[mark?.text, inLine(edge?.condition ?? ""), ...chips, cost?.warning || cost?.line, ...(data?.words?.problems ?? []).map(inLine)].filter(Boolean).join("\n")}
        onClick={() => choose({ edges: [id] })}
      >
        {faulty && <Icon name="alert-circle" />}
        {mark && (
          <span className="flow-chip flow-mark">
            <Icon name={mark.icon} />
            {mark.text}
          </span>
        )}
        {!mark && condition && <span className="flow-chip flow-chip-condition">{condition}</span>}
        {(mark ? [] : chips).map((chip) => (
          <span key={chip} className="flow-chip">
            {chip}
          </span>
        ))}
        {!mark && cost?.line && (
          <span className={`flow-chip${cost.warning ? " flow-cost-raises" : ""}`}>
            {cost.warning && <Icon name="alert-triangle" />}
            {cost.line}
          </span>
        )}
        {!mark && edge?.weight !== undefined && <span className="flow-chip">{t("weight {n}", { n: edge.weight })}</span>}
      </div>,
      layer,
    )
  );
}

/** Between cards that stand beside each other a chip has the gap, or they would cover its ends. */
function roomFor({ sourceX, sourceY, targetX, targetY }: EdgeProps<FlowEdge>): number | undefined {
  const isBeside = targetX > sourceX && Math.abs(targetY - sourceY) < CARD.height;
  return isBeside ? Math.max(targetX - sourceX - 2 * IN_HANDLE, 60) : undefined;
}

export const LINES = { line: memo(LineView) };
