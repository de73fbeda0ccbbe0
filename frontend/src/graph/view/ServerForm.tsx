// The form of an element, made by the server: what is typed becomes an edit, errors stand at fields.

import { useEffect, useRef, useState } from "react";
import type { ElementKind, Fields, Reading } from "../io/server";
import { Refused } from "../io/server";
import { change } from "../model/commands";
import type { Element, Key, Reducers, WorkflowDocument, WorkflowNode } from "../model/document";
import { find, same } from "../model/document";
import { type Edit, withPosition } from "../model/edits";
import { type EditorStore, formName } from "../store";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";
import { showErrors } from "./form_errors";
import { chooseFound } from "./doing";

const PAUSE_MS = 250;
const OWN_FIELDS = new Set(["kind", "id", "document", "csrfmiddlewaretoken"]);

interface Props {
  readonly kind: ElementKind;
  readonly id: Key;
}

export function ServerForm({ kind, id }: Props) {
  const { store, server } = useDesk();
  const box = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState("");
  const [attempt, setAttempt] = useState(0);
  const element = useEditor(({ document }) => elementOf(document, kind, id));
  const desk = useRef<Session | null>(null);

  useEffect(() => {
    const holder = box.current;
    // The form itself has just given the element another id: it stays.
    if (!holder || desk.current?.key === id) return;
    desk.current?.close();
    const session = new Session(store, server, holder, kind, id, setFailure);
    desk.current = session;
    void session.open();
  }, [store, server, kind, id, attempt]);
  useEffect(() => () => desk.current?.close(), []);
  useEffect(() => {
    // Undone, redone or merged: the form shows what is there now.
    if (element !== undefined) desk.current?.follow(element);
  }, [element]);

  return (
    <>
      {failure && (
        <div className="note note-error" role="alert">
          <span>{failure}</span>
          <button
            type="button"
            className="btn btn-sm"
            onClick={() => {
              desk.current?.close();
              desk.current = null;
              setFailure("");
              setAttempt(attempt + 1);
            }}
          >
            {t("Try again")}
          </button>
        </div>
      )}
      <div className="editor-form" ref={box} />
    </>
  );
}

type Value = Element | Reducers | string;

const NO_REDUCERS: Reducers = {};

function elementOf(document: WorkflowDocument, kind: ElementKind, key: Key): Value | undefined {
  if (kind === "reducers") return document.reducers ?? NO_REDUCERS;
  if (kind === "workflow") return document.name;
  return find<Element>(kind === "node" ? document.nodes : document.edges, key);
}

let sessions = 0;

/** One opened form: it outlives a change of the element's id. */
class Session {
  private running = new AbortController();
  private closed = false;
  private drawn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private redrawing: ReturnType<typeof setTimeout> | undefined;
  private readonly away = new AbortController();
  private readonly number = ++sessions;
  private field = "";
  /** The element as this form has last said it, or as it was when the form was drawn. */
  private known: Value | undefined;

  constructor(
    private readonly store: EditorStore,
    private readonly server: { panel: Desk["panel"]; read: Desk["read"] },
    private readonly holder: HTMLElement,
    private readonly kind: ElementKind,
    public key: Key,
    private readonly fail: (words: string) => void,
  ) {
    const { signal } = this.away;
    holder.addEventListener("formdata", (event) => event.formData.set("document", JSON.stringify(store.getState().document)), { signal });
    holder.addEventListener("input", (event) => this.typing(event.target), { signal });
    holder.addEventListener("change", (event) => this.typing(event.target), { signal });
    holder.addEventListener("focusout", () => store.getState().settle(), { signal });
    holder.addEventListener("submit", (event) => this.submitted(event), { signal });
    holder.addEventListener("click", (event) => this.clicked(event), { signal });
    // A button of a list has brought the form with a row more or less.
    document.addEventListener("htmx:after:swap", () => this.form && this.soon(0), { signal });
  }

  get form(): HTMLFormElement | null {
    return this.holder.querySelector("form");
  }

  /** The form goes; what was typed into it last is still read. */
  close(): void {
    if (this.timer !== undefined) void this.read();
    this.closed = true;
    this.away.abort();
  }

  /** Show the form: as the document has the element, or as it was typed when it said none. */
  async open(): Promise<void> {
    const { document, typed } = this.store.getState();
    this.known = elementOf(document, this.kind, this.key);
    const kept = typed[formName(this.kind, this.key)];
    const id = this.sentId(document);
    const html = await this.asked((signal) => this.server.panel(this.kind, id, document, kept?.fields ?? null, signal));
    if (html === null || this.closed) return;
    this.drawn += 1;
    const focused = this.focused();
    this.holder.innerHTML = html;
    window.htmx?.process(this.holder);
    this.focus(focused);
  }

  follow(element: Value): void {
    if (same(placeless(element), placeless(this.known))) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.drawn += 1;
    this.store.getState().keepTyped(formName(this.kind, this.key), null);
    this.known = element;
    clearTimeout(this.redrawing);
    this.redrawing = setTimeout(() => !this.closed && void this.open(), PAUSE_MS);
  }

  private typing(target: EventTarget | null): void {
    const name = (target as HTMLInputElement | null)?.name;
    if (name === undefined) return;
    this.field = name;
    this.soon(PAUSE_MS);
  }

  private soon(wait: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(), wait);
  }

  private submitted(event: Event): void {
    event.preventDefault();
    this.soon(0);
  }

  private clicked(event: MouseEvent): void {
    const link = (event.target as HTMLElement | null)?.closest<HTMLElement>("a[data-kind][data-id]");
    const { kind, id } = link?.dataset ?? {};
    if ((kind !== "node" && kind !== "edge") || !id) return;
    event.preventDefault();
    chooseFound(this.store, kind, id);
  }

  private fields(): Fields {
    const form = this.form;
    if (!form) return [];
    return [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  }

  private async read(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { drawn } = this;
    const fields = this.fields();
    if (!fields.length) return;
    const typed = fields.filter(([name]) => !OWN_FIELDS.has(name));
    // Kept until it is read, so that it can be lost at no moment.
    const name = formName(this.kind, this.key);
    const { keepTyped } = this.store.getState();
    keepTyped(name, { fields: typed, errors: this.store.getState().typed[name]?.errors ?? [] });
    const reading = await this.asked((signal) => this.server.read(fields, signal));
    if (!reading || this.drawn !== drawn) return;
    if (this.form && !this.closed) showErrors(this.form, reading.errors);
    if (reading.element === null) {
      keepTyped(name, { fields: typed, errors: reading.errors.map(({ message }) => message) });
    } else {
      this.take(reading as Reading & { element: object });
      keepTyped(name, null);
    }
  }

  private take({ element }: Reading & { element: object }): void {
    const { document, edit, choose } = this.store.getState();
    const now = elementOf(document, this.kind, this.key);
    if (now === undefined) return;
    const value = saidBy(this.kind, element, now);
    this.known = value;
    if (same(value, now)) return;
    const made = editTo(document, this.kind, this.key, value);
    const oldKey = this.key;
    const isElement = this.kind === "node" || this.kind === "edge";
    if (isElement && (value as Element).id !== (now as Element).id) this.key = (value as Element).id;
    edit(made, t("Edit {what}", { what: this.key || t("workflow") }), `form ${this.number} ${this.field}`);
    if (this.key === oldKey || this.closed) return;
    this.form?.querySelector<HTMLInputElement>('input[name="id"][type="hidden"]')?.setAttribute("value", this.key);
    choose(this.kind === "node" ? { nodes: [this.key] } : { edges: [this.key] });
  }

  /** What is asked last is answered; a late answer to what was asked before is thrown away. */
  private async asked<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    this.running.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    try {
      const answer = await ask(signal);
      if (signal.aborted) return null;
      if (!this.closed) this.fail("");
      return answer;
    } catch (error) {
      if (!signal.aborted && !this.closed) this.fail(wordsOf(error));
      return null;
    }
  }

  private sentId(document: WorkflowDocument): string {
    return this.kind === "node" || this.kind === "edge" ? (find<Element>(this.kind === "node" ? document.nodes : document.edges, this.key)?.id ?? this.key) : "";
  }

  private focused(): { name: string; at: number | null } | null {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement) || !this.holder.contains(active)) return null;
    const { name, selectionStart } = active as HTMLInputElement;
    return name ? { name, at: typeof selectionStart === "number" ? selectionStart : null } : null;
  }

  private focus(before: { name: string; at: number | null } | null): void {
    const found = before && this.form?.elements.namedItem(before.name);
    const field = found instanceof RadioNodeList ? found[0] : found;
    if (!before || !(field instanceof HTMLElement)) return;
    field.focus();
    if (before.at !== null && "setSelectionRange" in field) (field as HTMLInputElement).setSelectionRange(before.at, before.at);
  }
}

/** What a form says; where the card stands is the canvas's to say. */
function saidBy(kind: ElementKind, element: object, now: Value): Value {
  if (kind === "workflow") return (element as { name: string }).name;
  if (kind !== "node") return element as Value;
  return withPosition(element as WorkflowNode, (now as WorkflowNode).position ?? null);
}

function placeless(value: Value | undefined): unknown {
  if (typeof value !== "object" || !("position" in value)) return value;
  return withPosition(value as WorkflowNode, null);
}

type Desk = ReturnType<typeof useDesk>["server"];

function editTo(document: WorkflowDocument, kind: ElementKind, key: Key, value: Value): Edit {
  if (kind === "workflow") return { kind: "rename", to: value as string };
  if (kind === "reducers") return { kind: "reducers", to: Object.keys(value).length ? (value as Reducers) : null };
  return change(document, kind, key, value as Element);
}

export function wordsOf(error: unknown): string {
  if (!(error instanceof Refused)) return String(error);
  if (error.kind === "offline") return t("The server does not answer.");
  if (error.kind === "signed-out") return t("You are signed out; sign in again.");
  return error.message;
}
