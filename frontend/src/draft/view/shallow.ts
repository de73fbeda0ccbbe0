// Short lists and objects as fields, in the place of the text area with their JSON. The text area
// stays the field of the form: what is typed here is put into its text, as someone would type it.

import { isWrong, MOST_FIELDS, shallowOf, withField, withoutField, withValues, type Field, type FieldKind } from "../model/shallow";
import { fieldOf, rowsOf } from "./rows";

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Drawn {
  readonly box: HTMLElement;
  /** The text that the fields say, or came from. */
  text: string;
}

const LONG = 80;
const SHORT = 40;
const SHORT_NAME = 16;
const KINDS = ["text", "number", "boolean", "null"] as const;
const drawn = new WeakMap<HTMLTextAreaElement, Drawn>();
const asJson = new WeakSet<HTMLTextAreaElement>(); // someone wants the text, or types in it
let isPutting = false;

/** Who types JSON keeps that field: nothing moves under the pointer when the field is left. */
export function noteTyping(target: EventTarget | null): void {
  if (target instanceof HTMLTextAreaElement && !isPutting) asJson.add(target);
}

function filled(text: string | undefined, values: { readonly [name: string]: string | number }): string {
  return (text ?? "").replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Draws the fields of each row that has some, or draws them again if its text changed elsewhere. */
export function drawShallow(form: HTMLFormElement): void {
  for (const row of rowsOf(form)) {
    const area = fieldOf(row, "value");
    const kind = fieldOf(row, "kind")?.value;
    if (!(area instanceof HTMLTextAreaElement) || (kind !== "list" && kind !== "object")) continue;
    const there = drawn.get(area);
    if (there ? there.text === area.value : document.activeElement === area || asJson.has(area)) continue;
    there?.box.remove();
    drawn.delete(area);
    area.hidden = false;
    if (shallowOf(area.value) === null || area.getAttribute("aria-invalid") === "true") continue;
    draw(form, row, area);
  }
}

function button(name: string, css: string, pressed: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `btn btn-sm btn-ghost ${css}`;
  made.textContent = name;
  made.addEventListener("click", pressed);
  return made;
}

function draw(form: HTMLFormElement, row: HTMLElement, area: HTMLTextAreaElement): void {
  const words = form.dataset;
  const key = row.dataset.keyName ?? "";
  const found = shallowOf(area.value)!;
  const base = area.value;
  const box = document.createElement("div");
  box.className = found.fields.every(isShort) ? "shallow shallow-short" : "shallow";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", filled(words.fields, { key }));
  const state: Drawn = { box, text: base };
  const inputs: Input[] = [];

  const fields = (): Field[] => found.fields.map((field, place) => ({ ...field, text: inputs[place]?.value ?? field.text }));

  function put(text: string): void {
    area.value = text;
    isPutting = true;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    isPutting = false;
  }

  function typed(): void {
    state.text = withValues(base, fields());
    put(state.text);
  }

  /** The text as typed without what is at a place, if the rest is JSON. */
  function remove(place: number): void {
    const text = withValues(base, fields().map((field, at) => (at === place ? found.fields[at]! : field)));
    if (shallowOf(text) !== null) put(withoutField(text, place));
    focusIn(row);
  }

  function add(name: string | null, kind: FieldKind): void {
    const text = withValues(base, fields());
    if (shallowOf(text) === null) return inputs.find((input) => input.matches("[inputmode]") && Number.isNaN(Number(input.value)))?.focus();
    put(withField(text, { name, kind, text: { text: "", number: "0", boolean: "false", null: "null", json: "{}" }[kind] }));
    focusIn(row);
  }

  found.fields.forEach((field, place) => {
    const label = filled(field.name === null ? words.item : words.field, { key, name: field.name ?? "", n: place + 1 });
    const name = document.createElement("span");
    name.className = "shallow-name";
    name.translate = false;
    name.setAttribute("aria-hidden", "true");
    name.textContent = field.name ?? String(place + 1);
    const input = inputOf(field);
    input.setAttribute("aria-label", label);
    if (input instanceof HTMLSelectElement) input.disabled = area.readOnly;
    else input.readOnly ||= area.readOnly;
    input.addEventListener("input", (event) => {
      event.stopPropagation(); // the text area says it
      mark(input, isWrong({ ...field, text: input.value }), words.notANumber ?? "");
      typed();
    });
    inputs.push(input);
    const gone = button("\u00d7", "", () => remove(place));
    gone.setAttribute("aria-label", filled(words.removeField, { name: label }));
    box.append(name, input, gone);
  });
  box.append(adder());
  area.before(box);
  area.hidden = true;
  drawn.set(area, state);

  function adder(): HTMLElement {
    const line = document.createElement("div");
    line.className = "shallow-add";
    const kind = document.createElement("select");
    kind.className = "form-select form-select-sm";
    kind.setAttribute("aria-label", filled(found.isList ? words.addItem : words.addField, {}));
    for (const each of KINDS) kind.add(new Option(kindWord(form, each), each));
    const name = document.createElement("input");
    name.className = "form-control form-control-sm";
    name.placeholder = words.fieldName ?? "";
    name.setAttribute("aria-label", `${key}: ${words.fieldName}`);
    for (const each of [kind, name]) each.addEventListener("input", (event) => event.stopPropagation());
    const adds = button(filled(found.isList ? words.addItem : words.addField, {}), "", () => {
      const taken = found.fields.some((field) => field.name === name.value);
      if (!found.isList && (!name.value || taken)) return name.focus();
      add(found.isList ? null : name.value, kind.value as FieldKind);
    });
    if (found.fields.length < MOST_FIELDS) line.append(...(found.isList ? [] : [name]), kind, adds);
    line.append(button(words.asJson ?? "", "shallow-json", () => showJson(form, row, area)));
    return line;
  }
}

/** Two of these stand in a line where there is room. */
function isShort({ name, kind, text }: Field): boolean {
  return kind !== "json" && text.length <= SHORT && (name ?? "").length <= SHORT_NAME && !text.includes("\n");
}

/** Marks a field whose value is not of its kind, with the reason after it. */
function mark(input: Input, wrong: boolean, reason: string): void {
  input.classList.toggle("is-invalid", wrong);
  input.setAttribute("aria-invalid", String(wrong));
  input.title = wrong ? reason : "";
  if (wrong) input.setAttribute("aria-description", reason);
  else input.removeAttribute("aria-description");
}

/** What is added or removed is drawn by now; the focus goes to the last field. */
function focusIn(row: HTMLElement): void {
  [...row.querySelectorAll<HTMLElement>(".shallow > :is(input, select, textarea)")].at(-1)?.focus();
}

function inputOf({ kind, text }: Field): Input {
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

/** The word for a type, as the form's own choices say it. */
function kindWord(form: HTMLFormElement, kind: FieldKind): string {
  return form.querySelector<HTMLOptionElement>(`select[data-kind] option[value="${kind}"]`)?.text ?? kind;
}

function showJson(form: HTMLFormElement, row: HTMLElement, area: HTMLTextAreaElement): void {
  drawn.get(area)?.box.remove();
  drawn.delete(area);
  asJson.add(area);
  area.hidden = false;
  const back = button(form.dataset.asForm ?? "", "shallow-back", () => {
    if (shallowOf(area.value) === null) return area.focus();
    asJson.delete(area);
    back.remove();
    drawShallow(form);
    focusIn(row);
  });
  area.after(back);
  area.focus();
}
