// An edge as a line, with its condition, its filter and its weight.

import { BaseEdge, type EdgeProps, useStore } from "@xyflow/react";
import { memo, useContext } from "react";
import { createPortal } from "react-dom";
import { widthOf } from "../model/chips";
import type { Spot } from "../model/chip_room";
import type { Position } from "../model/document";
import { anchorOf, chipSpot, type Flow, type Way, wayOf } from "../model/lines";
import { CARD } from "../model/places";
import { t } from "../texts";
import { CoverLink, Leading, Zoom } from "./Card";
import { useEditor } from "./context";
import { type FlowEdge, HANDLE } from "./flow";
import { Icon } from "./Icon";
import { chipTexts, conditionOf, inLine, spokenEdge, weightOf } from "./accessible_names";

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
  const { level, words } = useContext(Zoom);
  const [from, to] = cardsOf(given, data?.flow ?? "right");
  const spot = words?.get(id);
  const way = wayOf(from, to, data?.flow ?? "right", data?.lane, spot?.end ?? data?.end);
  return (
    <>
      <BaseEdge id={id} path={way.path} markerEnd={markerEnd} interactionWidth={24} />
      {/* Nobody can read them from far away, and each would be moved with its line. */}
      {(level !== "far" || (words && spot)) && !isBare(data) && <Chips way={way} from={from} to={to} given={given} words={!words || spot !== undefined} spot={spot} />}
    </>
  );
}

/** The corners of the two cards, which React Flow tells by their dots alone. */
function cardsOf({ sourceX, sourceY, targetX, targetY }: EdgeProps<FlowEdge>, flow: Flow): [Position, Position] {
  const out = HANDLE / 2;
  return flow === "right"
    ? [{ x: sourceX - out - CARD.width, y: sourceY - CARD.height / 2 }, { x: targetX + out, y: targetY - CARD.height / 2 }]
    : [{ x: sourceX - CARD.width / 2, y: sourceY - out - CARD.height }, { x: targetX - CARD.width / 2, y: targetY + out }];
}

function isBare(data: FlowEdge["data"]): boolean {
  return !data || (!data.words?.problems.length && !chipTexts(data).length);
}

interface ChipsProps {
  readonly way: Way;
  readonly from: Position;
  readonly to: Position;
  readonly given: EdgeProps<FlowEdge>;
  /** Whether there is room for its words; else signs say that there are some. */
  readonly words: boolean;
  /** Where there is room from further away. */
  readonly spot: Spot | undefined;
}

function Chips({ way, from, to, given, words, spot }: ChipsProps) {
  const { id, data, selected } = given;
  const layer = useStore(layerOf);
  const choose = useEditor((state) => state.choose);
  const links = useContext(Leading);
  const edge = data?.edge;
  const condition = conditionOf(edge);
  const chips = (data?.words?.chips ?? []).map(inLine);
  const faulty = Boolean(data?.words?.problems.length);
  const warned = faulty && data?.words?.warned;
  const cost = data?.cost;
  // Beside a mark the rest is read in the panel.
  const mark = data?.mark;
  const { x, y } = chipSpot(way, from, to, spot?.width ?? (words && data ? widthOf(chipTexts(data)) : 0));
  const { across, down } = anchorOf(way);
  return (
    layer &&
    createPortal(
      <div
        className={`flow-chips nopan${spot?.rows === 2 ? " flow-chips-folded" : ""}${!spot && way.shape === "beside" ? " flow-chips-beside" : ""}${selected ? " flow-chips-chosen" : ""}${warned ? " flow-chips-warned" : faulty ? " flow-chips-faulty" : ""}${mark ? ` mark-${mark.sign}` : ""}`}
        style={{ transform: `translate(${-100 * across}%, ${-100 * down}%) translate(${x + (spot?.aside ?? 0)}px, ${y + (spot?.down ?? 0)}px)`, ...(spot?.rows === 2 && { maxWidth: spot.width }) }}
        translate="no"
        data-edge={id}
        title={[mark?.text, inLine(edge?.condition ?? ""), ...chips, cost?.warning || cost?.line, ...(data?.words?.problems ?? []).map(inLine)].filter(Boolean).join("\n")}
        onClick={links ? undefined : () => choose({ edges: [id] })}
      >
        {links && edge && <CoverLink to={links.edges[edge.id]} label={spokenEdge(edge, data.words, mark, cost)} isStop={false} />}
        {faulty && <Icon name={warned ? "alert-triangle" : "alert-circle"} />}
        {mark && (
          <span className="flow-chip flow-mark">
            <Icon name={mark.icon} />
            {mark.text}
          </span>
        )}
        {!mark && condition && <span className="flow-chip flow-chip-condition">{words ? condition : t("if")}</span>}
        {words &&
          (mark ? [] : chips).map((chip) => (
            <span key={chip} className="flow-chip">
              {chip}
            </span>
          ))}
        {!words && !mark && chips.length > 0 && (
          <span className="flow-chip">
            <Icon name="filter" />
          </span>
        )}
        {words && !mark && cost?.line && (
          <span className={`flow-chip${cost.warning ? " flow-cost-raises" : ""}`}>
            {cost.warning && <Icon name="alert-triangle" />}
            {cost.line}
          </span>
        )}
        {words && !mark && edge?.weight !== undefined && <span className="flow-chip">{weightOf(edge)}</span>}
      </div>,
      layer,
    )
  );
}

export const LINES = { line: memo(LineView) };
