// The view that shows all of the graph: as someone asks for it, and in another size of the canvas until someone moves it.

import { useReactFlow, useStoreApi, type Viewport } from "@xyflow/react";
import { useCallback, useEffect } from "react";
import { CARD, isSeen, placesOf } from "../model/places";
import type { EditorStore, State } from "../store";
import { useDesk } from "./context";
import { openingOf } from "./first_view";
import type { FlowEdge, FlowNode } from "./flow";

// A view is where it was put if it differs by less.
const SAME = 0.5;
/** Where the graph was fitted last, and whether all of a large one was shown. */
const fitted = new WeakMap<EditorStore, { readonly view: Viewport; readonly whole: boolean }>();

function fit(store: EditorStore, size: { readonly width: number; readonly height: number }, whole: boolean): Viewport {
  const view = openingOf(store.getState(), size, whole);
  fitted.set(store, { view, whole });
  return view;
}

/** The view that fits the graph as it is now, if the view that is there was a fitting one; else null. */
export function fittedAgain(store: EditorStore, now: Viewport, size: { readonly width: number; readonly height: number }): Viewport | null {
  const before = fitted.get(store);
  return before && isSame(now, before.view) ? fit(store, size, before.whole) : null;
}

/** Shows all of the graph, with its notes. */
export function useShowAll(): () => void {
  const { store } = useDesk();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const canvas = useStoreApi();
  return useCallback(() => {
    const { width, height } = canvas.getState();
    if (!store.getState().document.nodes.length) return;
    // Notes and frames of groups reach further than cards.
    if (flow.getNodes().some(({ type }) => type !== "card")) void flow.fitView({ maxZoom: 1, padding: PADDING });
    else void flow.setViewport(fit(store, { width, height }, true));
  }, [canvas, flow, store]);
}
const PADDING = 0.04;

/** The graph fits again in another size of the canvas, and once its costs are known, unless someone moved the view. */
export function useRefitting(frame: { readonly current: HTMLDivElement | null }): void {
  const { store } = useDesk();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    let size = sizeOf(element);
    const opened = store.getState().document;
    fit(store, size, false);
    const refit = (): void => {
      const view = size.width ? fittedAgain(store, flow.getViewport(), size) : null;
      if (view) void flow.setViewport(view);
    };
    // Undone, a layout or a move leads elsewhere than what the canvas shows.
    const showUndone = ({ document, places }: Pick<State, "document" | "places">): void => {
      const now = flow.getViewport();
      const spots = [...placesOf(document, places).values()];
      const seen = spots.filter((spot) => isSeen(now, size, { ...spot, ...CARD })).length;
      if (seen === spots.length) return;
      const view = fittedAgain(store, now, size) ?? (seen ? null : fit(store, size, false));
      if (view) void flow.setViewport(view);
    };
    const watch = new ResizeObserver(() => {
      const now = sizeOf(element);
      if (now.width === size.width && now.height === size.height) return;
      size = now;
      refit();
    });
    watch.observe(element);
    // What edges cost is said on their chips, and is known later than all else.
    const stop = store.subscribe((now, before) => {
      if (now.costs !== before.costs && now.document === opened) refit();
      // A canvas behind the outline has no size: the graph fits again when it comes into sight.
      if (now.arranged !== before.arranged && !size.width) fitted.set(store, { view: flow.getViewport(), whole: false });
      else if (now.arranged !== before.arranged) void flow.setViewport(fit(store, size, false));
      const isUndone = now.document.nodes !== before.document.nodes && now.history.future.length !== before.history.future.length;
      if (isUndone && size.width) showUndone(now);
    });
    return () => {
      watch.disconnect();
      stop();
    };
  }, [flow, frame, store]);
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  const { width, height } = element.getBoundingClientRect();
  return { width, height };
}

function isSame(a: Viewport, b: Viewport): boolean {
  return Math.abs(a.x - b.x) < SAME && Math.abs(a.y - b.y) < SAME && Math.abs(a.zoom - b.zoom) < SAME / 1000;
}
