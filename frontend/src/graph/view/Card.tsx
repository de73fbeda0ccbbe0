// A node as a card, the note beside one, and the frame of a group.

import { Handle, type NodeProps, Position } from "@xyflow/react";
import { type CSSProperties, createContext, memo, useContext, useLayoutEffect, useRef, useState } from "react";
import type { Key } from "../model/document";
import { type Rows, rowsOf } from "../model/card_rows";
import type { Reach } from "../model/card_room";
import { CARD } from "../model/places";
import type { Spot } from "../model/chip_room";
import { groupOf } from "../model/canvas_data";
import type { Links } from "../io/setup";
import { isLoud, type Tokens } from "../store";
import { grouped, t, tn } from "../texts";
import type { CardData, CardNode, FrameNode, NoteNode } from "./flow";
import { Icon } from "./Icon";
import { titleOf } from "../model/element_names";
import { contextOf, costTitle, hiddenCost, inLine, inLines, spokenNode } from "./accessible_names";
import { textWidth } from "./text_width";
import { countWords } from "./WhatIf";
import { type Level, nameLetterOf } from "./zoom";

/**
 * From how far away the canvas is seen, which edges have room for their words and where, which cards
 * are larger than usual, and whether the graph is large. `words` is null where all have room.
 */
interface Seen {
  readonly level: Level;
  readonly words: ReadonlyMap<Key, Spot> | null;
  /** Where marks of edges stand from nearby, and words that would cover others; null from further away. */
  readonly near: ReadonlyMap<Key, Spot> | null;
  readonly reach: ReadonlyMap<Key, Reach>;
  readonly large: boolean;
  /** The size of the smallest letters. */
  readonly letter: number;
}
export const Zoom = createContext<Seen>({ level: "near", words: null, near: null, reach: new Map(), large: false, letter: 13 });

/** Where cards and chips lead on a page that shows a graph among other things; null on a canvas of its own. */
export const Leading = createContext<Links | null>(null);

/** All of a card or a chip as a link. Chips come first in the page and are no stops for Tab; the outline has their links. */
export function CoverLink({ to, label, isStop = true }: { readonly to: string | undefined; readonly label: string; readonly isStop?: boolean }) {
  return to ? <a className="flow-way" href={to} aria-label={label} draggable={false} tabIndex={isStop ? undefined : -1} /> : null;
}

function CardView(props: NodeProps<CardNode>) {
  const { level, large, reach } = useContext(Zoom);
  const links = useContext(Leading);
  const card = level === "far" && large ? <FarCard data={props.data} /> : <NearCard data={props.data} level={level} reach={reach.get(props.id)} />;
  if (!links) return card;
  return (
    <>
      {card}
      <CoverLink to={links.nodes[props.data.node.id]} label={spokenNode(props.data, groupOf(props.data.node))} />
    </>
  );
}

/** Without figures below it, a name takes two rows. */
const hasFigures = ({ mark, tried, tokens, cost }: CardData): boolean => Boolean(mark || tried || tokens || cost?.line);

function look(data: CardData): string {
  const { kind, words, mark, tried } = data;
  const faulty = words?.problems.length ? (words.warned ? " flow-card-warned" : " flow-card-faulty") : "";
  return `flow-card tone-${kind?.tone ?? "secondary"}${hasFigures(data) ? "" : " flow-card-plain"}${faulty}${mark ? ` flow-card-marked mark-${mark.sign}` : ""}${tried ? " flow-card-tried" : ""}`;
}

// Handles hear of every move. Without them, and without what nobody can read from far away, a frame
// of dragging among 500 cards takes 13 ms of script and not 19, and the page has a third less in it.
// What React Flow measures of handles stays.
const FAR_HANDLES = {
  right: (
    <>
      <div className="react-flow__handle react-flow__handle-left target" data-handlepos="left" />
      <div className="react-flow__handle react-flow__handle-right source" data-handlepos="right" />
    </>
  ),
  down: (
    <>
      <div className="react-flow__handle react-flow__handle-top target" data-handlepos="top" />
      <div className="react-flow__handle react-flow__handle-bottom source" data-handlepos="bottom" />
    </>
  ),
};

const inRows = (...rows: readonly string[]): string => rows.filter(Boolean).join("\n");

function FarCard({ data }: { readonly data: CardData }) {
  const title = titleOf(data.node);
  return (
    <div className={look(data)} translate="no" title={inRows(title, hiddenCost(data))}>
      <div className="flow-card-title">
        <strong>{title}</strong>
        {data.mark && isLoud(data.mark.sign) && <Icon name={data.mark.icon} />}
      </div>
      {FAR_HANDLES[data.flow]}
    </div>
  );
}

/** A larger card, for graph.css. */
function styleOf(reach: Reach | undefined, rows: Rows | null): CSSProperties | undefined {
  const ofRows = rows ? { "--seen-rows": rows.seen, "--cost-rows": rows.cost } : undefined;
  if (!reach) return ofRows as CSSProperties | undefined;
  const { hasBelow: _, hasSign: __, ...sizes } = reach;
  const sides = Object.entries(sizes).map(([name, size]) => [`--${name}`, name === "rows" ? size : `${size}px`]);
  return { ...Object.fromEntries(sides), ...ofRows } as CSSProperties;
}

// The border of a card (graph.css), and what it leaves free: its padding gives way.
const ABOVE_AND_BELOW = 6;

/** The rows of a card with figures that is seen from near. */
function useRows({ tokens, cost, words }: CardData, reach: Reach | undefined): Rows {
  const { letter } = useContext(Zoom);
  const size = Math.max(LEAST_LETTER, letter);
  const { left = 0, right = 0, up = 0, down = 0, rows = 1 } = reach ?? {};
  const filter = inLine(words?.filter.join(BETWEEN) ?? "");
  const sign = SIGN * size;
  return rowsOf({
    seen: filter ? textWidth(filter, size) + sign : 0,
    tokens: tokens ? textWidth(tokenWords(tokens), size) : 0,
    cost: cost?.line ? textWidth(cost.line, size) * BOLD + (cost.warning ? sign : 0) : 0,
    nameRows: rows,
    letters: { name: nameLetterOf("near", letter), other: size },
    room: { width: CARD.width + left + right - BESIDE_TEXT, height: CARD.height + up + down - ABOVE_AND_BELOW },
  });
}

function NearCard({ data, level, reach }: { readonly data: CardData; readonly level: Level; readonly reach: Reach | undefined }) {
  const { node, kind, words, mark, mayChange, flow } = data;
  const problems = words?.problems ?? [];
  const isFar = level === "far";
  const pauses = !isFar && (node.config?.pause === "before" || node.config?.pause === "after");
  const type = kind?.label ?? words?.type_label ?? node.type;
  const fitting = useRows(data, reach);
  const cost = level === "near" ? "" : hiddenCost(data);
  const rows = level === "near" && hasFigures(data) && !mark && !data.tried ? fitting : null;
  return (
    <div className={`${look(data)}${reach ? " flow-card-reaching" : ""}${reach && reach.rows > 1 ? " flow-card-in-rows" : ""}${rows?.cost === 2 ? " flow-card-tight" : ""}`} style={styleOf(reach, rows)} translate="no" title={cost || undefined}>
      <Handle type="target" position={flow === "right" ? Position.Left : Position.Top} isConnectable={mayChange} />
      <div className="flow-card-title">
        {!isFar && level !== "brief" && (
          <span className="flow-card-type" title={type}>
            <Icon name={kind?.icon ?? "point"} />
          </span>
        )}
        {reach?.hasSign && (!reach.hasBelow || mark || (words?.filter.length ?? 0) > 0) && (
          <span className="flow-card-sign" title={type}>
            <Icon name={kind?.icon ?? "point"} />
          </span>
        )}
        <strong title={inRows(titleOf(node), cost)}>{titleOf(node)}</strong>
        {mark && (!isFar || (isLoud(mark.sign) && !reach?.hasBelow)) && <Icon name={mark.icon} />}
        {pauses && !mark && <Icon name="player-pause" />}
        {problems.length > 0 && !isFar && (
          <span className="flow-card-problems" title={problems.map(inLine).join("\n")}>
            <Icon name={words?.warned ? "alert-triangle" : "alert-circle"} />
            {problems.length}
          </span>
        )}
        {cost && data.cost?.warning && !isFar && (
          <span className="flow-card-raises">
            <Icon name="alert-triangle" />
          </span>
        )}
      </div>
      {(level === "near" || (level === "middle" && !mark && !data.tried)) && <Sees data={data} level={level} />}
      {reach?.hasBelow && <Below data={data} reach={reach} />}
      {(level === "near" || (!isFar && (mark || data.tried))) && <Foot data={data} reach={reach} hasTokens={rows?.hasTokens ?? true} />}
      <Handle type="source" position={flow === "right" ? Position.Right : Position.Bottom} isConnectable={mayChange} />
    </div>
  );
}

/** One line: its own filter in words, else what a node of its type sees. */
function Sees({ data, level }: { readonly data: CardData; readonly level: Level }) {
  const { node, kind, words } = data;
  const filter = inLine(words?.filter.join(" · ") ?? "");
  const context = inLine(contextOf(node, kind, words));
  return (
    <div className={filter ? "flow-card-filter" : "flow-card-sees"} title={inRows(filter, context && t("sees {what}", { what: context }), level === "near" ? "" : hiddenCost(data))}>
      {filter ? (
        <>
          <Icon name="filter" />
          {filter}
        </>
      ) : (
        context
      )}
    </div>
  );
}

/** From further away: its mark, else its own filter in words, else its type with its sign. */
function Below({ data, reach }: { readonly data: CardData; readonly reach: Reach }) {
  const mark = useMarkText(data, reach);
  if (data.mark) {
    return (
      <div className="flow-card-sees flow-card-mark" title={data.mark.text}>
        {mark}
      </div>
    );
  }
  if (data.words?.filter.length) return <Sees data={data} level="brief" />;
  return (
    <div className="flow-card-sees">
      <span className="flow-card-sign">
        <Icon name={data.kind?.icon ?? "point"} />
      </span>
      {data.kind?.label ?? data.words?.type_label ?? data.node.type}
    </div>
  );
}

// Its padding and its stripe (graph.css).
const BESIDE_TEXT = 34;
const LEAST_LETTER = 13;
const BOLD = 1.1;
/** A sign before words, with what is around it, as a share of their letters. */
const SIGN = 1.6;
const BETWEEN = " · ";

/** As many parts of what a mark says as have room in one row; the panel has all of them. */
function useMarkText({ mark }: CardData, reach: Reach | undefined): string {
  const { letter } = useContext(Zoom);
  if (!mark) return "";
  const room = CARD.width + (reach?.left ?? 0) + (reach?.right ?? 0) - BESIDE_TEXT;
  const parts = mark.text.split(BETWEEN);
  while (parts.length > 1 && textWidth(parts.join(BETWEEN), Math.max(LEAST_LETTER, letter)) * BOLD > room) parts.pop();
  return parts.join(BETWEEN);
}

export function tokenWords({ before, after }: Tokens): string {
  if (before === after) return tn("{n} token", "{n} tokens", after, { n: grouped(after) });
  return t("{before} → {after} tokens", { before: grouped(before), after: grouped(after) });
}

interface FootProps {
  readonly data: CardData;
  readonly reach: Reach | undefined;
  readonly hasTokens: boolean;
}

function Foot({ data, reach, hasTokens }: FootProps) {
  const { mark, tried, cost, tokens } = data;
  const markText = useMarkText(data, reach);
  return (
    <div className="flow-card-foot">
      {mark && (
        <span className="flow-mark" title={mark.text}>
          {markText}
        </span>
      )}
      {tried && <span className={tried.changed ? "flow-tried" : undefined}>{countWords(tried.changed, tried.inputs)}</span>}
      {tokens && hasTokens && !tried && !mark ? (
        <span title={t("Tokens of the last preview")}>
          {tokenWords(tokens)}
        </span>
      ) : null}
      {cost?.line && !tried && !mark && (
        <span className={cost.warning ? "flow-cost flow-cost-raises" : "flow-cost"} title={costTitle(cost, !hasTokens && tokens ? `${tokenWords(tokens)}.` : "")}>
          {cost.warning && <Icon name="alert-triangle" />}
          {cost.line}
        </span>
      )}
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
