// The panel beside the canvas: form, group, note and context preview of the selection.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { isSideBySide, PANEL_WIDTH } from "../io/panel_size";
import { faultOfNote, groupOf, noteOf, withNote } from "../model/canvas_data";
import { grouping, reshaped } from "../model/commands";
import type { Element, Key, WorkflowDocument, WorkflowEdge, WorkflowNode } from "../model/document";
import { find } from "../model/document";
import { edgeWords, nodeWords, onlyOne, type Part } from "../store";
import { t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { Cost } from "./Cost";
import { keepOnCanvas, leavePanel } from "./element_focus";
import { Icon } from "./Icon";
import { useKnownNames } from "./known_names";
import { showInPanel } from "./panel_scroll";
import { PanelParts } from "./PanelParts";
import { Policies } from "./Policies";
import { firstSource, Preview, type Source } from "./Preview";
import { Problems } from "./Problems";
import { ServerForm } from "./ServerForm";
import { SizeEdge } from "./SizeEdge";
import { endsOf, titleOf } from "../model/element_names";
import { NodeTried, WhatIf } from "./WhatIf";

interface Props {
  readonly onConnect: (from: string) => void;
}

export function SidePanel({ onConnect }: Props) {
  const { setup, store } = useDesk();
  const chosen = useEditor((state) => state.chosen);
  const mayChange = useEditor((state) => state.mayChange);
  const [source, setSource] = useState<Source>(() => firstSource(setup.conversations[0]?.[0]));
  useKnownNames(source);
  const only = onlyOne(chosen);
  const count = chosen.nodes.length + chosen.edges.length;
  const panel = useRef<HTMLElement>(null);
  const [row, setRow] = useState<HTMLElement | null>(null);
  const hasRoom = useRoomBeside(panel);
  const previewed = useEditor(({ document }) => previewedNode(document, only));
  const isPreviewed = previewed !== null && setup.may_preview;
  const isBeside = isPreviewed && hasRoom;
  // As a tab: it stays from node to node, until a field is asked for, or a node was added.
  const [asTab, setAsTab] = useState(false);
  const isFormWanted = useEditor((state) => state.wanted !== "");
  const isNew = useEditor((state) => only?.kind === "node" && state.unnamed.includes(only.key));
  const isPreview = asTab && isPreviewed && !isBeside && mayChange && !isFormWanted;
  useEffect(() => {
    if (isFormWanted || isNew) setAsTab(false);
  }, [isFormWanted, isNew, only?.key]);
  // Escape leads back to what the panel is about; there it clears the selection.
  const back = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented || !only) return;
    event.preventDefault();
    leavePanel(store);
  };
  // On a phone it covers some of the canvas (graph.css).
  const close = (): void => {
    store.getState().choose({});
    keepOnCanvas();
  };
  return (
    <aside ref={panel} className={`editor-panel${isBeside ? " editor-panel-wide" : ""}${isPreview ? " editor-panel-previewed" : ""}`} aria-label={t("Selection")} tabIndex={-1} onKeyDown={back}>
      <SizeEdge size={PANEL_WIDTH} label={t("Width of the panel")} within=".editor-body" property="--panel-width" side="width" />
      {only && (
        <button type="button" className="btn btn-sm btn-icon btn-ghost editor-panel-close" aria-label={t("Close")} title={t("Close")} onClick={close}>
          <Icon name="x" />
        </button>
      )}
      {only && mayChange && <PanelParts kind={only.kind} hasPreview={isPreviewed} isPreview={isPreview} onPreview={setAsTab} />}
      <div className="editor-panel-top">
        {only && mayChange && <Policies key={`seen by ${only.key}`} kind={only.kind} id={only.key} />}
        {only && (mayChange ? <ServerForm key={only.kind} kind={only.kind} id={only.key} row={row} /> : <Plain key={only.key} kind={only.kind} id={only.key} />)}
        {only?.kind === "node" && <NodeTried id={only.key} />}
        {only?.kind === "node" && <OneNode key={`on ${only.key}`} id={only.key} onConnect={onConnect} />}
        {count > 1 && <Several />}
        {!count && <Whole row={row} />}
      </div>
      <div className="editor-waits-row" ref={setRow} />
      {only && <Cost kind={only.kind} id={only.key} />}
      {only && isPreviewed && <Preview key={`of a ${only.kind}`} id={previewed} edge={only.kind === "edge" ? only.key : null} source={source} onSource={setSource} isBeside={isBeside} />}
    </aside>
  );
}

/** The node whose context is previewed: the selected one, or that to which the selected edge leads. */
function previewedNode({ nodes, edges }: WorkflowDocument, only: ReturnType<typeof onlyOne>): Key | null {
  if (only?.kind !== "edge") return only?.key ?? null;
  const to = find(edges, only.key)?.to;
  return nodes.some(({ id }) => id === to) ? (to ?? null) : null;
}

/** Whether the panel is wide enough for two columns. */
function useRoomBeside(panel: { readonly current: HTMLElement | null }): boolean {
  const [hasRoom, setHasRoom] = useState(false);
  useEffect(() => {
    if (!panel.current) return undefined;
    const watch = new ResizeObserver(([entry]) => entry && setHasRoom(isSideBySide(entry.contentRect.width)));
    watch.observe(panel.current);
    return () => watch.disconnect();
  }, [panel]);
  return hasRoom;
}

/** Nothing is chosen: what belongs to the whole workflow. */
function Whole({ row }: { readonly row: HTMLElement | null }) {
  const { store, setup } = useDesk();
  const mayChange = useEditor((state) => state.mayChange);
  const part = useEditor((state) => state.part);
  const parts: [Part, string, boolean][] = [
    ["problems", t("Problems"), true],
    ["workflow", t("Workflow"), mayChange],
    ["reducers", t("Reducers"), mayChange],
    ["what-if", t("Replay"), setup.may_preview],
  ];
  const offered = parts.filter(([, , isOffered]) => isOffered);
  return (
    <>
      {offered.length > 1 && (
        <div className="btn-group" role="group" aria-label={t("Workflow")}>
          {offered.map(([name, label]) => (
            <button key={name} type="button" className="btn btn-sm" aria-pressed={part === name} onClick={() => store.getState().set({ part: name })}>
              {label}
            </button>
          ))}
        </div>
      )}
      {part === "problems" ? <Problems /> : part === "what-if" ? <WhatIf /> : <ServerForm key={part} kind={part} id="" row={row} />}
    </>
  );
}

/** An element for who may not change it. */
function Plain({ kind, id }: { readonly kind: "node" | "edge"; readonly id: Key }) {
  const element = useEditor(({ document }) => find<Element>(kind === "node" ? document.nodes : document.edges, id));
  const words = useEditor((state) => (kind === "node" ? nodeWords(state, id) : edgeWords(state, id)));
  const nodes = useEditor(({ document }) => document.nodes);
  if (!element) return null;
  const { position: _, ...shown } = element as WorkflowNode;
  const said = words && ("filter" in words ? words.filter : words.whole);
  return (
    <section>
      <h2 translate="no">{kind === "node" ? titleOf(element) : endsOf(nodes, element as WorkflowEdge)}</h2>
      {said?.length ? <p>{said.join(" · ")}</p> : null}
      {words?.problems.map((problem) => <p key={problem}>{problem}</p>)}
      <pre className="editor-plain" tabIndex={0} translate="no">
        {JSON.stringify(shown, null, 2)}
      </pre>
    </section>
  );
}

function OneNode({ id, onConnect }: { readonly id: Key; readonly onConnect: (from: string) => void }) {
  const node = useEditor((state) => find(state.document.nodes, id));
  const mayChange = useEditor((state) => state.mayChange);
  if (!node) return null;
  const note = noteOf(node)?.text ?? "";
  return (
    <section className="editor-canvas-fields" aria-label={t("On the canvas")}>
      {mayChange && (
        <button type="button" className="btn btn-sm" data-key="c" data-key-label={t("Connect")} onClick={() => onConnect(node.id)}>
          <Icon name="route" />
          {t("Connect…")}
        </button>
      )}
      {(mayChange || groupOf(node)) && <Group keys={[id]} group={groupOf(node)} />}
      {(mayChange || note) && <NodeNote id={id} note={note} />}
    </section>
  );
}

/** A text that is not taken stays in the field, with the reason, until the note changes or another node is selected. */
function NodeNote({ id, note }: { readonly id: Key; readonly note: string }) {
  const { store } = useDesk();
  const mayChange = useEditor((state) => state.mayChange);
  const [refused, setRefused] = useState<string | null>(null);
  useEffect(() => setRefused(null), [note]);
  const fault = refused === null ? "" : faultOfNote(refused);
  const [fieldId, faultId] = [useId(), useId()];
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => showInPanel(fault ? said.current : null), [fault]);
  const write = (text: string): void => {
    setRefused(faultOfNote(text) ? text : null);
    if (faultOfNote(text)) return;
    const { document, edit } = store.getState();
    edit(reshaped(document, [id], (each) => withNote(each, text)), t("Note"), `note ${id}`);
  };
  return (
    <div className="field">
      <label className="form-label" htmlFor={fieldId}>
        {t("Note on the canvas")}
      </label>
      <textarea
        id={fieldId}
        className={`form-control${fault ? " is-invalid" : ""}`}
        rows={2}
        value={refused ?? note}
        readOnly={!mayChange}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? faultId : undefined}
        onChange={(event) => write(event.target.value)}
        onBlur={() => store.getState().settle()}
      />
      {fault && (
        <p ref={said} className="field-errors" id={faultId} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function Several() {
  const { store } = useDesk();
  const { nodes, edges } = useEditor((state) => state.chosen);
  const groups = useEditor((state) => [...new Set(nodes.map((key) => groupOf(find(state.document.nodes, key) ?? { id: "", type: "" })))].join("\n"));
  return (
    <section className="editor-canvas-fields">
      <h2>
        {tn("{n} node", "{n} nodes", nodes.length)}, {tn("{n} edge", "{n} edges", edges.length)}
      </h2>
      {nodes.length > 0 && <Group keys={nodes} group={groups.includes("\n") ? "" : groups} />}
      <button type="button" className="btn btn-sm" onClick={() => store.getState().choose({})}>
        {t("Clear selection")}
      </button>
    </section>
  );
}

function Group({ keys, group }: { readonly keys: readonly Key[]; readonly group: string }) {
  const { store } = useDesk();
  const mayChange = useEditor((state) => state.mayChange);
  const names = useEditor((state) => [...new Set(state.document.nodes.map(groupOf))].filter(Boolean).join("\n"));
  const put = (name: string): void => {
    const { document, edit } = store.getState();
    edit(grouping(document, keys, name), t("Group"), `group ${keys.join(" ")}`);
  };
  return (
    <label className="field">
      <span className="form-label">{t("Group on the canvas")}</span>
      <input className="form-control" list="editor-groups" value={group} readOnly={!mayChange} onChange={(event) => put(event.target.value)} onBlur={() => store.getState().settle()} />
      <datalist id="editor-groups">
        {names.split("\n").map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
