// An edge of the panel or of its preview, moved by dragging or by arrow keys.

import { useLayoutEffect, useRef, useState } from "react";
import { afterKey, fitting, remember, remembered, type Size } from "../io/panel_size";

interface Props {
  readonly size: Size;
  readonly label: string;
  /** The class of the element that the size is a share of, and that gets it as `property`. */
  readonly within: string;
  readonly property: string;
  readonly side: "width" | "height";
}

export function SizeEdge({ size, label, within, property, side }: Props) {
  const edge = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(() => remembered(size, localStorage));
  const [whole, setWhole] = useState(0);
  const holder = (): HTMLElement | null => edge.current?.closest<HTMLElement>(within) ?? null;
  const room = (): number => (side === "width" ? holder()?.clientWidth : holder()?.clientHeight) ?? window.innerWidth;
  // It may have been chosen in a larger window.
  const now = whole ? fitting(size, chosen ?? size.usual(whole), whole) : (chosen ?? size.usual(whole));
  useLayoutEffect(() => {
    const measured = edge.current?.closest<HTMLElement>(within);
    if (!measured) return undefined;
    const watch = new ResizeObserver(() => setWhole(side === "width" ? measured.clientWidth : measured.clientHeight));
    watch.observe(measured);
    setWhole(side === "width" ? measured.clientWidth : measured.clientHeight);
    return () => watch.disconnect();
  }, [within, side]);
  useLayoutEffect(() => {
    edge.current?.closest<HTMLElement>(within)?.style.setProperty(property, `${now}px`);
  }, [now, within, property]);
  const choose = (wished: number): void => {
    setChosen(wished);
    remember(size, localStorage, wished);
  };
  return (
    <div
      ref={edge}
      className={`editor-edge editor-edge-${side}`}
      role="separator"
      tabIndex={0}
      aria-orientation={side === "width" ? "vertical" : "horizontal"}
      aria-label={label}
      aria-valuemin={size.least}
      aria-valuenow={now}
      onKeyDown={(event) => {
        const wished = afterKey(size, event.key, now, room());
        if (wished === null) return;
        event.preventDefault();
        choose(wished);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const end = holder()?.getBoundingClientRect();
        if (end) choose(fitting(size, side === "width" ? end.right - event.clientX : end.bottom - event.clientY, room()));
      }}
    />
  );
}
