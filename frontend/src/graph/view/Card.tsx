// A node as a card, the note beside one, and the frame of a group.

import { Handle, type NodeProps, Position } from "@xyflow/react";
import { createContext, memo, useContext, useLayoutEffect, useRef, useState } from "react";
import { t, tn } from "../texts";
import type { CardData, CardNode, FrameNode, NoteNode } from "./flow";
import { Icon } from "./Icon";
import { inLine, inLines, titleOf } from "./spoken";
import { countWords } from "./WhatIf";

/** Whether the canvas is seen from so far away that a card shows its name alone. */
export const Far = createContext(false);

function CardView(props: NodeProps<CardNode>) {
  return useContext(Far) ? <FarCard data={props.data} /> : <NearCard data={props.data} />;
}

const look = ({ kind, words, mark }: CardData): string =>
  `flow-card tone-${kind?.tone ?? "secondary"}${words?.problems.length ? " flow-card-faulty" : ""}${mark ? ` flow-card-marked mark-${mark.sign}` : ""}`;

// Handles hear of every move. Without them, and without what nobody can read from far away, a frame
// of dragging among 500 cards takes 13 ms of script and not 19, and the page has a third less in it.
// What React Flow measures of handles stays.
const FAR_HANDLES = (
  <>
    <div className="react-flow__handle react-flow__handle-left target" data-handlepos="left" />
    <div className="react-flow__handle react-flow__handle-right source" data-handlepos="right" />
  </>
);

function FarCard({ data }: { readonly data: CardData }) {
  return (
    <div className={look(data)} translate="no">
      <div className="flow-card-title">
        <strong>{titleOf(data.node)}</strong>
      </div>
      {FAR_HANDLES}
    </div>
  );
}

function NearCard({ data }: { readonly data: CardData }) {
  const { node, kind, words, tokens, cost, mark, tried, mayChange } = data;
  const problems = words?.problems ?? [];
  const context = words?.context_label ?? node.context_type ?? kind?.context_type ?? "";
  const filter = inLine(words?.filter.join(" · ") ?? "");
  const pauses = node.config?.pause === "before" || node.config?.pause === "after";
  return (
    <div className={look(data)} translate="no">
      <Handle type="target" position={Position.Left} isConnectable={mayChange} />
      <div className="flow-card-title">
        <strong>{titleOf(node)}</strong>
        {mark && <Icon name={mark.icon} />}
        {pauses && !mark && <Icon name="player-pause" />}
        {problems.length > 0 && (
          <span className="flow-card-problems" title={problems.map(inLine).join("\n")}>
            <Icon name="alert-circle" />
            {problems.length}
          </span>
        )}
      </div>
      <div className="flow-card-type">
        <span className="flow-type">{kind?.label ?? words?.type_label ?? node.type}</span>
        {context && ` · ${inLine(context)}`}
      </div>
      <div className="flow-card-filter" title={filter}>
        {filter && (
          <>
            <Icon name="filter" />
            {filter}
          </>
        )}
      </div>
      <div className="flow-card-foot">
        {mark && <span className="flow-mark">{mark.text}</span>}
        {tried && <span className={tried.changed ? "flow-tried" : undefined}>{countWords(tried.changed, tried.inputs)}</span>}
        {cost?.line && !tried && !mark && (
          <span className={cost.warning ? "flow-cost flow-cost-raises" : "flow-cost"} title={inLine([cost.warning, cost.said, cost.basis].filter(Boolean).join(" "))}>
            {cost.warning && <Icon name="alert-triangle" />}
            {cost.line}
          </span>
        )}
        {tokens && !tried && !cost?.line ? (
          <span title={t("Tokens of the last preview")}>
            {tokens.before === tokens.after ? tn("{n} token", "{n} tokens", tokens.after) : t("{before} → {after} tokens", { before: tokens.before, after: tokens.after })}
          </span>
        ) : null}
      </div>
      <Handle type="source" position={Position.Right} isConnectable={mayChange} />
    </div>
  );
}

function NoteView({ data }: NodeProps<NoteNode>) {
  const note = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = note.current ?? {};
    setLong(scrollHeight > clientHeight);
  }, [data.text]);
  // A long one is scrolled, by wheel and by arrow keys, and dragged all the same.
  const scrolls = { className: "flow-note nowheel", tabIndex: 0, role: "region", "aria-label": t("Note beside {name}", { name: data.of }) };
  return (
    <div ref={note} className="flow-note" {...(isLong && scrolls)}>
      {inLines(data.text)}
    </div>
  );
}

function FrameView({ data }: NodeProps<FrameNode>) {
  return (
    <div className="flow-frame">
      <div className="flow-frame-title" translate="no">
        {inLine(data.name)}
      </div>
    </div>
  );
}

export const CARDS = { card: memo(CardView), note: memo(NoteView), frame: memo(FrameView) };
