// The panel beside a read-only canvas: rendered by the server for the selection.

import { type MouseEvent, useEffect, useRef, useState } from "react";
import { wordsOf } from "../io/error_text";
import { type Element, find } from "../model/document";
import { onlyOne, type State } from "../store";
import { t } from "../texts";
import { showElement } from "./actions";
import { useDesk, useEditor } from "./context";
import { freshen, replace } from "./replace_html";

export function WatchPanel({ panel }: { readonly panel: string }) {
  const { server, store } = useDesk();
  const box = useRef<HTMLDivElement>(null);
  const asked = useEditor(questionOf);
  const marks = useEditor((state) => state.marks);
  const [wrong, setWrong] = useState("");
  const shown = useRef<string | null>(null);

  useEffect(() => {
    const running = new AbortController();
    server.part(panel + asked, running.signal).then(
      (html) => {
        if (running.signal.aborted || !box.current) return;
        if (shown.current === asked) freshen(box.current, html);
        else replaceKeepingFocus(box.current, html);
        shown.current = asked;
        setWrong("");
      },
      (error: unknown) => {
        if (!running.signal.aborted) setWrong(wordsOf(error));
      },
    );
    // So that what is looked at can be shared and is there after a reload.
    history.replaceState(history.state, "", `${location.pathname}${asked}`);
    return () => running.abort();
  }, [server, panel, asked, marks]);

  const follow = (event: MouseEvent<HTMLElement>): void => {
    const link = (event.target as globalThis.Element).closest("a");
    if (!link || link.pathname !== location.pathname || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const wanted = new URLSearchParams(link.search);
    for (const kind of ["node", "edge"] as const) {
      const name = wanted.get(kind);
      if (name === null) continue;
      event.preventDefault();
      showElement(store, kind, name);
    }
  };

  return (
    <aside className="editor-panel" aria-label={t("Selection")} tabIndex={-1}>
      {/* It may scroll and have nothing in it that takes the focus. */}
      <div className="editor-panel-top" tabIndex={0}>
        {wrong && (
          <p className="field-errors" role="alert">
            {wrong}
          </p>
        )}
        <div ref={box} onClick={follow} />
      </div>
    </aside>
  );
}

/** A link that led on has the focus again, or the panel where that link is gone. */
function replaceKeepingFocus(box: HTMLElement, html: string): void {
  const focused = document.activeElement;
  const wasInside = focused !== null && box.contains(focused);
  const rel = wasInside ? focused.getAttribute("rel") : null;
  replace(box, html);
  if (!wasInside) return;
  const same = rel && box.querySelector<HTMLElement>(`a[href][rel="${rel}"]`);
  (same || box.closest<HTMLElement>(".editor-panel"))?.focus();
}

/** The one element that is chosen, as an address asks for it; "" for none and for several. */
function questionOf({ chosen, document }: Pick<State, "chosen" | "document">): string {
  const only = onlyOne(chosen);
  const found = only && find<Element>(only.kind === "node" ? document.nodes : document.edges, only.key);
  return found ? `?${only.kind}=${encodeURIComponent(found.id)}` : "";
}
