// Puts the canvas in the place of the drawing that the server made of a graph.

import { createRoot } from "react-dom/client";
import { startReading } from "./io/form_reader";
import { parse } from "./io/json";
import { startPlacing } from "./io/node_placement";
import { serverOf } from "./io/server";
import type { Links, Setup } from "./io/setup";
import { wordsWith } from "./io/summary_requests";
import { startTrying } from "./io/what_if";
import { normalised } from "./model/document";
import { editorStore } from "./store";
import { DrawnGraph } from "./view/DrawnGraph";

/** The drawing stays where the canvas cannot be had. */
export async function startDrawing(frame: HTMLElement): Promise<void> {
  const address = frame.dataset.drawn ?? "";
  const setup = await fetchSetup(address);
  if (!setup?.drawn) return;
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
  document.addEventListener("live:fetched", async () => {
    const next = frame.isConnected ? await fetchSetup(address) : null;
    if (!next?.drawn) return;
    const now = normalised(next.document);
    store.setState({ document: now, places: next.places, words: wordsWith(null, next.drawn.words, now) });
    draw(next.drawn.links);
  });
}

async function fetchSetup(address: string): Promise<Setup | null> {
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    return answer.ok && !answer.redirected ? (parse(await answer.text()) as Setup) : null;
  } catch {
    return null;
  }
}
