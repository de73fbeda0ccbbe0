// What stands over the canvas: a map of what is out of sight, and what marks mean.

import { MiniMap, Panel, useStore } from "@xyflow/react";
import { useMemo } from "react";
import type { Marks } from "../io/setup";
import { around, type Box, isSeen } from "../model/places";
import type { Drawn } from "../store";
import { t, tn } from "../texts";
import { useShowAll } from "./fitted_view";
import { drawnPlaces, type FlowNode } from "./flow";
import { Icon } from "./Icon";

const MAP = { width: 150, height: 100 };

/** A map of what is out of sight; where all is in sight, it would only cover some of it. */
export function Overview({ drawn }: { readonly drawn: Drawn }) {
  const showAll = useShowAll();
  const box = useMemo(() => boxOf(drawn), [drawn]);
  const isNeeded = useStore(({ transform: [x, y, zoom], width, height }) => box !== null && !isSeen({ x, y, zoom }, { width, height }, box));
  if (!isNeeded) return null;
  return (
    <>
      <MiniMap style={MAP} pannable zoomable nodeClassName={miniClass} className="flow-map" />
      <Panel position="bottom-right" className="flow-fit">
        <button type="button" className="btn btn-sm" onClick={showAll}>
          <Icon name="maximize" />
          {tn("Fit {n} node", "Fit all {n} nodes", drawn.document.nodes.length)}
        </button>
      </Panel>
    </>
  );
}

function boxOf(drawn: Drawn): Box | null {
  const spots = [...drawnPlaces(drawn).places.values()];
  return spots.length ? around(spots) : null;
}

function miniClass(node: FlowNode): string {
  if (node.type !== "card") return `mini-${node.type}`;
  return node.data.mark ? `mini mark-${node.data.mark.sign}` : `mini tone-${node.data.kind?.tone ?? "secondary"}`;
}

/** What the marks mean, as far as there are any. */
export function Legend({ marks }: { readonly marks: Marks }) {
  const used = new Set([...Object.values(marks.nodes), ...Object.values(marks.edges)].map(([sign]) => sign));
  if (!used.size) return null;
  return (
    <Panel position="bottom-left">
      <ul className="flow-legend" aria-label={t("Legend")}>
        {marks.signs
          .filter(([name]) => used.has(name))
          .map(([name, icon, word]) => (
            <li key={name} className={`mark-${name}`}>
              <Icon name={icon} />
              {word}
            </li>
          ))}
      </ul>
    </Panel>
  );
}
