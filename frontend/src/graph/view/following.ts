// Brings what was added or pasted, or has a problem, into sight.

import { useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import { around, placesOf, shownToo } from "../model/places";
import { useDesk, useEditor } from "./context";

// Smaller cards do not have the whole of most names.
const READABLE_ZOOM = 0.4;

export function useFollowing(frame: { readonly current: HTMLDivElement | null }): void {
  const { store } = useDesk();
  const flow = useReactFlow();
  const followed = useEditor((state) => state.followed);
  useEffect(() => {
    // Asked for its size as it opens, a canvas of 500 nodes would be laid out once more.
    if (!followed.length) return;
    const size = frame.current?.getBoundingClientRect();
    const { document, places: given } = store.getState();
    const places = placesOf(document, given);
    const spots = followed.flatMap((key) => places.get(key) ?? []);
    const others = [...places].filter(([key]) => !followed.includes(key)).map(([, spot]) => spot);
    const view = size?.width && spots.length ? shownToo(flow.getViewport(), size, around(spots), others, READABLE_ZOOM) : null;
    if (view) void flow.setViewport(view);
  }, [followed, frame, flow, store]);
}
