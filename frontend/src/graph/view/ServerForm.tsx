// The form of an element, rendered by the server: input becomes an edit, errors are shown at
// fields.

import { useEffect, useRef, useState } from "react";
import { askAbout } from "../io/document_requests";
import { sentId } from "../io/form_reader";
import { wordsOf } from "../io/error_text";
import { type Fields, Refused } from "../io/server";
import type { Element, Key, WorkflowNode } from "../model/document";
import { asFirst, find, same } from "../model/document";
import { change, idOfName } from "../model/commands";
import { type ElementKind, elementOf, looksSame, type Value } from "../model/form_edits";
import { formName, type Typed } from "../store";
import { t } from "../texts";
import { type Desk, useDesk, useEditor } from "./context";
import { showErrors } from "./form_errors";
import { showWarnings } from "./form_warnings";
import { chooseFound, NAME_FIELD, PANEL_TITLE } from "./actions";
import { focusChosen, keepOnCanvas } from "./element_focus";
import { titleOf } from "./accessible_names";
import { suggestIn } from "./suggestion_lists";

const PAUSE_MS = 250;
const AGAIN_MS = 3_000;
const FOLD = "details.advanced";
const NO_ERRORS: readonly string[] = [];
const OWN_FIELDS = new Set(["kind", "id", "csrfmiddlewaretoken"]);

interface Props {
  readonly kind: ElementKind;
  readonly id: Key;
}

export function ServerForm({ kind, id }: Props) {
  const desk = useDesk();
  const box = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState("");
  const [attempt, setAttempt] = useState(0);
  const element = useEditor(({ document }) => elementOf(document, kind, id));
  const wanted = useEditor((state) => state.wanted);
  const waits = useEditor(({ typed }) => Boolean(typed[formName(kind, id)]?.isRead));
  const problems = useEditor(({ words }) => words?.problems);
  const session = useRef<Session | null>(null);

  useEffect(() => {
    const holder = box.current;
    // The form itself has just given the element another id: it stays.
    if (!holder || session.current?.key === id) return;
    session.current?.close();
    setFailure("");
    session.current = new Session(desk, holder, kind, id, setFailure);
    void session.current.open();
  }, [desk, kind, id, attempt]);
  useEffect(() => () => session.current?.close(), []);
  useEffect(() => (box.current ? suggestIn(box.current, desk.store) : undefined), [desk]);
  useEffect(() => session.current?.focusWanted(), [wanted]);
  useEffect(() => session.current?.follow(element), [element]);
  useEffect(() => session.current?.warn(), [problems]);

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
              if (session.current?.form) return;
              session.current?.close();
              session.current = null;
              setFailure("");
              setAttempt(attempt + 1);
            }}
          >
            {t("Try again")}
          </button>
        </div>
      )}
      <div className="editor-form" ref={box} />
      {/* Above the form it would move the field that one types into. */}
      {waits && (
        <div className="note note-warning editor-waits" role="status">
          <span>{t("Not saved. Fix the highlighted fields.")}</span>
          <button type="button" className="btn btn-sm" onClick={() => session.current?.takeBack()}>
            {t("Discard changes")}
          </button>
        </div>
      )}
    </>
  );
}

let sessions = 0;

/** One opened form: it outlives a change of the element's id. */
class Session {
  private running = new AbortController();
  private closed = false;
  private redrawing: ReturnType<typeof setTimeout> | undefined;
  private readonly away = new AbortController();
  private readonly number = ++sessions;
  private hearing: () => void;
  /** The element that the form shows: as it was drawn, or as it was read since. */
  private shown: Value | undefined;
  /** A button of a list was pressed, and the form with a row more, less or elsewhere is not here yet. */
  private arranging = false;
  private drawing = false;
  /** Fields that were typed into or left: an empty one is wrong only then. */
  private readonly touched = new Set<string>();
  /** What stood in the form when it went. */
  private last: Fields | null = null;

  constructor(
    private readonly desk: Pick<Desk, "store" | "server" | "reader" | "setup">,
    private readonly holder: HTMLElement,
    private readonly kind: ElementKind,
    public key: Key,
    private readonly fail: (words: string) => void,
  ) {
    const { signal } = this.away;
    holder.addEventListener("input", (event) => this.typing(event.target), { signal });
    holder.addEventListener("change", (event) => this.typing(event.target), { signal });
    holder.addEventListener("focusout", (event) => this.left(event.target), { signal });
    holder.addEventListener("submit", (event) => this.submitted(event), { signal });
    holder.addEventListener("keydown", (event) => this.pressed(event), { signal });
    holder.addEventListener("click", (event) => this.clicked(event), { signal });
    this.hearing = this.hear();
  }

  get form(): HTMLFormElement | null {
    return this.holder.querySelector("form");
  }

  /** The form goes; what was typed into it stays in the store and is read from there. */
  close(): void {
    this.closed = true;
    // Nobody hears what is typed into it until the next form is there.
    if (!this.holder.contains(document.activeElement)) this.holder.inert = true;
    this.last = this.fields();
    if (!this.arranging) this.hearing();
    clearTimeout(this.redrawing);
    this.running.abort();
    this.away.abort();
  }

  /** Show the form: as the document has the element, or as it was typed and not read. */
  async open(): Promise<void> {
    const kept = this.typedNow();
    // Asked again when others saved meanwhile, the form shows the element as it is by then.
    let showing = kept?.base;
    const about = (element: Value | undefined): void => void (showing = kept?.base ?? element);
    const html = await this.asked((signal) => this.panel(kept?.fields ?? null, signal, about));
    if (html === null || this.closed || this.arranging) return;
    // What was typed meanwhile stands, and is drawn again when it is read. Where nothing stands yet,
    // it was typed before, and is read by now.
    if (this.typedNow() !== kept) return this.form ? undefined : this.open();
    const focused = this.wanted() ?? this.focused();
    const isUnfolded = this.holder.querySelector<HTMLDetailsElement>(FOLD)?.open ?? false;
    this.draw([...elementFrom(html).childNodes]);
    this.unfold(isUnfolded);
    this.holder.inert = false;
    this.shown = showing;
    this.warn();
    window.htmx?.process(this.holder);
    this.focus(focused);
    this.follow(elementOf(this.desk.store.getState().document, this.kind, this.key));
  }

  /**
   * Put another form into the place of the one that is there. A field that goes while it has the focus
   * says once more what it said: by then that is read, or else the form would not go.
   */
  private draw(nodes: readonly Node[]): void {
    this.drawing = true;
    this.holder.replaceChildren(...nodes);
    this.drawing = false;
  }

  /** Say the warnings of the element at its fields; errors are said when the form is read. */
  warn(): void {
    const { document, words } = this.desk.store.getState();
    const { form, kind, key } = this;
    if (!form || this.closed || (kind !== "node" && kind !== "edge")) return;
    const id = find<Element>(kind === "node" ? document.nodes : document.edges, key)?.id;
    const warnings = (words?.problems ?? []).filter((problem) => problem.severity === "warning" && id !== undefined && problem[kind] === id);
    showWarnings(form, warnings, this.desk.setup.urls.icons);
  }

  /** What was unfolded stays so in the next form. */
  private unfold(isUnfolded: boolean): void {
    const fold = this.holder.querySelector<HTMLDetailsElement>(FOLD);
    if (fold && isUnfolded) fold.open = true;
  }

  /** Undone, redone or merged: the form shows what is there now, once nothing typed waits in it. */
  follow(element: Value | undefined): void {
    if (element === undefined || this.shown === undefined || this.typedNow() || this.arranging || looksSame(element, this.shown)) return;
    clearTimeout(this.redrawing);
    this.redrawing = setTimeout(() => !this.closed && void this.open(), PAUSE_MS);
  }

  /** Forget what was typed and cannot be read. */
  takeBack(): void {
    this.desk.store.getState().keepTyped(this.name, null);
    void this.open();
  }

  private get name(): string {
    return formName(this.kind, this.key);
  }

  private typedNow(): Typed | undefined {
    return this.desk.store.getState().typed[this.name];
  }

  private hear(): () => void {
    return this.desk.reader.hear(this.name, {
      read: (errors, said, key) => {
        if (said !== null) this.shown = said;
        if (this.closed) return;
        this.fail("");
        if (this.form) showErrors(this.form, errors, this.touched);
        if (said === null) return;
        this.renamed(key);
        const heading = this.kind === "node" ? this.holder.querySelector("#panel-title") : null;
        if (heading) heading.textContent = titleOf(said as WorkflowNode);
        this.follow(elementOf(this.desk.store.getState().document, this.kind, this.key));
      },
      failed: (words) => !this.closed && this.fail(words),
    });
  }

  private renamed(key: Key): void {
    if (key === this.key) return;
    this.key = key;
    this.hearing();
    this.hearing = this.hear();
    this.form?.querySelector<HTMLInputElement>('input[name="id"][type="hidden"]')?.setAttribute("value", key);
  }

  private typing(target: EventTarget | null): void {
    const name = (target as HTMLInputElement | null)?.name;
    if (name === undefined || this.drawing) return;
    this.touched.add(name);
    this.typed(name);
  }

  private left(target: EventTarget | null): void {
    const name = (target as HTMLInputElement | null)?.name;
    if (name) this.touched.add(name);
    if (name === NAME_FIELD && this.desk.store.getState().unnamed.includes(this.key)) void this.nameFirst();
    this.desk.store.getState().settle();
  }

  /** A field in which nothing was typed has nothing to undo: Ctrl-Z is that of the canvas. */
  private pressed(event: KeyboardEvent): void {
    const { target } = event;
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z";
    if (!isUndo || !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) || target.value !== target.defaultValue) return;
    event.preventDefault();
    event.stopPropagation();
    this.desk.store.getState().undo();
    keepOnCanvas();
  }

  private typed(field: string): void {
    if (this.shown !== undefined) this.keep(this.fields(), this.shown, field);
  }

  private keep(fields: Fields, shown: Value, field: string): void {
    if (!fields.length) return;
    const before = this.typedNow();
    // A field that is left says again what it said while one typed.
    if (before && same(before.fields, fields)) return;
    this.desk.store.getState().keepTyped(this.name, {
      kind: this.kind,
      key: this.key,
      fields,
      base: before?.base ?? shown,
      touch: `form ${this.number} ${field}`,
      errors: before?.errors ?? NO_ERRORS,
      isRead: false,
    });
  }

  /** The id of a node that was just added is made of its first name, also when one goes on elsewhere at once. */
  private async nameFirst(): Promise<void> {
    await this.desk.reader.finish();
    const { document, chosen, edit, choose, set, unnamed, typed } = this.desk.store.getState();
    const { key } = this;
    const node = find(document.nodes, key);
    const id = node && idOfName(document, node);
    if (typed[this.name] || !node || !id || !unnamed.includes(key)) return;
    const isOnCard = globalThis.document.activeElement?.matches(`.react-flow__node[data-id="${CSS.escape(key)}"]`);
    set({ unnamed: unnamed.filter((each) => each !== key) });
    edit(change(document, "node", key, { ...node, id }), t("Name {id}", { id }));
    if (!this.closed) {
      this.shown = { ...node, id };
      this.renamed(id);
    }
    if (chosen.nodes.includes(key)) choose({ nodes: chosen.nodes.map((each) => (each === key ? id : each)), edges: chosen.edges });
    if (this.closed) return;
    const field = this.form?.elements.namedItem("node-id");
    if (field instanceof HTMLInputElement) field.value = id;
    // The card of another id is another element.
    if (isOnCard) focusChosen(this.desk.store);
  }

  /** A row more, less or elsewhere. It comes to pass though one looks elsewhere meanwhile. */
  private async arrange({ name, value }: HTMLButtonElement): Promise<void> {
    if (this.arranging || this.shown === undefined) return;
    this.arranging = true;
    const made = await this.arranged(this.fields(), [name, value]);
    this.arranging = false;
    const form = made?.querySelector("form");
    if (this.closed) this.hearing();
    else if (made) {
      const isUnfolded = this.holder.querySelector<HTMLDetailsElement>(FOLD)?.open ?? false;
      this.draw([...made.childNodes]);
      this.unfold(isUnfolded);
      this.warn();
      window.htmx?.process(this.holder);
      this.holder.querySelector<HTMLElement>("[autofocus]")?.focus();
    }
    const element = elementOf(this.desk.store.getState().document, this.kind, this.key);
    if (form && element !== undefined) this.keep(this.fields(form), this.shown, "rows");
    if (!this.closed) this.follow(element);
  }

  /** The form as the button wants it, of all that is typed; null if it cannot be had. */
  private async arranged(given: Fields, button: readonly [string, string]): Promise<HTMLElement | null> {
    for (let sent = given; ; ) {
      try {
        const html = await this.panel([...sent, button], new AbortController().signal);
        const now = this.last ?? this.fields();
        if (same(now, sent)) {
          if (!this.closed) this.fail("");
          return elementFrom(html);
        }
        // Someone typed meanwhile: that, too, is to be in it.
        sent = now;
      } catch (error) {
        if (!this.closed) this.fail(wordsOf(error));
        if (!isAway(error)) return null;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        sent = this.last ?? this.fields();
      }
    }
  }

  private submitted(event: Event): void {
    event.preventDefault();
    void this.desk.reader.finish();
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement | null;
    const button = target?.closest<HTMLButtonElement>("button[data-edit-rows]");
    if (button) {
      event.preventDefault();
      // Or the script of the plain pages would send the form, too.
      event.stopPropagation();
      void this.arrange(button);
      return;
    }
    const link = target?.closest<HTMLElement>("a[data-kind][data-id]");
    const { kind, id } = link?.dataset ?? {};
    if ((kind !== "node" && kind !== "edge") || !id) return;
    event.preventDefault();
    chooseFound(this.desk.store, kind, id);
  }

  private fields(form = this.form): Fields {
    if (!form) return [];
    return [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" && !OWN_FIELDS.has(name) ? [[name, value] as const] : []));
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
      if (signal.aborted || this.closed) return null;
      this.fail(wordsOf(error));
      // Below a selected element there is never the form of another one.
      if (this.shown === undefined) this.holder.replaceChildren();
      if (isAway(error)) this.redrawing = setTimeout(() => !this.closed && void this.open(), AGAIN_MS);
      return null;
    }
  }

  /** The form; `about` is told each time of which element it is asked. */
  private panel(typed: Fields | null, signal: AbortSignal, about: (element: Value | undefined) => void = () => undefined): Promise<string> {
    const { store, server } = this.desk;
    return askAbout(
      store,
      ({ document }) => {
        about(elementOf(document, this.kind, this.key));
        return asFirst(document, this.kind, this.key);
      },
      (asked) => server.panel(this.kind, sentId(store.getState().document, this.kind, this.key), asked, typed, signal),
      signal,
    );
  }

  /** A problem leads to a field of a form that is open already. */
  focusWanted(): void {
    // The form of another element may still be drawn here.
    if (this.shown !== undefined && this.form && !this.closed) this.focus(this.wanted());
  }

  /** The field to which a problem led here. */
  private wanted(): { name: string; at: null } | null {
    const name = this.desk.store.getState().wanted;
    if (name) this.desk.store.getState().set({ wanted: "" });
    return name ? { name, at: null } : null;
  }

  private focused(): { name: string; at: number | null } | null {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement) || !this.holder.contains(active)) return null;
    const { name, selectionStart } = active as HTMLInputElement;
    return name ? { name, at: typeof selectionStart === "number" ? selectionStart : null } : null;
  }

  private focus(before: { name: string; at: number | null } | null): void {
    const title = this.holder.querySelector(`#${PANEL_TITLE}`);
    const named = before && before.name !== PANEL_TITLE ? this.form?.elements.namedItem(before.name) : null;
    // A problem leads to the form even where this has no field for it.
    const found = named ?? (before?.at === null ? title : null);
    const field = found instanceof RadioNodeList ? ([...found].find((each) => each instanceof HTMLInputElement && each.checked) ?? found[0]) : found;
    if (!before || !(field instanceof HTMLElement)) return;
    for (let fold = field.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
    // A field that another choice hides cannot have the focus.
    if (before.at === null && !field.checkVisibility() && title instanceof HTMLElement) return title.focus();
    field.focus();
    // The name that a new node has is only a beginning.
    if (before.name === NAME_FIELD && before.at === null && this.desk.store.getState().unnamed.includes(this.key)) (field as HTMLInputElement).select();
    if (before.at !== null && "setSelectionRange" in field) (field as HTMLInputElement).setSelectionRange(before.at, before.at);
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Refused && (error.kind === "offline" || error.kind === "signed-out");
}

function elementFrom(html: string): HTMLElement {
  const made = document.createElement("div");
  made.innerHTML = html;
  return made;
}
