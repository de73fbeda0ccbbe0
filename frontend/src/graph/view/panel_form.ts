// The form of an element in the panel: what is typed into it, what has the focus, what is unfolded.

import type { Fields } from "../io/server";
import { movedName } from "../model/moved_rows";
import { t } from "../texts";
import { NAME_FIELD, PANEL_TITLE } from "./actions";
import { showInPanel } from "./panel_scroll";

const FOLD = "details.advanced";
const OWN_FIELDS = new Set(["kind", "id", "csrfmiddlewaretoken"]);

/** A field by its name; `at` is where one types in it and `to` where its selection ends, null if it is only to get the focus. */
export interface FocusedField {
  readonly name: string;
  readonly at: number | null;
  readonly to?: number | null;
  /** What it said, by which it is found where its row has moved. */
  readonly text?: string;
}

export class PanelForm {
  /** Meanwhile a field that goes with its form says once more what it said. */
  private drawing = false;

  private isComposing = false;

  constructor(private readonly holder: HTMLElement) {}

  /** Know whether a text is being composed, until the signal. */
  hearComposing(signal: AbortSignal): void {
    this.on("compositionstart", () => void (this.isComposing = true), signal);
    this.on("compositionend", () => void (this.isComposing = false), signal);
    signal.addEventListener("abort", () => void (this.isComposing = false));
  }

  get form(): HTMLFormElement | null {
    return this.holder.querySelector("form");
  }

  /** Hear an event of whichever form stands here, until the signal. */
  on<K extends keyof HTMLElementEventMap>(event: K, heard: (event: HTMLElementEventMap[K]) => void, signal: AbortSignal): void {
    this.holder.addEventListener(event, heard, { signal });
  }

  /** Hear the names of fields into which someone types. */
  onTyping(heard: (name: string) => void, signal: AbortSignal): void {
    const typing = ({ target }: Event): void => {
      const name = nameOf(target);
      if (name !== undefined && !this.drawing) heard(name);
    };
    this.on("input", typing, signal);
    this.on("change", typing, signal);
  }

  /** Hear the names of fields that someone leaves; one that goes with its form is not left. */
  onLeaving(heard: (name: string | undefined) => void, signal: AbortSignal): void {
    this.on("focusout", ({ target }) => void (this.drawing || heard(nameOf(target))), signal);
  }

  /** Put another form into the place of the one that is here; what was unfolded stays so. */
  draw(made: HTMLElement): void {
    const isUnfolded = this.holder.querySelector<HTMLDetailsElement>(FOLD)?.open ?? false;
    this.drawing = true;
    this.holder.replaceChildren(...made.childNodes);
    this.drawing = false;
    const fold = this.holder.querySelector<HTMLDetailsElement>(FOLD);
    if (fold && isUnfolded) fold.open = true;
    this.holder.inert = false;
    window.htmx?.process(this.holder);
  }

  /** The name of a new node alone, selected to be typed over, until its form is here. */
  drawName(name: string): void {
    const made = elementFrom('<h2 class="panel-title" tabindex="-1"></h2><form id="panel-form" class="element-form" data-name-alone novalidate><div class="fields"><label class="field"><span class="form-label"></span><input class="form-control" type="text" autocomplete="off"></label></div></form>');
    const [title, label, field] = ["h2", "span", "input"].map((each) => made.querySelector(each)) as [HTMLElement, HTMLElement, HTMLInputElement];
    title.id = PANEL_TITLE;
    title.textContent = name;
    label.textContent = t("Name");
    Object.assign(field, { name: NAME_FIELD, value: name, defaultValue: name });
    this.holder.replaceChildren(...made.childNodes);
    this.holder.inert = false;
    field.focus();
    field.select();
  }

  /** Whether the name stands here alone. */
  get isNameAlone(): boolean {
    return this.form?.dataset.nameAlone !== undefined;
  }

  /** Resolves when no text is being composed by an input method, which would lose its field. */
  async composed(): Promise<void> {
    while (this.isComposing) await new Promise((then) => this.holder.addEventListener("compositionend", then, { once: true }));
  }

  textOf(name: string): string {
    const field = this.field(name);
    return field instanceof HTMLInputElement ? field.value : "";
  }

  /** A field says something else than when the form was made, and nobody typed it into this one. */
  fill(name: string, text: string): void {
    const field = this.field(name);
    if (field instanceof HTMLInputElement) Object.assign(field, { defaultValue: text, value: text });
  }

  /** What the form is about, without a form: it is not here yet, or cannot be had. */
  drawHead(title: string, words: string): void {
    const hasFocus = this.holder.contains(document.activeElement);
    const made = elementFrom('<h2 class="panel-title" tabindex="-1"></h2><p class="text-secondary" role="status"></p>');
    const [heading, line] = ["h2", "p"].map((each) => made.querySelector(each)) as [HTMLElement, HTMLElement];
    heading.id = PANEL_TITLE;
    heading.textContent = title;
    heading.hidden = !title;
    line.textContent = words;
    this.drawing = true;
    this.holder.replaceChildren(...made.childNodes);
    this.drawing = false;
    this.holder.inert = false;
    if (hasFocus) heading.focus();
  }

  /** Nobody hears what is typed into it until the next form is here; one who is typing goes on. */
  rest(): void {
    // The name alone has no other form behind it, and would be taken for that of the next element.
    if (this.isNameAlone) this.holder.replaceChildren();
    else if (!this.holder.contains(document.activeElement)) this.holder.inert = true;
  }

  fields(): Fields {
    return fieldsOf(this.form);
  }

  field(name: string): Element | RadioNodeList | null {
    return this.form?.elements.namedItem(name) ?? null;
  }

  /** The element has another id. */
  rename(id: string): void {
    this.form?.querySelector<HTMLInputElement>('input[name="id"][type="hidden"]')?.setAttribute("value", id);
  }

  entitle(words: string): void {
    const heading = this.holder.querySelector(`#${PANEL_TITLE}`);
    if (heading) heading.textContent = words;
  }

  focused(): FocusedField | null {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement) || !this.holder.contains(active)) return null;
    const { name, value, selectionStart, selectionEnd } = active as HTMLInputElement;
    if (!name) return null;
    return typeof selectionStart === "number" ? { name, at: selectionStart, to: selectionEnd, text: value } : { name, at: null };
  }

  focusFirst(): void {
    this.holder.querySelector<HTMLElement>("[autofocus]")?.focus();
  }

  /** The name of a new node is only a beginning: it is selected. */
  focus({ name: before, at, to, text = "" }: FocusedField, isNew: boolean): void {
    const name = movedName(before, text, this.fields());
    const title = this.holder.querySelector<HTMLElement>(`#${PANEL_TITLE}`);
    const named = name === PANEL_TITLE ? null : this.field(name);
    // A problem leads to the form even where this has no field for it.
    const found = named ?? (at === null ? title : null);
    const field = found instanceof RadioNodeList ? ([...found].find((each) => each instanceof HTMLInputElement && each.checked) ?? found[0]) : found;
    if (!(field instanceof HTMLElement)) return;
    for (let fold = field.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
    // A field that another choice hides cannot have the focus.
    if (at === null && !field.checkVisibility() && title) return title.focus();
    field.focus();
    if (at === null) showInPanel(field);
    if (at !== null && "setSelectionRange" in field) (field as HTMLInputElement).setSelectionRange(at, to ?? at);
    if (at === null && name === NAME_FIELD && isNew) (field as HTMLInputElement).select();
  }
}

/** What a form says, without what it says of itself. */
export function fieldsOf(form: HTMLFormElement | null): Fields {
  if (!form) return [];
  return [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" && !OWN_FIELDS.has(name) ? [[name, value] as const] : []));
}

function nameOf(target: EventTarget | null): string | undefined {
  return (target as HTMLInputElement | null)?.name;
}

export function elementFrom(html: string): HTMLElement {
  const made = document.createElement("div");
  made.innerHTML = html;
  return made;
}
