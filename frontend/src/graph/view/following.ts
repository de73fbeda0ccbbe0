// Brings into sight what was added or pasted, what has a problem, and on a phone what is selected.

import { useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import type { Key } from "../model/document";
import { around, CARD, placesOf, shownToo } from "../model/places";
import { onlyOne } from "../store";
import { useDesk, useEditor } from "./context";

// Smaller cards do not have the whole of most names.
const READABLE_ZOOM = 0.4;
// The form of what is selected comes up over the canvas (graph.css).
const PHONE = "(width < 760px)";
const SHEET = 0.45;

export function useFollowing(frame: { readonly current: HTMLDivElement | null }): void {
  const { store } = useDesk();
  const flow = useReactFlow();
  const followed = useEditor((state) => state.followed);
  const chosen = useEditor((state) => {
    const only = onlyOne(state.chosen);
    return only?.kind === "node" ? only.key : null;
  });
  useEffect(() => {
    // Asked for its size as it opens, a canvas of 500 nodes would be laid out once more.
    if (frame.current && followed.length) follow(frame.current, followed);
  }, [followed, frame, flow, store]);
  useEffect(() => {
    if (frame.current && chosen !== null && matchMedia(PHONE).matches) follow(frame.current, [chosen]);
  }, [chosen, frame, flow, store]);

  function follow(element: HTMLElement, keys: readonly Key[]): void {
    const size = sizeInSight(element);
    const { document, places: given } = store.getState();
    const places = placesOf(document, given);
    const spots = keys.flatMap((key) => places.get(key) ?? []);
    const others = [...places].filter(([key]) => !keys.includes(key)).map(([, spot]) => spot);
    const view = size.width && spots.length ? shownToo(flow.getViewport(), size, around(spots), others, READABLE_ZOOM) : null;
    if (view) void flow.setViewport(view);
  }
}

function sizeInSight(frame: HTMLElement): { readonly width: number; readonly height: number } {
  const { width, height, top, bottom } = frame.getBoundingClientRect();
  if (!matchMedia(PHONE).matches) return { width, height };
  return { width, height: Math.max(Math.min(bottom, innerHeight * (1 - SHEET)) - top, CARD.height) };
}
