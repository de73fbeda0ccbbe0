// Keeps the canvas where it is while a line is drawn that begins near its edge.

import { useStoreApi } from "@xyflow/react";
import { useCallback } from "react";
import type { Position } from "../model/document";

// React Flow moves the canvas while a line ends within 40 px of its edge, and a hand needs some to leave it.
const NEAR = 80;

/** To be called where a press begins, before React Flow hears of it: it asks once for each line. */
export function useStillLines(frame: { readonly current: HTMLElement | null }): (target: EventTarget, at: Position) => void {
  const canvas = useStoreApi();
  return useCallback(
    (target, { x, y }) => {
      const box = frame.current?.getBoundingClientRect();
      if (!box || !(target instanceof Element) || !target.closest(".react-flow__handle, .react-flow__edgeupdater")) return;
      const toEdge = Math.min(x - box.left, box.right - x, y - box.top, box.bottom - y);
      canvas.setState({ autoPanOnConnect: toEdge > NEAR });
    },
    [canvas, frame],
  );
}
