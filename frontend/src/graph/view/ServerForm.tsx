// The form of an element, rendered by the server: input becomes an edit, errors are shown at
// fields.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Key } from "../model/document";
import { type ElementKind, elementOf } from "../model/form_edits";
import { formName } from "../store";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";
import { FormSession } from "./form_session";
import { showInPanel } from "./panel_scroll";
import { suggestIn } from "./suggestion_lists";

interface Props {
  readonly kind: ElementKind;
  readonly id: Key;
  /** Where it is said that the form is not saved: beside what scrolls, so that it covers no field. */
  readonly row?: HTMLElement | null;
}

export function ServerForm({ kind, id, row = null }: Props) {
  const desk = useDesk();
  const box = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState("");
  const element = useEditor(({ document }) => elementOf(document, kind, id));
  const wanted = useEditor((state) => state.wanted);
  const waits = useEditor(({ typed }) => Boolean(typed[formName(kind, id)]?.isRead));
  const problems = useEditor(({ words }) => words?.problems);
  const session = useRef<FormSession | null>(null);

  useEffect(() => {
    const holder = box.current;
    // The form itself has just given the element another id: it stays.
    if (!holder || session.current?.key === id) return;
    session.current?.close();
    setFailure("");
    session.current = new FormSession(desk, holder, kind, id, setFailure);
    void session.current.open();
  }, [desk, kind, id]);
  useEffect(() => () => session.current?.close(), []);
  useEffect(() => (box.current ? suggestIn(box.current, desk.store) : undefined), [desk]);
  useEffect(() => session.current?.focusWanted(), [wanted]);
  useEffect(() => session.current?.follow(element), [element]);
  useEffect(() => session.current?.warn(), [problems]);
  // The row takes its room from below: the field that one types into stays in sight.
  useLayoutEffect(() => {
    if (waits && box.current?.contains(document.activeElement)) showInPanel(document.activeElement);
  }, [waits]);

  return (
    <>
      {failure && (
        <div className="note note-error" role="alert">
          <span>{failure}</span>
          <button
            type="button"
            className="btn btn-sm"
            onClick={() => {
              void desk.reader.finish();
              if (session.current?.isShown) return;
              setFailure("");
              void session.current?.open();
            }}
          >
            {t("Try again")}
          </button>
        </div>
      )}
      <div className="editor-form" ref={box} />
      {waits &&
        row &&
        createPortal(
          <div className="note note-warning editor-waits" role="status">
            <span>{t("Not saved. Fix the highlighted fields.")}</span>
            <button type="button" className="btn btn-sm" onClick={() => session.current?.takeBack()}>
              {t("Discard changes")}
            </button>
          </div>,
          row,
        )}
    </>
  );
}
