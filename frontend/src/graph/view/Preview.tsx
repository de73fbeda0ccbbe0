// What the selected node, or the node behind the selected edge, would see of a conversation or of a pasted context.

import { useEffect, useId, useRef, useState } from "react";
import { askAbout } from "../io/document_requests";
import { isPreviewOpen, PREVIEW_HEIGHT, rememberPreview } from "../io/panel_size";
import { problemOfElement, wordsWithPlace } from "../io/error_text";
import { jsonFault } from "../io/json_fault";
import { TYPING_PAUSE_MS } from "../io/form_reader";
import { type Problem, Refused, type Trial } from "../io/server";
import { saysTheSame } from "../io/summary_requests";
import type { Setup } from "../io/setup";
import type { Json, Key, WorkflowDocument, WorkflowEdge } from "../model/document";
import { asFirst, find } from "../model/document";
import { EXAMPLE } from "../model/example_messages";
import { formName, type Tokens } from "../store";
import { t, tn } from "../texts";
import { openProblem } from "./actions";
import { useDesk, useEditor } from "./context";
import { freshen, replace } from "./replace_html";
import { Icon } from "./Icon";
import { SizeEdge } from "./SizeEdge";
import { SourceBox } from "./SourceBox";
import { endsOf, titleOf } from "../model/element_names";
import { inLine } from "./accessible_names";
import { LateField } from "./LateField";

// With the pause after which a form is read, 250 ms after the last key.
const PAUSE_MS = 250 - TYPING_PAUSE_MS;
const AGAIN_MS = 3_000;

const MOST_EDGES = 20;
// A line of the panel has room for it and the version; the tooltip has all of it.
const MOST_TITLE = 30;
// Between the parts of the result (workflows/pages/preview/result_line.py).
const PART = " · ";

/** What is typed into the fields above the preview; it stays when another node is chosen. */
export interface Source {
  readonly pasted: boolean;
  readonly conversation: string;
  /** Nobody chose the conversation: it is the first that was offered. */
  readonly isFirst: boolean;
  readonly at: string;
  readonly path: boolean;
  /** The conditions of the edges that lead to a node count as true. */
  readonly asIfTrue: boolean;
  /** The edges along which a node is entered, where it is not as the server says. */
  readonly along: { readonly [node: string]: readonly string[] };
  readonly context: string;
  readonly messages: string;
}

const NO_SOURCE: Source = { pasted: false, conversation: "", isFirst: false, at: "", path: false, asIfTrue: false, along: {}, context: "", messages: "" };

/** A conversation; an example as long as there is none. */
export function firstSource(conversation: string | undefined): Source {
  return conversation === undefined ? { ...NO_SOURCE, pasted: true, messages: EXAMPLE } : { ...NO_SOURCE, conversation, isFirst: true };
}

interface Props {
  readonly id: Key;
  /** The node is entered along this edge alone; null as the fields above the preview say. */
  readonly edge: Key | null;
  readonly source: Source;
  readonly onSource: (source: Source) => void;
  /** The preview stands beside the form, and is not closed. */
  readonly isBeside: boolean;
}

interface Shown {
  readonly of: string;
  readonly along: readonly string[];
  readonly line: string;
  readonly lacks: string;
  readonly isReached: boolean;
}

export function Preview({ id, edge, source, onSource, isBeside }: Props) {
  const { store, server, setup } = useDesk();
  const document = useMeaning();
  const box = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLDetailsElement>(null);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [last, setLast] = useState<Shown | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [chosenOpen, setChosenOpen] = useState(() => isPreviewOpen(localStorage, { width: window.innerWidth, height: window.innerHeight }));
  const isOpen = isBeside || chosenOpen;
  const [opened] = useState(() => isOpened(source));
  // Also those that were not offered, once the server has named them.
  const [known, setKnown] = useState(setup.conversations);
  const drawn = useRef<string | null>(null);
  const isBehind = useEditor(({ typed }) => Boolean(typed[edge === null ? formName("node", id) : formName("edge", edge)]?.isRead));
  const node = find(document.nodes, id);
  const along = edge === null ? undefined : find(document.edges, edge)?.id;
  const of = edge === null ? id : `${edge} to ${id}`;
  // Never what another node would see, however late the answer.
  const shown = last?.of === of ? last : null;

  useEffect(() => {
    const asked = node === undefined ? null : trialOf(node.id, along === undefined ? source : { ...source, along: { [node.id]: [along] } }, document);
    if (!asked || typeof asked === "string") {
      setBusy(false);
      setWrong(asked ?? "");
      setProblem(null);
      setLast(null);
      return undefined;
    }
    const running = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    setBusy(true);
    const timer = setTimeout(() => {
      askAbout(store, () => asFirst(document, "node", id), (about) => server.preview(about, asked, running.signal), running.signal).then(
        (answer) => {
          // A late answer to an older question is thrown away.
          if (running.signal.aborted || !box.current) return;
          if (drawn.current === of) freshen(box.current, answer.html);
          else replace(box.current, answer.html);
          drawn.current = of;
          const steps = Object.fromEntries((answer.steps ?? []).map((step): [Key, Tokens] => [step.node, { before: step.tokens_after, after: step.tokens_after }]));
          // Its card says what the node sees of all that leads to it.
          if (edge === null) store.getState().set({ tokens: { ...store.getState().tokens, ...steps, [id]: { before: answer.tokens_before, after: answer.tokens_after } } });
          setBusy(false);
          setWrong("");
          setKnown((before) => withTitle(before, asked.conversation, answer.title));
          setLast({ of, along: answer.edges, line: answer.line, lacks: answer.lacks, isReached: answer.is_reached });
        },
        (error: unknown) => {
          if (running.signal.aborted) return;
          setBusy(false);
          setWrong(wordsWithPlace(error));
          setProblem(problemOfElement(error));
          const isAway = error instanceof Refused && (error.kind === "offline" || error.kind === "signed-out");
          if (isAway) again = setTimeout(() => setAttempt((before) => before + 1), AGAIN_MS);
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      clearTimeout(again);
      running.abort();
    };
  }, [document, id, edge, of, node?.id, along, source, attempt, server, store]);

  const toggle = (): void => {
    setChosenOpen(!isOpen);
    rememberPreview(localStorage, !isOpen);
    // On a phone it opens below the form, which scrolls.
    if (!isOpen) requestAnimationFrame(() => scrollTo(box.current?.closest(".editor-preview") ?? null));
  };
  const shut = (): void => {
    if (!chooser.current) return;
    chooser.current.open = false;
    chooser.current.querySelector("summary")?.focus();
  };
  const heading = edge === null || !node ? t("Context preview") : t("Context preview: {name} through this edge", { name: titleOf(node) });
  const nothing = busy ? t("Loading…") : t("Select a conversation or paste a context. Nothing is stored.");
  return (
    <section className={`editor-preview${isOpen ? "" : " editor-preview-shut"}`} aria-label={t("Preview")} aria-busy={busy}>
      {isOpen && !isBeside && <SizeEdge size={PREVIEW_HEIGHT} label={t("Height of the preview")} within=".editor-panel" property="--preview-height" side="height" />}
      <div className="editor-preview-head">
        <h2>
          {isBeside ? (
            heading
          ) : (
            <button type="button" className="editor-shut" aria-expanded={isOpen} onClick={toggle}>
              <Icon name={isOpen ? "chevron-down" : "chevron-up"} />
              <span className="editor-shut-words">{heading}</span>
            </button>
          )}
        </h2>
        <p className="editor-result" role="status">
          {shown && !wrong ? (
            <>
              {shown.lacks && (
                <span className="editor-result-lacks">
                  <Icon name="alert-triangle" />
                  {inLine(shown.lacks)}
                </span>
              )}
              <span>
                {shown.line.split(PART).map((part, place, { length }) => (
                  <span key={part} className="editor-result-part">
                    {inLine(part)}
                    {place < length - 1 && PART}
                  </span>
                ))}
              </span>
            </>
          ) : (
            !isOpen && !wrong && <span>{nothing}</span>
          )}
        </p>
        {wrong && (
          <p className="field-errors" role="alert">
            {problem && (
              <>
                {problem.node !== id && (edge === null || problem.edge !== edge) && `${t("No preview: an element before this node has an error.")} `}
                <button type="button" className="editor-jump" onClick={() => openProblem(store, problem)}>
                  {[inLine(problem.element ?? ""), problem.field].filter(Boolean).join(" › ")}
                </button>
              </>
            )}
            <span className="editor-wrong">{inLine(wrong)}</span>
          </p>
        )}
        {isOpen && (
          <SourceBox box={chooser} line={sourceWords(source, known)} title={source.pasted ? undefined : wholeTitle(source, known)} isOpen={opened} isBeside={isBeside}>
            <Fields source={source} onSource={onSource} onDone={shut} />
            {edge === null && <Along node={node?.id} document={document} source={source} onSource={onSource} taken={shown?.along ?? []} />}
          </SourceBox>
        )}
      </div>
      <div className="editor-preview-body" hidden={!isOpen} tabIndex={0}>
        {source.pasted && source.messages === EXAMPLE && (
          <p className="text-secondary">
            {t("There are no conversations yet, so this is an example.")} {setup.urls.imports && <a href={setup.urls.imports}>{t("Import conversations")}</a>}
          </p>
        )}
        {isBehind && shown && !wrong && <p className="text-secondary">{t("The fields above have errors and are not included.")}</p>}
        {!shown && !wrong && <p className="text-secondary">{nothing}</p>}
        {shown && !wrong && !shown.isReached && (
          <button type="button" className="btn btn-sm editor-as-if" onClick={() => onSource({ ...source, asIfTrue: !source.asIfTrue })}>
            <Icon name={source.asIfTrue ? "arrow-back-up" : "eye"} />
            {source.asIfTrue ? t("Preview with the condition as it is") : t("Preview as if the condition were true")}
          </button>
        )}
        <div className="editor-seen" ref={box} hidden={!shown || wrong !== ""} />
      </div>
    </section>
  );
}

/** Only the panel scrolls: scrollIntoView would also move the frame around it. */
function scrollTo(preview: Element | null): void {
  const panel = preview?.closest(".editor-panel");
  if (preview && panel) panel.scrollTop += preview.getBoundingClientRect().top - panel.getBoundingClientRect().top;
}

/** Nothing is chosen yet: what to choose from is in sight. */
function isOpened({ pasted, conversation, context, messages }: Source): boolean {
  return pasted ? !context.trim() && !messages.trim() : !conversation.trim();
}

/** The conversations with the title that the server has just told of one. */
function withTitle(known: Setup["conversations"], id: string | undefined, title: string): Setup["conversations"] {
  return id === undefined || known.some(([each]) => each === id) ? known : [...known, [id, title, false]];
}

function titleIn(offered: Setup["conversations"], id: string): string {
  return inLine(offered.find(([each]) => each === id)?.[1] || id || "–");
}

function wholeTitle({ conversation }: Source, offered: Setup["conversations"]): string {
  const id = conversation.trim();
  const title = titleIn(offered, id);
  return title === id ? id : `${title} (${id})`;
}

/** What is previewed; a conversation by its title, if it was offered. */
export function sourceWords({ pasted, messages, conversation, at, path }: Source, offered: Setup["conversations"]): string {
  const version = at.trim();
  const letters = [...titleIn(offered, conversation.trim())];
  const title = letters.length > MOST_TITLE ? `${letters.slice(0, MOST_TITLE - 1).join("")}…` : letters.join("");
  const place = pasted
    ? messages === EXAMPLE ? t("Example") : t("Pasted context")
    : version
      ? t("{conversation}, version {version}", { conversation: title, version })
      : t("{conversation}, latest version", { conversation: title });
  return path ? t("{place}, the full path", { place }) : place;
}

interface AlongProps extends Omit<Props, "id" | "edge" | "isBeside"> {
  readonly node: string | undefined;
  readonly document: WorkflowDocument;
  readonly taken: readonly string[];
}

/** The edges that lead to the node: what their filters let through is all that it can see. */
function Along({ node, document, source, onSource, taken }: AlongProps) {
  const edges = document.edges.filter((edge) => edge.to === node);
  if (node === undefined || !edges.length) return null;
  const chosen = source.along[node] ?? taken;
  const take = (id: string, isTaken: boolean): void => {
    const along = edges.map((edge) => edge.id).filter((each) => (each === id ? isTaken : chosen.includes(each)));
    onSource({ ...source, along: { ...source.along, [node]: along } });
  };
  return (
    <fieldset className="editor-along">
      <legend className="form-label">{t("Incoming edge")}</legend>
      {edges.slice(0, MOST_EDGES).map((edge) => (
        <label key={edge.id} className="form-check" title={edge.id}>
          <input className="form-check-input" type="checkbox" checked={chosen.includes(edge.id)} onChange={(event) => take(edge.id, event.target.checked)} />
          <span className="form-check-label" translate="no">
            {calledAmong(edge, edges, document)}
          </span>
        </label>
      ))}
      {edges.length > MOST_EDGES && <p className="text-secondary small">{tn("and {n} more", "and {n} more", edges.length - MOST_EDGES)}</p>}
    </fieldset>
  );
}

/** An edge by its nodes, as the canvas draws it; with its id where another one connects the same. */
export function calledAmong(edge: WorkflowEdge, others: readonly WorkflowEdge[], { nodes }: WorkflowDocument): string {
  const isAlone = others.every(({ id, from, to }) => id === edge.id || from !== edge.from || to !== edge.to);
  return isAlone ? endsOf(nodes, edge) : `${endsOf(nodes, edge)} (${edge.id})`;
}

interface FieldsProps extends Omit<Props, "id" | "edge" | "isBeside"> {
  readonly onDone: () => void;
}

function Fields({ source, onSource, onDone }: FieldsProps) {
  const { setup } = useDesk();
  const id = useId();
  const put = (part: Partial<Source>): void => onSource({ ...source, ...part });
  return (
    <div className="editor-source">
      <div className="editor-source-kind">
        <div className="btn-group" role="group" aria-label={t("Source")}>
          <button type="button" className="btn btn-sm" aria-pressed={!source.pasted} onClick={() => put({ pasted: false })}>
            {t("Conversation")}
          </button>
          <button type="button" className="btn btn-sm" aria-pressed={source.pasted} onClick={() => put({ pasted: true })}>
            {t("Pasted context")}
          </button>
        </div>
        <label className="form-check">
          <input className="form-check-input" type="checkbox" checked={source.path} onChange={(event) => put({ path: event.target.checked })} />
          <span className="form-check-label">{t("Preview the full path")}</span>
        </label>
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
          <LateField
            label={t("Conversation")}
            list={`${id}-list`}
            value={source.conversation}
            isWhole={(text) => setup.conversations.some(([each]) => each === text.trim())}
            onTake={(conversation) => put({ conversation, isFirst: false })}
            onDone={onDone}
          />
          <datalist id={`${id}-list`}>
            {setup.conversations.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </datalist>
          <LateField label={t("Version (empty: latest)")} inputMode="numeric" value={source.at} onTake={(at) => put({ at })} onDone={onDone} />
        </div>
      )}
    </div>
  );
}

/** What is to be asked, null if nothing is chosen yet, or what is wrong with what was typed. */
function trialOf(node: string, source: Source, document: WorkflowDocument): Trial | string | null {
  const { path, asIfTrue } = source;
  const leading = new Set(document.edges.flatMap((edge) => (edge.to === node ? [edge.id] : [])));
  const edges = source.along[node]?.filter((edge) => leading.has(edge));
  const way = { ...(edges ? { edges } : {}), ...(asIfTrue ? { assume_conditions: true } : {}) };
  if (!source.pasted) {
    const conversation = source.conversation.trim();
    if (!conversation) return null;
    const at = source.at.trim();
    if (at && !/^\d{1,9}$/.test(at)) return t("Enter the version as a whole number.");
    return { node, path, ...way, conversation, ...(at ? { at: Number(at) } : {}) };
  }
  if (!source.context.trim() && !source.messages.trim()) return null;
  for (const [where, text] of [[t("Context as JSON"), source.context], [t("Messages as JSON"), source.messages]] as const) {
    const why = text.trim() && jsonFault(text);
    if (why) return t("{where}: {why}", { where, why });
  }
  const context = source.context.trim() ? (JSON.parse(source.context) as Json) : {};
  const messages = source.messages.trim() ? (JSON.parse(source.messages) as Json[]) : [];
  if (!Array.isArray(messages)) return t("Enter the messages as a list.");
  return { node, path, ...way, context, messages };
}

/** The document; the same one as long as only places, groups and notes change. */
function useMeaning(): WorkflowDocument {
  const document = useEditor((state) => state.document);
  const kept = useRef(document);
  if (!saysTheSame(kept.current, document)) kept.current = document;
  return kept.current;
}
