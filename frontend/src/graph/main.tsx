// Starts the visual editor on its page.

import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/base.css";
import "./graph.css";
import { startFollowing } from "./io/following";
import { startJournal } from "./io/journal";
import { startLeaving } from "./io/leaving";
import { startReading } from "./io/reading";
import { startSaving } from "./io/saving";
import { startPlacing } from "./io/placing";
import { serverOf } from "./io/server";
import { readSetup } from "./io/setup";
import { startWording } from "./io/wording";
import { editorStore } from "./store";
import { App } from "./view/App";

const setup = readSetup();
const root = document.getElementById("editor");
if (setup && root) {
  const store = editorStore(setup);
  const server = serverOf(setup.urls);
  const saver = startSaving(store, server);
  const reader = startReading(store, server);
  const journal = startJournal(store, `${setup.person}:${setup.workflow}`);
  startWording(store, server);
  if (document.getElementById("live-link")) startFollowing(store, saver);
  startLeaving(store, reader, saver);
  await startPlacing(store, setup.urls.worker);
  createRoot(root).render(<App desk={{ store, setup, server, reader }} saver={saver} journal={journal} />);
}
