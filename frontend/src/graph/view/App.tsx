// The editor as a whole: tools, palette, canvas or outline, panel, dialogs.

import { ReactFlowProvider } from "@xyflow/react";
import { useEffect, useState } from "react";
import type { Journal, Left } from "../io/journal";
import type { Saver } from "../io/autosave";
import { type Changes, countOf, isIn } from "../model/changes";
import type { Key } from "../model/document";
import type { EditorStore } from "../store";
import { t, tn } from "../texts";
import { Boundary } from "./Boundary";
import { Canvas } from "./Canvas";
import { ConnectDialog } from "./ConnectDialog";
import { type Desk, DeskContext, useDesk, useEditor } from "./context";
import { chooseFound } from "./actions";
import { keepInView } from "./element_focus";
import { Icon, Sprite } from "./Icon";
import { useKeys } from "./keys";
import { MergeDialog } from "./MergeDialog";
import { Outline } from "./Outline";
import { Overtaken } from "./Overtaken";
import { Palette } from "./Palette";
import { usePaletteActions } from "./palette_actions";
import { type Popup, Popups } from "./Popups";
import { PublishDialog } from "./PublishDialog";
import { SidePanel } from "./SidePanel";
import { Toolbar, type View } from "./Toolbar";
import { WatchPanel } from "./WatchPanel";

interface Props {
  readonly desk: Desk;
  /** Null on a canvas that is only looked at. */
  readonly saver: Saver | null;
  readonly journal: Journal | null;
}

export function App({ desk, saver, journal }: Props) {
  return (
    <Sprite value={desk.setup.urls.icons}>
      <DeskContext value={desk}>
        <Boundary onAgain={() => desk.store.getState().choose({})}>
          <ReactFlowProvider>
            <Work saver={saver} journal={journal} />
          </ReactFlowProvider>
        </Boundary>
      </DeskContext>
    </Sprite>
  );
}

function Work({ saver, journal }: Omit<Props, "desk">) {
  const { store, setup } = useDesk();
  const [view, setView] = useState<View>("canvas");
  const [drawing, setDrawing] = useState<"pan" | "box">("pan");
  const [connecting, setConnecting] = useState<string | null>(null);
  const [popup, setPopup] = useState<Popup | null>(null);
  const mayChange = useEditor((state) => state.mayChange);
  useKeys();
  usePaletteActions(setPopup);
  const edit = (kind: "node" | "edge", key: Key): void => {
    chooseFound(store, kind, key);
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".editor-panel")?.focus());
  };
  const show = (next: View): void => {
    setView(next);
    keepInView(store);
  };
  return (
    <div className="editor-work">
      <Toolbar view={view} onView={show} saver={saver} />
      {mayChange && journal && <LeftBehind journal={journal} />}
      <div className="editor-body">
        {mayChange && view === "canvas" && <Palette />}
        <div className="editor-main">
          <div className="editor-canvas" hidden={view !== "canvas"}>
            <Canvas drawing={drawing} onDrawing={setDrawing} onPopup={setPopup} />
          </div>
          {mayChange && <Overtaken />}
          {view === "outline" && <Outline onConnect={setConnecting} onEdit={edit} />}
        </div>
        {setup.watched ? <WatchPanel panel={setup.watched.panel} /> : <SidePanel onConnect={setConnecting} />}
      </div>
      <Announcements />
      <MergeDialog />
      {popup && <Popups key={popup.kind} popup={popup} onPopup={setPopup} onConnect={setConnecting} onEdit={edit} />}
      {saver && <PublishDialog />}
      {connecting !== null && <ConnectDialog from={connecting} onClose={() => setConnecting(null)} />}
    </div>
  );
}

function Announcements() {
  const said = useEditor((state) => state.said);
  return (
    <div className="visually-hidden" aria-live="polite">
      {said}
    </div>
  );
}

/** Bring changes back one after the other, each when the conflicts of the one before are decided. */
function bringAllBack(store: EditorStore, [next, ...later]: readonly Changes[], done: () => void): void {
  if (!next) return done();
  if (store.getState().bringBack(next)) return bringAllBack(store, later, done);
  const unsubscribe = store.subscribe(({ clash }) => {
    if (clash) return;
    unsubscribe();
    // What was decided comes into the document first.
    queueMicrotask(() => bringAllBack(store, later, done));
  });
}

/** What pages that crashed or were closed left unsaved. */
function LeftBehind({ journal }: { readonly journal: Journal }) {
  const { store } = useDesk();
  const [left, setLeft] = useState<readonly Left[]>([]);
  const [isDecided, setDecided] = useState(true);
  useEffect(() => {
    void journal.left().then((found) => {
      const { document } = store.getState();
      // The page went away after saving and before it heard of it.
      const isDone = ({ changes, typed }: Left): boolean => changes.every((each) => isIn(each, document)) && !Object.keys(typed).length;
      for (const each of found) if (isDone(each)) journal.forget(each);
      setLeft(found.filter((each) => !isDone(each)));
    });
  }, [journal, store]);
  const [newest] = left;
  // A conflict of what comes back is asked about where all others are.
  if (!newest || !isDecided) return null;
  const done = (): void => {
    journal.forget(newest);
    setLeft(left.slice(1));
    setDecided(true);
  };
  const count = countOf(newest.changes, Object.values(newest.typed));
  const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(newest.at);
  return (
    <div className="editor-left note note-warning" role="alert">
      <Icon name="alert-triangle" />
      <span>{tn("This browser has {n} unsaved change of {when}.", "This browser has {n} unsaved changes of {when}.", count, { when })}</span>
      <button
        type="button"
        className="btn btn-sm btn-primary"
        onClick={() => {
          for (const [name, typed] of Object.entries(newest.typed)) store.getState().keepTyped(name, { ...typed, errors: [], isRead: false });
          setDecided(false);
          // Kept until it is decided.
          bringAllBack(store, newest.changes, done);
        }}
      >
        {t("Restore")}
      </button>
      <button type="button" className="btn btn-sm" onClick={done}>
        {t("Discard")}
      </button>
    </div>
  );
}
