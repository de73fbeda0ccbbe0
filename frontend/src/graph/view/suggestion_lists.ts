// Suggestions at the fields of a form that take names: a list at a line, buttons below a text.

import { type Named, namedBy, suggestions, withSuggestion } from "../model/suggestions";
import type { EditorStore } from "../store";
import { t } from "../texts";

const LIST = "editor-known-names";
const STRIP = "editor-suggested";
const MOST_BUTTONS = 12;

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Offer names in the fields of a form as they get the focus; gives what ends it. */
export function suggestIn(holder: HTMLElement, store: EditorStore): () => void {
  // As the workflow was when the field got the focus: half a name that is typed is none.
  let { document: begun } = store.getState();
  const offer = (field: EventTarget | null): void => {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    const named = namedBy(field.name, (name) => valueOf(field.form, name));
    if (!named) return;
    const found = suggestions(named, store.getState().known, begun);
    if (field instanceof HTMLInputElement) list(holder, field, found);
    else strip(field, named, found.map(({ value }) => value));
  };
  const here = new AbortController();
  const { signal } = here;
  const begin = ({ target }: Event): void => {
    begun = store.getState().document;
    offer(target);
  };
  holder.addEventListener("focusin", begin, { signal });
  holder.addEventListener("input", ({ target }) => offer(target), { signal });
  // Names of another conversation, while a field has the focus.
  const unsubscribe = store.subscribe(({ known }, before) => {
    if (known !== before.known && holder.contains(document.activeElement)) offer(document.activeElement);
  });
  return () => {
    here.abort();
    unsubscribe();
  };
}

function valueOf(form: HTMLFormElement | null, name: string): string {
  const field = form?.elements.namedItem(name);
  return field instanceof HTMLSelectElement || field instanceof HTMLInputElement ? field.value : "";
}

/** The list of the browser, which it shows while one types. */
function list(holder: HTMLElement, field: HTMLInputElement, found: readonly { readonly value: string; readonly label: string }[]): void {
  const made = document.createElement("datalist");
  made.id = LIST;
  made.append(...found.map(({ value, label }) => Object.assign(document.createElement("option"), { value, ...(label && { label }) })));
  const before = holder.querySelector(`#${LIST}`);
  if (before?.isEqualNode(made)) return;
  before?.remove();
  holder.append(made);
  field.setAttribute("list", LIST);
}

/** Buttons, which stay until the form is drawn again: nothing moves below the pointer when the field is left. */
function strip(field: HTMLTextAreaElement, named: Named, found: readonly string[]): void {
  const words = named === "condition" ? [] : field.value.split("\n").map((line) => line.trim());
  const offered = found.filter((value) => !words.includes(value)).slice(0, MOST_BUTTONS);
  // What is said of the field stands between.
  const before = field.parentElement?.querySelector(`:scope > .${STRIP}`);
  if (!offered.length) return before?.remove();
  const made = document.createElement("div");
  made.className = STRIP;
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", t("Names in the workflow and the previewed conversation"));
  made.append(...offered.map((value) => button(field, named, value)));
  if (before) before.replaceWith(made);
  else (field.parentElement?.querySelector(":scope > :is(.field-errors, .editor-warnings):last-of-type") ?? field).after(made);
}

function button(field: Field, named: Named, value: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn btn-sm";
  made.translate = false;
  made.textContent = value;
  // The field keeps the focus, and with it the place where one types.
  made.addEventListener("pointerdown", (event) => event.preventDefault());
  made.addEventListener("click", () => {
    const { text, at } = withSuggestion(field.value, field.selectionStart ?? field.value.length, value, named);
    field.value = text;
    field.focus();
    field.setSelectionRange(at, at);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return made;
}
