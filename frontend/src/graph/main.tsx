// Starts the visual editor on its page, and canvases on the pages of workflows.

import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/base.css";
import "./graph.css";
import { startDrawings } from "./drawn";
import { startCosting } from "./io/policy_costs";
import { startFollowing } from "./io/draft_socket";
import { type Journal, startJournal } from "./io/journal";
import { startLeaving } from "./io/leave_guard";
import { type Reader, startReading } from "./io/form_reader";
import { type Saver, startSaving } from "./io/autosave";
import { startPlacing } from "./io/node_placement";
import { type Server, serverOf } from "./io/server";
import { readSetup, type Setup } from "./io/setup";
import { startWatching } from "./io/execution_socket";
import { startTrying } from "./io/what_if";
import { startWording } from "./io/summary_requests";
import { type EditorStore, editorStore } from "./store";
import { nameOfPlace } from "./model/element_names";
import { App } from "./view/App";

const setup = readSetup();
const root = document.getElementById("editor");
if (setup && root) {
  const store = editorStore(setup);
  const server = serverOf(setup.urls);
  const reader = startReading(store, server);
  const edited = setup.watched ? null : startEditing(setup, store, server, reader);
  if (setup.watched) startWatching(store, server, setup);
  if (!setup.watched && setup.may_preview) startCosting(store, server);
  await startPlacing(store, setup.urls.worker);
  createRoot(root).render(<App desk={{ store, setup, server, reader, trier: startTrying(store, server) }} saver={edited?.saver ?? null} journal={edited?.journal ?? null} />);
}

await startDrawings();

function startEditing(setup: Setup, store: EditorStore, server: Server, reader: Reader): { saver: Saver; journal: Journal } {
  const saver = startSaving(store, server);
  const journal = startJournal(store, `${setup.person}:${setup.workflow}`);
  startWording(store, server);
  if (document.getElementById("live-link")) startFollowing(store, saver, setup.person, nameOfPlace);
  startLeaving(store, reader, saver);
  return { saver, journal };
}
