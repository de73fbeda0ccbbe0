// An edge as a line, with its condition, its filter and its weight.

import { BaseEdge, type EdgeProps, useStore } from "@xyflow/react";
import { memo, useContext } from "react";
import { createPortal } from "react-dom";
import { bound, boxSize, heldOf } from "../model/chips";
import { type Spot, USUAL_LETTER } from "../model/chip_room";
import type { Position } from "../model/document";
import { anchorOf, chipSpot, type Flow, type Way, wayOf } from "../model/lines";
import { CARD } from "../model/places";
import { t } from "../texts";
import { CoverLink, Leading, Zoom } from "./Card";
import { useEditor } from "./context";
import { type FlowEdge, HANDLE } from "./flow";
import { Icon } from "./Icon";
import { chipsWidth } from "./text_width";
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
  const { level, words, near } = useContext(Zoom);
  const [from, to] = cardsOf(given, data?.flow ?? "right");
  const spot = (words ?? near)?.get(id);
  const way = wayOf(from, to, data?.flow ?? "right", data?.lane, spot?.end ?? data?.end);
  return (
    <>
      <BaseEdge id={id} path={way.path} markerEnd={markerEnd} interactionWidth={24} />
      {!isBare(data) &&
        (level !== "far" || spot ? (
          <Chips way={way} from={from} to={to} given={given} words={spot ? spot.says !== "signs" : !words} spot={spot} />
        ) : (
          // Nobody can read more from far away, and chips would be moved with their lines.
          <circle className={`flow-dot${data?.words?.problems.length ? (data.words.warned ? " flow-dot-warned" : " flow-dot-faulty") : ""}${data?.mark ? ` mark-${data.mark.sign}` : ""}`} cx={way.x} cy={way.y}>
            <title>{data && edgeTexts(data).join("\n")}</title>
          </circle>
        ))}
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

/** All that an edge says, as its tooltip has it. */
function edgeTexts({ edge, words, cost, mark }: NonNullable<FlowEdge["data"]>): string[] {
  const parts = [mark?.text, inLine(edge.condition ?? ""), ...(words?.whole ?? []).map(inLine), cost?.warning || cost?.line, weightOf(edge), ...(words?.problems ?? []).map(inLine)];
  return parts.filter((part): part is string => Boolean(part));
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
  const { letter } = useContext(Zoom);
  const choose = useEditor((state) => state.choose);
  const links = useContext(Leading);
  const edge = data?.edge;
  const condition = conditionOf(edge);
  const chips = ((spot?.says === "whole" ? data?.words?.whole : data?.words?.chips) ?? []).map(inLine);
  const faulty = Boolean(data?.words?.problems.length);
  const warned = faulty && data?.words?.warned;
  const cost = data?.cost;
  // Beside a mark the rest is read in the panel.
  const mark = data?.mark;
  const size = spot || !words || !data ? null : boxSize(chipsWidth(chipTexts(data)));
  const { x, y } = chipSpot(way, from, to, spot?.width ?? size?.width ?? 0, size ? (size.height * letter) / USUAL_LETTER : undefined);
  const { across, down } = anchorOf(way);
  const said = data ? edgeTexts(data) : [];
  const held = heldOf(data && words && !mark ? chipTexts(data, spot?.says === "whole" ? "whole" : "chips") : []);
  const chipClass = (text: string): string => (held.has(text) ? "flow-chip flow-chip-held" : "flow-chip");
  return (
    layer &&
    createPortal(
      <div
        className={`flow-chips nopan${spot?.rows === 2 ? " flow-chips-folded" : ""}${(spot ? spot.rows > 2 : way.shape === "beside") ? " flow-chips-beside" : ""}${selected ? " flow-chips-chosen" : ""}${warned ? " flow-chips-warned" : faulty ? " flow-chips-faulty" : ""}${mark ? ` mark-${mark.sign}` : ""}`}
        style={{ transform: `translate(${-100 * across}%, ${-100 * down}%) translate(${x + (spot?.aside ?? 0)}px, ${y + (spot?.down ?? 0)}px)`, ...(spot?.rows === 2 && { maxWidth: spot.width }), ...(spot?.says === "whole" && spot.rows === 1 && { maxWidth: "none" }) }}
        translate="no"
        data-edge={id}
        title={said.join("\n")}
        {...(!words && !links && { role: "img", "aria-label": said.join(", ") })}
        onClick={links ? undefined : () => choose({ edges: [id] })}
      >
        {links && edge && <CoverLink to={links.edges[edge.id]} label={spokenEdge(edge, data.names, data.words, mark, cost)} isStop={false} />}
        {faulty && <Icon name={warned ? "alert-triangle" : "alert-circle"} />}
        {mark && (
          <span className="flow-chip flow-mark">
            <Icon name={mark.icon} />
            {spot?.says !== "signs" && mark.text}
          </span>
        )}
        {!mark && condition && <span className={`${chipClass(condition)} flow-chip-condition`}>{words ? condition : t("if")}</span>}
        {words &&
          (mark ? [] : chips).map((chip) => (
            <span key={chip} className={chipClass(chip)}>
              {bound(chip)}
            </span>
          ))}
        {!words && !mark && (chips.length > 0 || (!condition && !faulty)) && (
          <span className="flow-chip">
            <Icon name={chips.length > 0 ? "filter" : "info-circle"} />
          </span>
        )}
        {words && !mark && cost?.line && (
          <span className={`${chipClass(cost.line)}${cost.warning ? " flow-cost-raises" : ""}`}>
            {cost.warning && <Icon name="alert-triangle" />}
            {cost.line}
          </span>
        )}
        {words && !mark && edge?.weight !== undefined && <span className={chipClass(weightOf(edge))}>{weightOf(edge)}</span>}
      </div>,
      layer,
    )
  );
}

export const LINES = { line: memo(LineView) };
