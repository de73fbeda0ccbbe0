// What the chosen node would see of a conversation or of a context that was pasted.

import { useEffect, useId, useRef, useState } from "react";
import { wordsOf } from "../io/said_wrong";
import type { Trial } from "../io/server";
import { saysTheSame } from "../io/wording";
import type { Json, Key, WorkflowDocument } from "../model/document";
import { find } from "../model/document";
import type { Tokens } from "../store";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";
import { Icon } from "./Icon";

const PAUSE_MS = 250;

/** What is typed into the fields above the preview; it stays when another node is chosen. */
export interface Source {
  readonly open: boolean;
  readonly pasted: boolean;
  readonly conversation: string;
  readonly at: string;
  readonly path: boolean;
  readonly context: string;
  readonly messages: string;
}

export const NO_SOURCE: Source = { open: true, pasted: false, conversation: "", at: "", path: false, context: "", messages: "" };

interface Props {
  readonly id: Key;
  readonly source: Source;
  readonly onSource: (source: Source) => void;
}

export function Preview({ id, source, onSource }: Props) {
  const { store, server } = useDesk();
  const document = useMeaning();
  const box = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<{ readonly busy: boolean; readonly wrong: string; readonly shown: boolean }>({ busy: false, wrong: "", shown: false });
  const node = find(document.nodes, id)?.id;

  useEffect(() => {
    const asked = node === undefined || !source.open ? null : trialOf(node, source);
    if (!asked || typeof asked === "string") {
      setState((before) => ({ ...before, busy: false, wrong: asked ?? "" }));
      return undefined;
    }
    const running = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      server.preview(document, asked, running.signal).then(
        (answer) => {
          // A late answer to an older question is thrown away.
          if (running.signal.aborted || !box.current) return;
          box.current.innerHTML = answer.html;
          window.htmx?.process(box.current);
          const along = Object.fromEntries((answer.steps ?? []).map((step): [Key, Tokens] => [step.node, { before: step.tokens_after, after: step.tokens_after }]));
          store.getState().set({ tokens: { ...store.getState().tokens, ...along, [id]: { before: answer.tokens_before, after: answer.tokens_after } } });
          setState({ busy: false, wrong: "", shown: true });
        },
        (error: unknown) => {
          if (!running.signal.aborted) setState((before) => ({ ...before, busy: false, wrong: wordsOf(error) }));
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      running.abort();
    };
  }, [document, id, node, source, server, store]);

  return (
    <section className={`editor-preview${source.open ? "" : " editor-preview-shut"}`} aria-label={t("Preview")} aria-busy={state.busy}>
      <h2>
        <button type="button" className="editor-shut" aria-expanded={source.open} onClick={() => onSource({ ...source, open: !source.open })}>
          <Icon name={source.open ? "chevron-down" : "chevron-up"} />
          {t("What it would see")}
        </button>
      </h2>
      <div className="editor-preview-body" hidden={!source.open}>
      <Fields source={source} onSource={onSource} />
      {state.wrong && (
        <p className="field-errors" role="alert">
          {state.wrong}
        </p>
      )}
      {!state.shown && !state.wrong && <p className="text-secondary">{state.busy ? t("Looking…") : t("Choose a conversation or paste a context. Nothing of it is stored.")}</p>}
      <div className={`editor-seen${state.wrong ? " editor-seen-old" : ""}`} ref={box} hidden={!state.shown} />
      </div>
    </section>
  );
}

function Fields({ source, onSource }: Omit<Props, "id">) {
  const { setup } = useDesk();
  const id = useId();
  const put = (part: Partial<Source>): void => onSource({ ...source, ...part });
  return (
    <div className="editor-source">
      <div className="btn-group" role="group" aria-label={t("Tried on")}>
        <button type="button" className="btn btn-sm" aria-pressed={!source.pasted} onClick={() => put({ pasted: false })}>
          {t("A conversation")}
        </button>
        <button type="button" className="btn btn-sm" aria-pressed={source.pasted} onClick={() => put({ pasted: true })}>
          {t("A pasted context")}
        </button>
      </div>
      {source.pasted ? (
        <>
          <label className="field">
            <span className="form-label">{t("Context as JSON")}</span>
            <textarea className="form-control font-monospace" rows={4} spellCheck={false} value={source.context} placeholder='{"variables": {}, "history": [], "metadata": {}}' onChange={(event) => put({ context: event.target.value })} />
          </label>
          <label className="field">
            <span className="form-label">{t("Messages as JSON")}</span>
            <textarea className="form-control font-monospace" rows={3} spellCheck={false} value={source.messages} placeholder='[{"role": "user", "content": "…"}]' onChange={(event) => put({ messages: event.target.value })} />
          </label>
        </>
      ) : (
        <div className="fields">
          <label className="field">
            <span className="form-label">{t("Conversation")}</span>
            <input className="form-control" list={`${id}-list`} autoComplete="off" value={source.conversation} onChange={(event) => put({ conversation: event.target.value })} />
          </label>
          <datalist id={`${id}-list`}>
            {setup.conversations.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </datalist>
          <label className="field">
            <span className="form-label">{t("At version (empty: now)")}</span>
            <input className="form-control" inputMode="numeric" value={source.at} onChange={(event) => put({ at: event.target.value })} />
          </label>
        </div>
      )}
      <label className="form-check">
        <input className="form-check-input" type="checkbox" checked={source.path} onChange={(event) => put({ path: event.target.checked })} />
        <span className="form-check-label">{t("Every step from the start")}</span>
      </label>
    </div>
  );
}

/** What is to be asked, null if nothing is chosen yet, or what is wrong with what was typed. */
function trialOf(node: string, source: Source): Trial | string | null {
  const { path } = source;
  if (!source.pasted) {
    const conversation = source.conversation.trim();
    if (!conversation) return null;
    const at = source.at.trim();
    if (at && !/^\d{1,9}$/.test(at)) return t("A version is a whole number.");
    return { node, path, conversation, ...(at ? { at: Number(at) } : {}) };
  }
  if (!source.context.trim() && !source.messages.trim()) return null;
  try {
    const context = source.context.trim() ? (JSON.parse(source.context) as Json) : {};
    const messages = source.messages.trim() ? (JSON.parse(source.messages) as Json[]) : [];
    if (!Array.isArray(messages)) return t("Messages are a list.");
    return { node, path, context, messages };
  } catch (error) {
    return t("This is not JSON: {why}", { why: error instanceof Error ? error.message : String(error) });
  }
}

/** The document; the same one as long as only places, groups and notes change. */
function useMeaning(): WorkflowDocument {
  const document = useEditor((state) => state.document);
  const kept = useRef(document);
  if (!saysTheSame(kept.current, document)) kept.current = document;
  return kept.current;
}
