// The editor as a whole: tools, palette, canvas or outline, panel, dialogs.

import { ReactFlowProvider } from "@xyflow/react";
import { useState } from "react";
import type { Journal } from "../io/journal";
import type { Saver } from "../io/autosave";
import type { Key } from "../model/document";
import { Boundary } from "./Boundary";
import { Canvas } from "./Canvas";
import { ConnectDialog } from "./ConnectDialog";
import { type Desk, DeskContext, useDesk, useEditor } from "./context";
import { chooseFound } from "./actions";
import { keepInView } from "./element_focus";
import { Sprite } from "./Icon";
import { useKeys } from "./keys";
import { LeftBehind } from "./LeftBehind";
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
