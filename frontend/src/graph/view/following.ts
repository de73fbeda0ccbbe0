// Brings into sight what was added or pasted, what has a problem, and on a phone what is selected.

import { useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import type { Key } from "../model/document";
import { around, type Box, CARD, isSeen, placesOf, shiftInto, shownNear, shownToo, shownWhole, type Size, type View } from "../model/places";
import { onlyOne } from "../store";
import { useDesk, useEditor } from "./context";
import { TOOLS } from "./first_view";
import { fittedAgain } from "./fitted_view";

// Smaller cards do not have the whole of most names.
const READABLE_ZOOM = 0.4;
// The form of what is selected comes up over the canvas (graph.css).
const PHONE = "(width < 760px)";
const SHEET = 0.45;
// What the map and the button above it cover.
// Until words that came are drawn.
const DRAWN_MS = 80;
const MAP = { width: 175, height: 165 };

export function useFollowing(frame: { readonly current: HTMLDivElement | null }): void {
  const { store } = useDesk();
  const flow = useReactFlow();
  const followed = useEditor((state) => state.followed);
  const zoomTarget = useEditor((state) => state.zoomTarget);
  const chosen = useEditor((state) => {
    const only = onlyOne(state.chosen);
    return only?.kind === "node" ? only.key : null;
  });
  useEffect(() => {
    // Asked for its size as it opens, a canvas of 500 nodes would be laid out once more.
    if (frame.current && followed.length) follow(frame.current, followed);
  }, [followed, frame, flow, store]);
  useEffect(() => {
    if (frame.current && zoomTarget.length) follow(frame.current, zoomTarget, true);
  }, [zoomTarget, frame, flow, store]);
  useEffect(() => {
    if (frame.current && chosen !== null && matchMedia(PHONE).matches) follow(frame.current, [chosen]);
  }, [chosen, frame, flow, store]);
  // What is typed makes the words of an edge, or the name of a card, longer than the canvas is at that side.
  useEffect(() => {
    let wait = 0;
    const stop = store.subscribe((now, before) => {
      const only = onlyOne(now.chosen);
      const isLonger = now.words !== before.words || now.costs !== before.costs || now.document !== before.document;
      if (!only || !isLonger || onlyOne(before.chosen)?.key !== only.key) return;
      clearTimeout(wait);
      wait = window.setTimeout(() => frame.current && keepAcross(frame.current, only), DRAWN_MS);
    });
    return () => {
      clearTimeout(wait);
      stop();
    };
  }, [frame, flow, store]);
  const hasForm = useEditor((state) => onlyOne(state.chosen) !== null);
  useEffect(() => (hasForm && frame.current && matchMedia(PHONE).matches ? keepPanelInSight(frame.current) : undefined), [hasForm, frame]);

  function keepAcross(element: HTMLElement, { kind, key }: { readonly kind: "node" | "edge"; readonly key: Key }): void {
    const name = CSS.escape(key);
    const drawn = element.querySelector(kind === "edge" ? `.flow-chips[data-edge="${name}"]` : `.react-flow__node[data-id="${name}"] .flow-card`);
    const tools = element.querySelector(".flow-tools")?.getBoundingClientRect().width ?? 0;
    const by = drawn ? shiftInto(element.getBoundingClientRect(), drawn.getBoundingClientRect(), tools) : 0;
    if (by) void flow.setViewport({ ...flow.getViewport(), x: flow.getViewport().x + by });
  }

  function follow(element: HTMLElement, keys: readonly Key[], isZoomed = false): void {
    const size = sizeInSight(element);
    const { document, places: given } = store.getState();
    const places = placesOf(document, given);
    const spots = keys.flatMap((key) => places.get(key) ?? []);
    const others = [...places].filter(([key]) => !keys.includes(key)).map(([, spot]) => spot);
    if (!size.width || !spots.length) return;
    const box = around(spots);
    const before = flow.getViewport();
    const near = isZoomed ? shownNear(before, size, box, READABLE_ZOOM) : null;
    if (near) return void flow.setViewport(near);
    // Where all was in sight, with the words of edges, all is again.
    const fitting = isSeen(before, size, box) || matchMedia(PHONE).matches ? null : fittedAgain(store, before, size);
    if (fitting && fitting.zoom >= READABLE_ZOOM && isSeen(fitting, size, box)) return void flow.setViewport(fitting);
    const whole = shownToo(before, size, box, others, READABLE_ZOOM) ?? before;
    const shown = isUnderTools(whole, size, box) ? (shownWhole(whole, { ...size, width: size.width - TOOLS.width }, box) ?? whole) : whole;
    const view = element.querySelector(".flow-map")?.checkVisibility() && isIn(MAP, shown, size, box) ? (shownWhole(shown, { ...size, height: size.height - MAP.height }, box) ?? shown) : shown;
    if (view !== before) void flow.setViewport(view);
  }
}

/** In a low window the form of what is selected would end below it, with the result of its preview. */
function keepPanelInSight(frame: HTMLElement): (() => void) | undefined {
  const panel = document.querySelector(".editor-panel");
  if (!panel) return undefined;
  const watch = new ResizeObserver(() => {
    if (panel.querySelector("#panel-form") && panel.getBoundingClientRect().bottom > innerHeight + 1) frame.scrollIntoView();
  });
  watch.observe(panel);
  return () => watch.disconnect();
}

/** Whether some of a box is under the tools at the upper right. */
function isUnderTools({ x, y, zoom }: View, { width }: Size, box: Box): boolean {
  return (box.x + box.width) * zoom + x > width - TOOLS.width && box.y * zoom + y < TOOLS.height;
}

/** Whether some of a box is in the lower right corner of what is shown. */
function isIn(corner: Size, { x, y, zoom }: View, { width, height }: Size, box: Box): boolean {
  return (box.x + box.width) * zoom + x > width - corner.width && (box.y + box.height) * zoom + y > height - corner.height;
}

function sizeInSight(frame: HTMLElement): Size {
  const { width, height, top, bottom } = frame.getBoundingClientRect();
  if (!matchMedia(PHONE).matches) return { width, height };
  return { width, height: Math.max(Math.min(bottom, innerHeight * (1 - SHEET)) - top, CARD.height) };
}
