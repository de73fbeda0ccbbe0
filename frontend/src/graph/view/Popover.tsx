// A box over the canvas at a point: closed by Escape, by a click beside it and by leaving it.

import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Position } from "../model/document";
import { corner } from "../model/menu";

interface Props {
  /** On the screen. */
  readonly at: Position;
  readonly onClose: () => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void;
  readonly role: "menu" | "dialog";
  readonly label: string;
  readonly children: ReactNode;
}

export function Popover({ at, onClose, onKeyDown, role, label, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [spot, setSpot] = useState(at);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const { width = 0, height = 0 } = box.current?.getBoundingClientRect() ?? {};
    setSpot(corner(at, { width, height }, { width: innerWidth, height: innerHeight }));
  }, [at]);
  useEffect(() => {
    const before = document.activeElement;
    const leave = new AbortController();
    const beside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) close.current();
    };
    // Before the keys of the page: there Escape clears the selection.
    const escape = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close.current();
    };
    document.addEventListener("pointerdown", beside, { signal: leave.signal, capture: true });
    document.addEventListener("wheel", beside, { signal: leave.signal, capture: true, passive: true });
    document.addEventListener("keydown", escape, { signal: leave.signal, capture: true });
    return () => {
      leave.abort();
      const isLost = document.activeElement === document.body || document.activeElement === null;
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div
      ref={box}
      className="editor-popover"
      role={role}
      aria-label={label}
      style={{ left: spot.x, top: spot.y }}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
      onBlur={(event) => event.relatedTarget instanceof Node && !event.currentTarget.contains(event.relatedTarget) && onClose()}
    >
      {children}
    </div>
  );
}
