// The inputs of the fields of short lists and objects.

import type { Field, FieldKind } from "../model/shallow";

export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const LONG = 80;
const SHORT = 40;
const SHORT_NAME = 16;

/** What null can become, beside a list or object, which is written as JSON. */
export const KINDS = ["text", "number", "boolean", "null"] as const;

export function inputOf(form: HTMLFormElement, { kind, text }: Field): Input {
  if (kind === "boolean") return selectOf(["true", "false"].map((value) => new Option(value, value)), text);
  if (kind === "null") return selectOf([...KINDS].reverse().map((each) => new Option(each === "null" ? "null" : kindWord(form, each), each)), text);
  const isLong = kind === "text" && (text.length > LONG || text.includes("\n"));
  const isArea = isLong || kind === "json";
  const input = document.createElement(isArea ? "textarea" : "input");
  input.className = `form-control form-control-sm${kind === "text" ? "" : " font-monospace"}`;
  input.value = text;
  if (kind === "number") input.inputMode = "decimal";
  return input;
}

function selectOf(options: readonly HTMLOptionElement[], value: string): HTMLSelectElement {
  const select = document.createElement("select");
  select.className = "form-select form-select-sm";
  for (const each of options) select.add(each);
  select.value = value;
  return select;
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

/** Says below the fields of a box which of them are wrong, as a row says it of its own. */
export function sayWrong(box: HTMLElement, inputs: readonly Input[], say: (label: string, reason: string) => string): void {
  const wrong = inputs.filter((input) => input.getAttribute("aria-invalid") === "true");
  const there = box.querySelector(":scope > .field-errors");
  if (!wrong.length) return there?.remove();
  const list = there ?? Object.assign(document.createElement("ul"), { className: "field-errors" });
  list.setAttribute("data-wrong-number", "");
  list.replaceChildren(...wrong.map((input) => Object.assign(document.createElement("li"), { textContent: say(input.getAttribute("aria-label") ?? "", input.title) })));
  if (!there) box.append(list);
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

export function filled(text: string | undefined, values: { readonly [name: string]: string | number }): string {
  return (text ?? "").replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function button(name: string, css: string, pressed: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `btn btn-sm btn-ghost ${css}`;
  made.textContent = name;
  made.addEventListener("click", pressed);
  return made;
}
