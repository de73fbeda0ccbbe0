// The edge between canvas and panel, which is dragged or moved by arrow keys.

import { useEffect, useRef, useState } from "react";
import { afterKey, fitting, LEAST_WIDTH, remember, remembered } from "../io/panel_width";
import { t } from "../texts";

const WIDTH = "--panel-width";

export function PanelEdge() {
  const edge = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(() => remembered(localStorage));
  const body = (): HTMLElement | null => edge.current?.closest<HTMLElement>(".editor-body") ?? null;
  const room = (): number => body()?.clientWidth ?? window.innerWidth;
  useEffect(() => {
    edge.current?.closest<HTMLElement>(".editor-body")?.style.setProperty(WIDTH, `${width}px`);
  }, [width]);
  const choose = (wished: number): void => {
    setWidth(wished);
    remember(localStorage, wished);
  };
  return (
    <div
      ref={edge}
      className="editor-panel-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("Width of the panel")}
      aria-valuemin={LEAST_WIDTH}
      aria-valuenow={width}
      onKeyDown={(event) => {
        const wished = afterKey(event.key, width, room());
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
        const right = body()?.getBoundingClientRect().right ?? 0;
        choose(fitting(right - event.clientX, room()));
      }}
    />
  );
}
