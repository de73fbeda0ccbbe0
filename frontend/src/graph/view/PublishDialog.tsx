// Publishes the draft beside the canvas: the server's checks, a note, and the result.

import { type FormEvent, type MouseEvent, useCallback, useEffect, useRef, useState } from "react";
import type { Published } from "../io/server";
import { wordsOf } from "../io/error_text";
import { toast } from "../io/notice";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";
import { Dialog } from "./Dialog";
import { inLine } from "./accessible_names";
import { chooseFound } from "./actions";
import { replace } from "./replace_html";

export function PublishDialog() {
  const isOpen = useEditor((state) => state.publishing);
  const { store } = useDesk();
  return isOpen ? <Sheet onClose={() => store.getState().set({ publishing: false })} /> : null;
}

function Sheet({ onClose }: { readonly onClose: () => void }) {
  const { server, setup, store } = useDesk();
  const { box, wrong, busy, load, run } = useSheet();

  const send = (event: FormEvent<HTMLElement>): void => {
    const form = event.target as HTMLFormElement;
    event.preventDefault();
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)] as const);
    const isThis = new URL(form.action).pathname === new URL(setup.urls.publish, location.href).pathname;
    if (isThis) {
      run(async (signal) => {
        const answer = await server.publish(fields, signal);
        if ("html" in answer) return answer.html;
        // The server has moved on, and the canvas goes on: nothing is left to answer here.
        toast(publishedWords(answer));
        onClose();
        return null;
      });
    } else {
      run(async (signal) => {
        await server.sendForm(form.action, fields, signal);
        return server.publishSheet(signal);
      });
    }
  };
  const follow = (event: MouseEvent<HTMLElement>): void => {
    const target = event.target as Element;
    if (target.closest("[data-close]")) return onClose();
    const { node, edge, input } = target.closest<HTMLElement>("a[data-node], a[data-edge]")?.dataset ?? {};
    if ((!node && !edge) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onClose();
    chooseFound(store, node ? "node" : "edge", (node ?? edge) as string);
    store.getState().set({ wanted: input ?? "" });
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const forms = [...(box.current?.querySelectorAll("form") ?? [])];
      forms.find((form) => new URL(form.action).pathname === new URL(setup.urls.publish, location.href).pathname)?.requestSubmit();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [box, setup]);
  return (
    <Dialog title={t("Publish {name}", { name: inLine(setup.name) })} onClose={onClose} wide>
      {wrong && (
        <p className="field-errors" role="alert">
          {wrong}{" "}
          <button type="button" className="btn btn-sm" onClick={load}>
            {t("Try again")}
          </button>
        </p>
      )}
      <div ref={box} className="editor-sheet" aria-busy={busy} onSubmit={send} onClick={follow}>
        <p className="text-secondary">{t("Loading…")}</p>
      </div>
    </Dialog>
  );
}

/** The sheet of the server, and what is asked of it; one thing at a time. */
function useSheet() {
  const { server } = useDesk();
  const box = useRef<HTMLDivElement>(null);
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const running = useRef(new AbortController());
  const isRunning = useRef(false);
  const run = useCallback((ask: (signal: AbortSignal) => Promise<string | null>): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setWrong("");
    const { signal } = running.current;
    ask(signal)
      .then(
        (html) => {
          if (html !== null && box.current && !signal.aborted) replace(box.current, html);
        },
        (error: unknown) => {
          if (!signal.aborted) setWrong(wordsOf(error));
        },
      )
      .finally(() => {
        isRunning.current = false;
        if (!signal.aborted) setBusy(false);
      });
  }, []);
  const load = useCallback(() => run((signal) => server.publishSheet(signal)), [run, server]);
  useEffect(() => {
    running.current = new AbortController();
    isRunning.current = false;
    load();
    return () => running.current.abort();
  }, [load]);
  return { box, wrong, busy, load, run };
}

const publishedWords = ({ version }: Published): string => t("Published as version {n}. New executions use it; running ones keep their version.", { n: version });
