// The inputs of the fields of short lists and objects.

import type { Field, FieldKind } from "../model/shallow";

export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const LONG = 80;
const SHORT = 40;
const SHORT_NAME = 16;

export function inputOf({ kind, text }: Field): Input {
  if (kind === "boolean") {
    const select = document.createElement("select");
    select.className = "form-select form-select-sm";
    for (const value of ["true", "false"]) select.add(new Option(value, value));
    select.value = text;
    return select;
  }
  const isLong = kind === "text" && (text.length > LONG || text.includes("\n"));
  const isArea = isLong || kind === "json";
  const input = document.createElement(isArea ? "textarea" : "input");
  input.className = `form-control form-control-sm${kind === "text" ? "" : " font-monospace"}`;
  input.value = text;
  if (kind === "number") input.inputMode = "decimal";
  if (kind === "null") input.readOnly = true;
  return input;
}

/** Two of these stand in a line where there is room. */
export function isShort({ name, kind, text }: Field): boolean {
  return kind !== "json" && text.length <= SHORT && (name ?? "").length <= SHORT_NAME && !text.includes("\n");
}

/** Marks a field whose value is not of its kind, or not as before, with the reason after it. */
export function mark(input: Input, wrong: boolean, changed: boolean, reason: string): void {
  input.classList.toggle("is-invalid", wrong);
  input.classList.toggle("shallow-changed", changed);
  input.setAttribute("aria-invalid", String(wrong));
  input.title = reason;
  if (reason) input.setAttribute("aria-description", reason);
  else input.removeAttribute("aria-description");
}

/** The name of a field, or the number of an item: its input or group says it with the names around. */
export function nameTag(name: string | null, place: number): HTMLElement {
  const tag = document.createElement("span");
  tag.className = "shallow-name";
  tag.translate = false;
  tag.dir = "auto"; // what is written from right to left turns nothing around it
  tag.setAttribute("aria-hidden", "true");
  tag.textContent = name ?? String(place + 1);
  return tag;
}

/** The word for a type, as the form's own choices say it. */
export function kindWord(form: HTMLFormElement, kind: FieldKind | "list" | "object"): string {
  return form.querySelector<HTMLOptionElement>(`select[data-kind] option[value="${kind}"]`)?.text ?? kind;
}

export function button(name: string, css: string, pressed: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `btn btn-sm btn-ghost ${css}`;
  made.textContent = name;
  made.addEventListener("click", pressed);
  return made;
}
