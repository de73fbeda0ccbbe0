// Shows the errors of a server's form at its fields during typing.

import type { FieldError } from "../io/server";
import { shownErrors } from "../model/shown_errors";
import { t } from "../texts";

const MARK = "data-read-error";

/** `touched` are the fields that were typed into or left. */
export function showErrors(form: HTMLFormElement, all: readonly FieldError[], touched: ReadonlySet<string>): void {
  clear(form);
  const errors = shownErrors(all, (name) => (fieldOf(form, name) as HTMLInputElement | null)?.value, touched);
  const byField = new Map<string, FieldError[]>();
  for (const error of errors) byField.set(error.field, [...(byField.get(error.field) ?? []), error]);
  for (const [name, found] of byField) {
    const field = fieldOf(form, name);
    if (field) place(field, found);
    // Above the field that one types into nothing moves.
    else if (form.contains(document.activeElement)) form.append(listOf(`${form.id}_error`, found, null));
    else form.prepend(listOf(`${form.id}_error`, found, null));
  }
}

/** Takes away all marks, those with which the server drew the form too. */
function clear(form: HTMLFormElement): void {
  for (const list of form.querySelectorAll(`[${MARK}], .field-errors, .form-errors`)) list.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    const kept = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && !id.endsWith("_error"));
    if (kept.length) field.setAttribute("aria-describedby", kept.join(" "));
    else field.removeAttribute("aria-describedby");
    field.classList.remove("is-invalid");
  }
  for (const box of form.querySelectorAll(".field-wrong")) box.classList.remove("field-wrong");
}

/** The field of a form that one sees by a name. */
export function fieldOf(form: HTMLFormElement, name: string): HTMLElement | null {
  if (!name) return null;
  const found = form.elements.namedItem(name);
  const first = found instanceof RadioNodeList ? found[0] : found;
  return first instanceof HTMLElement && first.getAttribute("type") !== "hidden" ? first : null;
}

function place(field: HTMLElement, errors: readonly FieldError[]): void {
  const id = `${field.id}_error`;
  field.setAttribute("aria-invalid", "true");
  field.classList.add("is-invalid");
  field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), id].filter(Boolean).join(" "));
  const box = field.closest(".field");
  const fold = field.closest("details");
  if (fold) fold.open = true;
  box?.classList.add("field-wrong");
  const text = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : null;
  below(field, listOf(id, errors, text));
}

/** What is said of a field stands below its help; of one with suggestions before these, or it would be out of sight. */
export function below(field: HTMLElement, list: HTMLElement): void {
  if (field instanceof HTMLTextAreaElement) field.after(list);
  else (field.closest(".field") ?? field.parentElement ?? field).append(list);
}

function listOf(id: string, errors: readonly FieldError[], text: string | null): HTMLUListElement {
  const list = document.createElement("ul");
  list.className = "field-errors";
  list.id = id;
  list.setAttribute(MARK, "");
  for (const { message, column } of errors) {
    const item = document.createElement("li");
    const said = column === undefined || message.includes(String(column)) ? message : `${message} ${t("(column {n})", { n: column })}`;
    item.append(said);
    if (column !== undefined && text) item.append(marked(text, column));
    list.append(item);
  }
  return list;
}

/** The text with the letter marked at which it goes wrong. */
function marked(text: string, column: number): HTMLElement {
  const code = document.createElement("code");
  code.className = "field-column";
  code.translate = false;
  const mark = document.createElement("mark");
  const letters = [...text];
  mark.textContent = letters[column - 1] ?? "␣";
  code.append(letters.slice(Math.max(column - 25, 0), column - 1).join(""), mark, letters.slice(column, column + 12).join(""));
  return code;
}
