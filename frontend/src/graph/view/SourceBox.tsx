// The fields that choose what the preview shows: behind one line that says what is chosen.

import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useState } from "react";
import { t } from "../texts";

interface Props {
  readonly box: RefObject<HTMLDetailsElement | null>;
  readonly line: string;
  readonly title: string | undefined;
  /** Nothing is chosen yet: the fields are in sight. */
  readonly isOpen: boolean;
  /** The preview has a column of its own, and the fields cover nothing there. */
  readonly isBeside: boolean;
  readonly children: ReactNode;
}

export function SourceBox({ box, line, title, isOpen, isBeside, children }: Props) {
  const [above, setAbove] = useState(0);
  useEffect(() => {
    const leave = new AbortController();
    const beside = ({ target }: Event): void => {
      const details = box.current;
      if (!details?.open || !(target instanceof Node) || details.contains(target)) return;
      const isInside = details.closest(".editor-preview")?.contains(target);
      if (isInside ? above > 0 : !isBeside) details.open = false;
    };
    document.addEventListener("pointerdown", beside, { signal: leave.signal, capture: true });
    return () => leave.abort();
  }, [box, above, isBeside]);
  const shut = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !box.current?.open) return;
    event.preventDefault();
    event.stopPropagation();
    box.current.open = false;
    box.current.querySelector("summary")?.focus();
  };
  return (
    <details
      ref={box}
      className="editor-source-shown"
      open={isOpen}
      onToggle={() => setAbove(box.current?.open ? roomAbove(box.current) : 0)}
      onKeyDown={shut}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (above && relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
      }}
    >
      <summary title={title}>
        <span className="editor-source-line">{line}</span> <span className="editor-source-change">{t("Change")}</span>
      </summary>
      <div className={`editor-source-fields${above ? " editor-source-above" : ""}`} style={above ? { maxHeight: above } : undefined}>
        {children}
      </div>
    </details>
  );
}

/** The room over a low preview, in pixels: there the fields leave the messages in sight. 0 where the preview has more. */
function roomAbove(details: HTMLElement): number {
  const [panel, preview] = [".editor-panel", ".editor-preview"].map((name) => details.closest(name)?.getBoundingClientRect());
  if (!panel || !preview) return 0;
  const above = preview.top - panel.top;
  return above > preview.height ? above : 0;
}
