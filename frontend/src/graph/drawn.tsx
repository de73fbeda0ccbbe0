// Puts the canvas into its frame on a page, in the place of the drawing that the server made of a graph.

import { createRoot } from "react-dom/client";
import { startReading } from "./io/form_reader";
import { parse } from "./io/json";
import { startPlacing } from "./io/node_placement";
import { type Server, serverOf } from "./io/server";
import type { Links, Setup } from "./io/setup";
import { wordsWith } from "./io/summary_requests";
import { startTrying } from "./io/what_if";
import { normalised } from "./model/document";
import { type EditorStore, editorStore } from "./store";
import { DrawnGraph } from "./view/DrawnGraph";

/** Starts the canvas of the page; also of a frame that comes later, with an execution that begins. */
export async function startDrawings(): Promise<void> {
  const started = new WeakSet<HTMLElement>();
  const start = async (): Promise<void> => {
    const frame = document.querySelector<HTMLElement>("[data-drawn]");
    if (!frame || started.has(frame)) return;
    started.add(frame);
    // What could not be had now may be there when the page hears of something new.
    if (!(await startDrawing(frame))) started.delete(frame);
  };
  document.addEventListener("live:fetched", () => void start());
  await start();
}

/** The drawing stays where the canvas cannot be had; a frame without one goes. False if it is to be tried again. */
async function startDrawing(frame: HTMLElement): Promise<boolean> {
  const address = frame.dataset.drawn ?? "";
  let isBehind = false;
  let refresh = async (): Promise<void> => void (isBehind = true);
  const away = new AbortController();
  document.addEventListener("live:fetched", () => void refresh(), { signal: away.signal });
  const setup = await fetchSetup(address);
  if (setup === "none" || !setup?.drawn) {
    away.abort();
    frame.hidden = !frame.querySelector("a");
    return setup === "none";
  }
  frame.hidden = false;
  const store = editorStore(setup);
  const server = serverOf(setup.urls);
  await startPlacing(store, setup.urls.worker);
  const drawing = frame.querySelector("svg");
  // It takes the room that the drawing has.
  frame.style.height = `${frame.getBoundingClientRect().height}px`;
  const room = document.createElement("div");
  room.className = "graph-canvas";
  // Cards that are being measured are visible, whatever is around them.
  room.inert = true;
  room.ariaHidden = "true";
  frame.append(room);
  frame.setAttribute("hx-morph-skip", "");
  const done = (): void => {
    const focused = drawing?.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
    drawing?.remove();
    room.inert = false;
    room.ariaHidden = null;
    frame.classList.add("graph-frame-drawn");
    frame.scrollTo(0, 0);
    frame.tabIndex = -1; // it does not scroll
    if (focused) frame.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  };
  const root = createRoot(room);
  const desk = { store, setup, server, reader: startReading(store, server), trier: startTrying(store, server) };
  const draw = (to: Links): void => root.render(<DrawnGraph desk={desk} links={to} onDrawn={done} />);
  draw(setup.drawn.links);
  let shown = setup;
  refresh = oneAtATime(async () => {
    if (!frame.isConnected || (await hasOnlyMoved(shown, store, server))) return;
    const next = await fetchSetup(address);
    if (next === "none" || !next?.drawn) return;
    shown = next;
    const now = normalised(next.document);
    store.setState({ document: now, places: next.places, marks: next.drawn.marks, words: wordsWith(null, next.drawn.words, now) });
    draw(next.drawn.links);
  });
  if (isBehind) await refresh();
  return true;
}

/** What is asked for while it runs is done once more afterwards, so that the last answer is the latest. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running = false;
  let wanted = false;
  return async () => {
    wanted = true;
    if (running) return;
    running = true;
    while (wanted) {
      wanted = false;
      await work();
    }
    running = false;
  };
}

/** Whether the same execution is shown with its current marks; its graph never changes. */
async function hasOnlyMoved({ drawn, execution }: Setup, store: EditorStore, server: Server): Promise<boolean> {
  if (!drawn?.again) return false;
  try {
    const now = await server.marks(drawn.again);
    if (now.execution !== execution) return false;
    store.setState({ marks: now.marks });
    return true;
  } catch {
    return false;
  }
}

/** The data of a canvas; "none" for a graph that has none, null if it cannot be had now. */
async function fetchSetup(address: string): Promise<Setup | "none" | null> {
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    if (answer.status === 404) return "none";
    return answer.ok && !answer.redirected ? (parse(await answer.text()) as Setup) : null;
  } catch {
    return null;
  }
}
