// Places nodes without a position: before the canvas opens, and when such nodes are added later.

import { arranged, folded, pairs, unplaced } from "../model/arrangement";
import type { Key } from "../model/document";
import { indexOf } from "../model/document";
import { flowOf } from "../model/lines";
import { placesOf } from "../model/places";
import type { EditorStore } from "../store";
import { laidOut } from "./layout";

// 500 nodes take 0.6 s. A graph that takes longer opens in the layers that the server made.
const PATIENCE_MS = 1_500;

/** Resolves when the canvas can open. None of it is an edit: the document stays as it is. */
export async function startPlacing(store: EditorStore, worker: string): Promise<void> {
  const { document, places, set } = store.getState();
  const missing = unplaced(document);
  if (missing.length) {
    // The layers of the server lead to the right.
    set({ places: folded(places, pairs(document, new Set(Object.keys(places))), "right") });
    await place(store, worker, missing);
  }
  store.subscribe((now, before) => {
    if (now.document.nodes === before.document.nodes) return;
    const lost = unplaced(now.document).filter((key) => !now.places[key]);
    if (lost.length) void place(store, worker, lost);
  });
}

async function place(store: EditorStore, worker: string, wanted: readonly Key[]): Promise<void> {
  const { document, places } = store.getState();
  const missing = new Set(wanted);
  const standing = indexOf(document.nodes).keys.filter((key) => !missing.has(key));
  const all = placesOf(document, places);
  try {
    const placed = new Map(standing.flatMap((key) => (all.has(key) ? [[key, all.get(key)!]] : [])));
    const given = placed.size ? flowOf(document, placed) : undefined;
    const { to, flow } = await laidOut(worker, document, wanted, { flow: given, words: store.getState().words, patience: PATIENCE_MS });
    const found = arranged(document, to, placed, flow);
    store.getState().set({ places: { ...store.getState().places, ...found } });
  } catch {
    // They stand in the layers of the server, or below all others.
  }
}
