// The session of an opened form: what is typed becomes an edit, and what others do to the element is drawn.

import { flushSync } from "react-dom";
import { askAbout } from "../io/document_requests";
import { wordsOf } from "../io/error_text";
import { sentId } from "../io/form_reader";
import type { FieldError, Fields } from "../io/server";
import { change, idOfName } from "../model/commands";
import type { Element, Key, WorkflowNode } from "../model/document";
import { asFirst, find, same } from "../model/document";
import { type ElementKind, elementOf, isPlainName, looksSame, renamedTo, type Value } from "../model/form_edits";
import { formName, type Typed } from "../store";
import { t } from "../texts";
import { nameOfForm, titleOf } from "../model/element_names";
import { AGAIN_MS, arranged, isAway } from "./arranged_form";
import { chooseFound, NAME_FIELD, undoLast } from "./actions";
import type { Desk } from "./context";
import { drawnOf, focusChosen, focusDrawn, keepOnCanvas } from "./element_focus";
import { showErrors } from "./form_errors";
import { elementFrom, fieldsOf, type FocusedField, PanelForm } from "./panel_form";
import { showWarnings } from "./form_warnings";
import { untilNothingIsUnderWay } from "./gestures";

const PAUSE_MS = 250;
// A form is here in a fraction of this, unless the connection is bad.
const SLOW_MS = 600;
const ID_FIELD = "node-id";
const NO_ERRORS: readonly FieldError[] = [];

let sessions = 0;

/** One opened form: it outlives a change of the element's id. */
export class FormSession {
  private running = new AbortController();
  private closed = false;
  private readonly page: PanelForm;
  private redrawing: ReturnType<typeof setTimeout> | undefined;
  private readonly away = new AbortController();
  private readonly number = ++sessions;
  /** How often a field was left: what is typed into it after that is another step. */
  private visits = 0;
  private hearing: () => void;
  /** The element that the form shows: as it was drawn, or as it was read since. */
  private shown: Value | undefined;
  /** A button of a list was pressed, and the form with a row more, less or elsewhere is not here yet. */
  private arranging = false;
  /** Fields that were typed into or left: an empty one is wrong only then. */
  private readonly touched = new Set<string>();
  /** What was wrong when the form was read last. */
  private errors: readonly FieldError[] = [];
  /** What stood in the form when it went. */
  private last: Fields | null = null;

  constructor(
    private readonly desk: Pick<Desk, "store" | "server" | "reader" | "setup">,
    holder: HTMLElement,
    private readonly kind: ElementKind,
    public key: Key,
    private readonly fail: (words: string) => void,
  ) {
    const { signal } = this.away;
    this.page = new PanelForm(holder);
    this.page.onTyping((name) => this.typing(name), signal);
    this.page.onLeaving((name) => this.left(name), signal);
    this.page.on("submit", (event) => this.submitted(event), signal);
    this.page.on("keydown", (event) => this.pressed(event), signal);
    this.page.on("click", (event) => this.clicked(event), signal);
    this.page.hearComposing(signal);
    this.hearing = this.hear();
    const unsubscribe = desk.store.subscribe((now, before) => {
      const id = now.reissued === before.reissued ? undefined : now.reissued[this.name];
      if (id !== undefined) this.reissued(id);
    });
    signal.addEventListener("abort", unsubscribe);
    this.beginName();
  }

  get isShown(): boolean {
    return this.page.form !== null && !this.page.isNameAlone;
  }

  /** What is typed right after a node was added is its name, also before its form is here. */
  private beginName(): void {
    const { unnamed, wanted, set } = this.desk.store.getState();
    const { element } = this;
    if (this.kind !== "node" || wanted !== NAME_FIELD || !unnamed.includes(this.key) || element === undefined) return;
    this.page.drawName((element as WorkflowNode).name ?? "");
    set({ wanted: "" });
  }

  /** The form goes; what was typed into it stays in the store and is read from there. */
  close(): void {
    this.closed = true;
    this.page.rest();
    this.last = this.page.fields();
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
    const slow = setTimeout(() => this.drawHead(t("Loading…")), SLOW_MS);
    const html = await this.asked((signal) => this.panel(kept?.fields ?? null, signal, about)).finally(() => clearTimeout(slow));
    if (this.page.isNameAlone) await this.page.composed();
    if (html === null || this.closed || this.arranging) return;
    // What was typed meanwhile stands, and is drawn again when it is read. Where nothing stands yet,
    // it was typed before, and is read by now.
    if (this.typedNow() !== kept) return this.isShown ? undefined : this.open();
    const focused = this.wanted() ?? this.page.focused();
    const name = this.page.isNameAlone ? this.page.textOf(NAME_FIELD) : null;
    this.page.draw(elementFrom(html));
    this.errors = [];
    this.shown = name === null ? showing : this.withName(showing, name);
    this.warn();
    this.focus(focused);
    if (name !== null && this.shown !== undefined && !isPlainName(name)) this.keep(this.page.fields(), this.shown, NAME_FIELD);
    this.follow(this.element);
  }

  /** Below a selected element there is never the form of another one. */
  private drawHead(words: string): void {
    const { element } = this;
    if (this.closed || this.shown !== undefined || this.page.isNameAlone || element === undefined) return;
    const isElement = this.kind === "node" || this.kind === "edge";
    this.page.drawHead(isElement ? nameOfForm(this.desk.store.getState().document, this.kind, element) : "", words);
  }

  /** The form as it came, with the name that was typed since it was asked for, and the id that follows it. */
  private withName(asked: Value | undefined, text: string): Value | undefined {
    const node = this.element as WorkflowNode | undefined;
    if (asked === undefined || node === undefined) return asked;
    this.page.rename(node.id);
    this.page.fill(ID_FIELD, node.id);
    this.page.fill(NAME_FIELD, text);
    this.page.entitle(titleOf(node));
    const { name: _, ...rest } = asked as WorkflowNode;
    return { ...rest, id: node.id, ...(node.name !== undefined && { name: node.name }) };
  }

  /** The first name of a node needs nobody who reads it, and is one step whatever is done next. */
  private takeName(): void {
    const name = this.page.textOf(NAME_FIELD).trim();
    const { key } = this;
    // What is wrong with a name is said at its field when its form is read.
    if (!isPlainName(name)) return;
    if (name !== ((this.element as WorkflowNode | undefined)?.name ?? "")) {
      this.desk.store.getState().edit({ kind: "change", nodes: [{ key, fields: { name: name || null } }], edges: [] }, t("Edit {what}", { what: titleOf({ id: key, name }) }), this.touch(NAME_FIELD));
    }
    this.page.entitle(titleOf({ id: key, name }));
    if (this.shown !== undefined) this.shown = renamedTo(this.shown as WorkflowNode, name);
  }

  /** Say the warnings of the element at its fields; errors are said when the form is read. */
  warn(): void {
    const { document, words } = this.desk.store.getState();
    const { kind, key } = this;
    const { form } = this.page;
    if (!form || !this.isShown || this.closed || (kind !== "node" && kind !== "edge")) return;
    const id = find<Element>(kind === "node" ? document.nodes : document.edges, key)?.id;
    const warnings = (words?.problems ?? []).filter((problem) => problem.severity === "warning" && id !== undefined && problem[kind] === id);
    showWarnings(form, warnings, this.desk.setup.urls.icons);
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

  private get element(): Value | undefined {
    return elementOf(this.desk.store.getState().document, this.kind, this.key);
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
        this.errors = errors;
        if (this.page.form && this.isShown) showErrors(this.page.form, errors, this.touched);
        if (said === null) return;
        this.renamed(key);
        if (this.kind === "node") this.page.entitle(titleOf(said as WorkflowNode));
        this.follow(this.element);
      },
      failed: (words) => !this.closed && this.fail(words),
    });
  }

  private renamed(key: Key): void {
    if (key === this.key) return;
    this.key = key;
    this.hearing();
    this.hearing = this.hear();
    this.page.rename(key);
  }

  /** Someone else's new element has the id that this one had. */
  private reissued(id: Key): void {
    const isAtCard = document.activeElement?.getAttribute("data-id") === this.key;
    if (this.shown !== undefined) this.shown = { ...(this.shown as Element), id };
    this.renamed(id);
    this.page.fill(ID_FIELD, id);
    if (isAtCard) focusChosen(this.desk.store); // the card with the former id is someone else's
    void this.open();
  }

  private typing(name: string): void {
    this.touched.add(name);
    if (this.page.isNameAlone || this.isFirstName(name)) this.takeName();
    if (this.shown !== undefined && !this.page.isNameAlone) this.keep(this.page.fields(), this.shown, name);
  }

  private left(name: string | undefined): void {
    if (name) this.touched.add(name);
    this.desk.store.getState().settle();
    if (this.isFirstName(name)) void this.nameFirst();
    else this.visits += 1;
  }

  /** Whether a field is the name of a node that was just added. */
  private isFirstName(name: string | undefined): boolean {
    return name === NAME_FIELD && this.kind === "node" && this.desk.store.getState().unnamed.includes(this.key);
  }

  /** A field in which nothing was typed has nothing to undo: Ctrl-Z is that of the canvas. */
  private pressed(event: KeyboardEvent): void {
    const { target } = event;
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z";
    if (!isUndo || !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) || target.value !== target.defaultValue) return;
    event.preventDefault();
    event.stopPropagation();
    undoLast(this.desk.store);
    keepOnCanvas();
  }

  private touch(field: string): string {
    return `form ${this.number} ${field} ${this.visits}`;
  }

  private keep(fields: Fields, shown: Value, field: string): void {
    if (!fields.length) return;
    const before = this.typedNow();
    // A field that is left says again what it said while one typed.
    if (before && same(before.fields, fields)) return;
    // A first name is in the document already.
    const base = before && this.isFirstName(field) ? renamedTo(before.base as WorkflowNode, (shown as WorkflowNode).name) : (before?.base ?? shown);
    this.desk.store.getState().keepTyped(this.name, {
      kind: this.kind,
      key: this.key,
      fields,
      base,
      over: this.element,
      touch: this.touch(field),
      errors: before?.errors ?? NO_ERRORS,
      isRead: false,
    });
  }

  /** The id of a node that was just added is made of its first name, also when one goes on elsewhere at once. */
  private async nameFirst(): Promise<void> {
    await this.desk.reader.finish();
    await untilNothingIsUnderWay();
    const { document, chosen, amend, choose, set, unnamed, typed } = this.desk.store.getState();
    const { key } = this;
    const node = find(document.nodes, key);
    const id = node && idOfName(document, node);
    if (typed[this.name] || !node || !id || !unnamed.includes(key)) return;
    const isOnCard = drawnOf({ kind: "node", key }) === globalThis.document.activeElement;
    // The card of another id is another element: a key that is pressed next finds it drawn, with the focus.
    flushSync(() => {
      set({ unnamed: unnamed.filter((each) => each !== key) });
      // One step with the name, also where another was taken meanwhile.
      amend(change(document, "node", key, { ...node, id }), t("Name {id}", { id }), this.touch(NAME_FIELD));
      if (!this.closed) {
        if (this.shown !== undefined) this.shown = { ...node, id };
        this.renamed(id);
      }
      if (chosen.nodes.includes(key)) choose({ nodes: chosen.nodes.map((each) => (each === key ? id : each)), edges: chosen.edges });
    });
    if (isOnCard) focusDrawn({ kind: "node", key: id });
    if (!this.closed) this.page.fill(ID_FIELD, id);
  }

  /** A row more, less or elsewhere. It is completed also where another element is selected meanwhile. */
  private async arrange({ name, value }: HTMLButtonElement): Promise<void> {
    if (this.arranging || this.shown === undefined) return;
    this.arranging = true;
    const made = await arranged([name, value], {
      now: () => this.last ?? this.page.fields(),
      ask: (fields) => this.panel(fields, new AbortController().signal),
      tell: (words) => !this.closed && this.fail(words),
    });
    this.arranging = false;
    const form = made?.querySelector("form");
    if (this.closed) this.hearing();
    else if (made) {
      this.page.draw(made);
      this.warn();
      this.page.focusFirst();
    }
    const element = this.element;
    if (form && element !== undefined) this.keep(fieldsOf(form), this.shown, "rows");
    if (!this.closed) this.follow(element);
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
      this.drawHead("");
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
    if (this.shown === undefined || !this.isShown || this.closed) return;
    const wanted = this.wanted();
    // Who is led to an empty field reads there what is wrong with it.
    if (wanted && this.errors.some(({ field }) => field === wanted.name) && !this.touched.has(wanted.name)) {
      this.touched.add(wanted.name);
      if (this.page.form) showErrors(this.page.form, this.errors, this.touched);
    }
    this.focus(wanted);
  }

  /** The field to which a problem led here. */
  private wanted(): FocusedField | null {
    const name = this.desk.store.getState().wanted;
    if (name) this.desk.store.getState().set({ wanted: "" });
    return name ? { name, at: null } : null;
  }

  private focus(field: FocusedField | null): void {
    if (field) this.page.focus(field, this.desk.store.getState().unnamed.includes(this.key));
  }
}
