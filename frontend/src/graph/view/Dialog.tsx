// A modal dialog of the browser, open while it is rendered.

import { type ReactNode, useEffect, useId, useRef } from "react";

interface Props {
  readonly title: string;
  /** Without it the dialog has to be answered. */
  readonly onClose?: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, wide, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  // A browser lets Escape close any dialog in the end, whatever is said to the first one.
  const closed = (): void => (onClose ? onClose() : dialog.current?.showModal());
  return (
    <dialog ref={dialog} className={`dialog editor-dialog${wide ? " editor-dialog-wide" : ""}`} aria-labelledby={heading} onClose={closed} onCancel={(event) => !onClose && event.preventDefault()}>
      <h2 id={heading} className="dialog-title">
        {title}
      </h2>
      {children}
    </dialog>
  );
}
