// The row of buttons above the canvas, and how saving stands.

import { useReactFlow } from "@xyflow/react";
import { type ReactNode, useEffect, useRef } from "react";
import { capsOf } from "../../keys/model";
import { warn } from "../io/notice";
import type { Saver } from "../io/saving";
import { t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { duplicateChosen, groupChosen, layOut, removeChosen, showProblems, ungroupChosen } from "./doing";
import { Icon } from "./Icon";
import { groupOf } from "../model/canvas_data";
import { find } from "../model/document";
import { countsOf } from "../model/problem_list";
import { chosenFor } from "../store";
import { download, pictureOf, pngOf } from "./picture";
import { Search } from "./Search";
import { useStatus } from "./status";

export type View = "canvas" | "outline";

interface ToolProps {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  /** As the page's list of keys has it, under `name` if the label changes. */
  readonly keys?: string;
  readonly name?: string;
  readonly children?: ReactNode;
}

export function Tool({ icon, label, onClick, disabled, pressed, keys, name, children }: ToolProps) {
  const [way = ""] = keys?.split(" | ") ?? [];
  const known = way ? `${label} (${capsOf(way).join(" ")})` : label;
  return (
    <button type="button" className={`btn btn-sm${children ? "" : " btn-icon"}`} title={known} aria-label={children ? undefined : label} aria-pressed={pressed} disabled={disabled} onClick={onClick} data-key={keys} data-key-label={keys && (name ?? label)}>
      <Icon name={icon} />
      {children}
    </button>
  );
}

interface Props {
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly drawing: "pan" | "box";
  readonly onDrawing: (drawing: "pan" | "box") => void;
  readonly saver: Saver | null;
}

export function Toolbar({ view, onView, drawing, onDrawing, saver }: Props) {
  const { store, setup } = useDesk();
  const mayChange = useEditor((state) => state.mayChange);
  const whatIf = (): void => {
    store.getState().choose({});
    store.getState().set({ part: "what-if" });
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".editor-what-if input")?.focus());
  };
  return (
    <div className="editor-bar" role="toolbar" aria-label={t("Tools of the editor")}>
      <div className="btn-group" role="group" aria-label={t("View")}>
        <Tool icon="sitemap" label={t("Canvas")} pressed={view === "canvas"} onClick={() => onView("canvas")}>
          {t("Canvas")}
        </Tool>
        <Tool icon="list-details" label={t("Outline")} pressed={view === "outline"} onClick={() => onView("outline")} keys="o">
          {t("Outline")}
        </Tool>
      </div>
      {mayChange && <Changing />}
      {!setup.watched && <ProblemCount />}
      {setup.may_preview && (
        <Tool icon="flask" label={t("Replay")} keys="w" onClick={whatIf}>
          {t("Replay")}
        </Tool>
      )}
      {setup.may_preview && setup.urls.compare && (
        <a className="btn btn-sm" href={setup.urls.compare}>
          <Icon name="git-compare" />
          {t("Compare policies")}
        </a>
      )}
      {view === "canvas" && <Looking drawing={drawing} onDrawing={onDrawing} />}
      <Search onFound={() => undefined} />
      {saver ? <Saving saver={saver} /> : <Standing />}
    </div>
  );
}

/** How many problems the draft has; leads to the list of them. */
function ProblemCount() {
  const { store } = useDesk();
  const problems = useEditor((state) => state.words?.problems);
  if (!problems) return null;
  const { errors, warnings } = countsOf(problems);
  const count = errors + warnings;
  const label = count ? tn("{n} problem", "{n} problems", count) : t("No problems");
  return (
    <span className={errors ? "editor-faulty" : warnings ? "editor-warned" : ""}>
      <Tool icon={errors ? "alert-circle" : warnings ? "alert-triangle" : "circle-check"} label={label} name={t("Problems")} keys="p" onClick={() => showProblems(store)}>
        {label}
      </Tool>
    </span>
  );
}

function Changing() {
  const { store, setup } = useDesk();
  const past = useEditor((state) => state.history.past.at(-1)?.words);
  const future = useEditor((state) => state.history.future[0]?.words);
  const nodes = useEditor((state) => state.chosen.nodes.length);
  const any = useEditor((state) => state.chosen.nodes.length + state.chosen.edges.length);
  const grouped = useEditor((state) => state.chosen.nodes.some((key) => groupOf(find(state.document.nodes, key) ?? { id: "", type: "" })));
  const { undo, redo } = store.getState();
  const fail = (): void => warn(t("Auto layout failed"));
  return (
    <>
      <div className="btn-group" role="group" aria-label={t("Steps")}>
        <Tool icon="arrow-back-up" label={past === undefined ? t("Undo") : t("Undo: {what}", { what: past })} keys="Ctrl+Z" name={t("Undo")} disabled={past === undefined} onClick={undo} />
        <Tool icon="arrow-forward-up" label={future === undefined ? t("Redo") : t("Redo: {what}", { what: future })} keys="Ctrl+Shift+Z | Ctrl+Y" name={t("Redo")} disabled={future === undefined} onClick={redo} />
      </div>
      <div className="btn-group" role="group" aria-label={t("Selection")}>
        <Tool icon="copy-plus" label={t("Duplicate")} keys="Ctrl+D" disabled={!nodes} onClick={() => duplicateChosen(store)} />
        <Tool icon="trash" label={t("Delete")} keys="Delete | Backspace" disabled={!any} onClick={() => removeChosen(store)} />
        <Tool icon="box-multiple" label={t("Group")} keys="Ctrl+G" disabled={!nodes} onClick={() => groupChosen(store)} />
        <Tool icon="box-off" label={t("Ungroup")} keys="Ctrl+Shift+G" disabled={!grouped} onClick={() => ungroupChosen(store)} />
      </div>
      <Tool icon="hierarchy-2" label={t("Auto layout")} keys="l" onClick={() => void layOut(store, setup).catch(fail)} />
    </>
  );
}

function Looking({ drawing, onDrawing }: Pick<Props, "drawing" | "onDrawing">) {
  const { store, setup } = useDesk();
  const flow = useReactFlow();
  const any = useEditor((state) => state.chosen.nodes.length + state.chosen.edges.length);
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      if (menu.current && !menu.current.contains(event.target as Node)) menu.current.open = false;
    };
    document.addEventListener("click", close);
    return () => document.removeEventListener("click", close);
  }, []);
  const name = setup.name.replace(/[^\p{L}\p{N}]+/gu, "-") || "workflow";
  const svg = (): string => pictureOf(store.getState(), setup);
  return (
    <>
      <div className="btn-group" role="group" aria-label={t("Zoom and drag")}>
        <Tool icon="hand-stop" label={t("Drag to pan")} pressed={drawing === "pan"} onClick={() => onDrawing("pan")} />
        <Tool icon="marquee-2" label={t("Drag to select")} pressed={drawing === "box"} onClick={() => onDrawing("box")} keys="b" />
        <Tool icon="zoom-out" label={t("Zoom out")} keys="-" onClick={() => void flow.zoomOut()} />
        <Tool icon="zoom-in" label={t("Zoom in")} keys="+" onClick={() => void flow.zoomIn()} />
        <Tool icon="maximize" label={t("Show all")} keys="f" onClick={() => void flow.fitView({ maxZoom: 1, padding: 0.04 })} />
        <Tool icon="focus-2" label={t("Zoom to selection")} keys="z" disabled={!any} onClick={() => showChosen(flow, store.getState())} />
      </div>
      <details className="editor-menu" ref={menu}>
        <summary className="btn btn-sm">
          <Icon name="photo-down" />
          {t("Export image")}
        </summary>
        <div className="editor-menu-list">
          <button type="button" className="btn btn-sm" onClick={() => download(`${name}.svg`, new Blob([svg()], { type: "image/svg+xml" }))}>
            SVG
          </button>
          <button type="button" className="btn btn-sm" onClick={() => void pngOf(svg()).then((png) => download(`${name}.png`, png))}>
            PNG
          </button>
        </div>
      </details>
    </>
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

/** How a canvas that is only looked at stands. */
function Standing() {
  const marks = useEditor((state) => state.marks);
  return (
    <div className="editor-saving editor-saving-quiet" role="status">
      {marks && (
        <>
          <Icon name={marks.icon} />
          <span translate="no">{marks.said}</span>
        </>
      )}
    </div>
  );
}

function Saving({ saver }: { readonly saver: Saver }) {
  const { setup, store, reader } = useDesk();
  const { icon, text, tone, kind } = useStatus();
  const showTyped = (): void => {
    const [waiting] = Object.values(store.getState().typed);
    if (waiting) store.getState().choose(chosenFor(waiting));
  };
  return (
    <div className={`editor-saving editor-saving-${tone}`} role="status">
      <Icon name={icon} />
      <span>{text}</span>
      {kind === "offline" && (
        <button type="button" className="btn btn-sm" onClick={() => void reader.finish().then(() => saver.flush())}>
          {t("Try now")}
        </button>
      )}
      {kind === "typed" && (
        <button type="button" className="btn btn-sm" onClick={showTyped}>
          {t("Show")}
        </button>
      )}
      {kind === "signed-out" && (
        <a className="btn btn-sm" href={setup.urls.sign_in} target="_blank" rel="noreferrer">
          {t("Sign in")}
        </a>
      )}
    </div>
  );
}
