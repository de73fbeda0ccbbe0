// An edge as a line, with its condition, what it lets through and its weight.

import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath, getSmoothStepPath } from "@xyflow/react";
import { memo } from "react";
import { t } from "../texts";
import { useEditor } from "./context";
import type { FlowEdge } from "./flow";
import { Icon } from "./Icon";

// Lines end where the dot of a handle is; what one can hit is larger.
const IN_HANDLE = 12;

function LineView(given: EdgeProps<FlowEdge>) {
  const { id, data, selected, markerEnd } = given;
  const props = { ...given, sourceX: given.sourceX - IN_HANDLE, targetX: given.targetX + IN_HANDLE - 6 };
  const choose = useEditor((state) => state.choose);
  // Back to where the flow came from: around the cards instead of across them.
  const [path, x, y] = props.targetX < props.sourceX ? getSmoothStepPath({ ...props, borderRadius: 24, offset: 28 }) : getBezierPath(props);
  const edge = data?.edge;
  const condition = edge?.condition?.replaceAll("context.", "");
  const chips = data?.words?.chips ?? [];
  const faulty = Boolean(data?.words?.problems.length);
  const isBare = !condition && !chips.length && edge?.weight === undefined && !faulty;
  return (
    <>
      <BaseEdge id={id} path={path} markerEnd={markerEnd} interactionWidth={24} />
      {!isBare && (
        <EdgeLabelRenderer>
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
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

export const LINES = { line: memo(LineView) };
