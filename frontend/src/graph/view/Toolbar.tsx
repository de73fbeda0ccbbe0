// The row of buttons above the canvas, with the status of saving.

import { useEffect, useRef } from "react";
import { warn } from "../io/notice";
import type { Saver } from "../io/autosave";
import { t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { duplicateChosen, groupChosen, layOut, redoNext, removeChosen, showProblems, undoLast, ungroupChosen } from "./actions";
import { Icon } from "./Icon";
import { groupOf } from "../model/canvas_data";
import { find } from "../model/document";
import { countsOf, isEmptyDraft } from "../model/problem_list";
import { chosenFor } from "../store";
import { download, pictureOf, pngOf } from "./picture";
import { useProblems } from "./all_problems";
import { Search } from "./Search";
import { useStatus } from "./status";
import { Tool } from "./Tool";

export type View = "canvas" | "outline";

/** The words of a tool: where room is scarce they are spoken and not drawn, and the icon stays. */
function Words({ text, late = false }: { readonly text: string; readonly late?: boolean }) {
  return <span className={late ? "tool-words tool-words-late" : "tool-words"}>{text}</span>;
}

interface Props {
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly saver: Saver | null;
}

export function Toolbar({ view, onView, saver }: Props) {
  const { store, setup } = useDesk();
  const mayChange = useEditor((state) => state.mayChange);
  const whatIf = (): void => {
    store.getState().choose({});
    store.getState().set({ part: "what-if" });
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".editor-what-if input")?.focus());
  };
  return (
    <div className="editor-top">
      <div className={mayChange ? "editor-bar editor-bar-full" : "editor-bar"} role="toolbar" aria-label={t("Tools of the editor")}>
        <div className="btn-group" role="group" aria-label={t("View")}>
          <Tool icon="sitemap" label={t("Canvas")} pressed={view === "canvas"} onClick={() => onView("canvas")} keys={view === "outline" ? "o" : undefined}>
            <Words text={t("Canvas")} />
          </Tool>
          <Tool icon="list-details" label={t("Outline")} pressed={view === "outline"} onClick={() => onView("outline")} keys={view === "canvas" ? "o" : undefined}>
            <Words text={t("Outline")} />
          </Tool>
        </div>
        {mayChange && <Changing />}
        {!setup.watched && <ProblemCount />}
        {setup.may_preview && (
          <Tool icon="flask" label={t("Replay")} keys="w" onClick={whatIf}>
            <Words text={t("Replay")} late />
          </Tool>
        )}
        {setup.may_preview && setup.urls.compare && (
          <a className="btn btn-sm" href={setup.urls.compare} title={t("Compare policies")}>
            <Icon name="git-compare" />
            <Words text={t("Compare policies")} late />
          </a>
        )}
        {view === "canvas" && <Picture />}
        <Search onFound={() => undefined} />
        {saver ? <Saving saver={saver} /> : <Standing />}
      </div>
    </div>
  );
}

/** How many problems the draft has; leads to the list of them. */
function ProblemCount() {
  const { store } = useDesk();
  const problems = useProblems();
  const isEmpty = useEditor(({ document }) => isEmptyDraft(document));
  if (!problems) return null;
  const { errors, warnings } = countsOf(problems);
  const count = errors + warnings;
  const label = count ? tn("{n} problem", "{n} problems", count) : isEmpty ? t("No nodes yet") : t("No problems");
  return (
    <span className={errors ? "editor-faulty" : warnings ? "editor-warned" : ""}>
      <Tool icon={errors ? "alert-circle" : warnings ? "alert-triangle" : isEmpty ? "circle-dashed" : "circle-check"} label={label} name={t("Problems")} keys="p" onClick={() => showProblems(store)}>
        <span className="tool-problems">
          <span aria-hidden="true" className="tool-problems-count">{count || ""}</span>
          <span className="tool-problems-words">{label}</span>
        </span>
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
  const fail = (): void => warn(t("Auto layout failed"));
  return (
    <>
      <div className="btn-group" role="group" aria-label={t("Steps")}>
        <Tool icon="arrow-back-up" label={past === undefined ? t("Undo") : t("Undo: {what}", { what: past })} keys="Ctrl+Z" name={t("Undo")} disabled={past === undefined} onClick={() => undoLast(store)} />
        <Tool icon="arrow-forward-up" label={future === undefined ? t("Redo") : t("Redo: {what}", { what: future })} keys="Ctrl+Shift+Z | Ctrl+Y" name={t("Redo")} disabled={future === undefined} onClick={() => redoNext(store)} />
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

function Picture() {
  const { store, setup } = useDesk();
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
    <details className="editor-menu" ref={menu}>
      <summary className="btn btn-sm" title={t("Export image")}>
        <Icon name="photo-down" />
        <Words text={t("Export image")} />
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
  );
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
  const { icon, text, whole = text, tone, kind } = useStatus();
  const showTyped = (): void => {
    const [waiting] = Object.values(store.getState().typed);
    if (waiting) store.getState().choose(chosenFor(waiting));
  };
  return (
    <div className={`editor-saving editor-saving-${tone}`} role="status">
      <Icon name={icon} />
      <span title={whole}>{text}</span>
      {kind === "offline" && (
        <button type="button" className="btn btn-sm" onClick={() => void reader.finish().then(() => saver.flush())}>
          {t("Try now")}
        </button>
      )}
      {kind === "clash" && (
        <button type="button" className="btn btn-sm" onClick={() => store.getState().resolve()}>
          {t("Resolve")}
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
