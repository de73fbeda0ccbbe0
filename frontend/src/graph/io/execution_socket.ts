// Follows an execution: the page's socket announces changes, the current marks are fetched.

import type { EditorStore } from "../store";
import type { Server } from "./server";
import type { Setup } from "./setup";

// However much happens meanwhile.
const PAUSE_MS = 300;

export function startWatching(store: EditorStore, server: Server, { watched, execution }: Setup): void {
  choose(store);
  if (!watched?.again) return;
  let running = false;
  let wanted = false;

  const fetchMarks = async (): Promise<void> => {
    wanted = true;
    if (running) return;
    running = true;
    while (wanted) {
      wanted = false;
      try {
        const now = await server.marks(watched.again);
        // Another one may run another version of the workflow.
        if (now.execution !== execution) return location.reload();
        store.getState().set({ marks: now.marks });
        store.getState().say(now.marks.said);
      } catch {
        // It is heard of again, at the latest when the socket is back.
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    running = false;
  };
  document.addEventListener("live:welcome", () => void fetchMarks());
  document.addEventListener("live:changed", () => void fetchMarks());
}

/** What the address names is chosen. */
function choose(store: EditorStore): void {
  const asked = new URLSearchParams(location.search);
  const [node, edge] = [asked.get("node"), asked.get("edge")];
  const { document } = store.getState();
  if (node !== null && document.nodes.some(({ id }) => id === node)) store.getState().choose({ nodes: [node] });
  else if (edge !== null && document.edges.some(({ id }) => id === edge)) store.getState().choose({ edges: [edge] });
}
