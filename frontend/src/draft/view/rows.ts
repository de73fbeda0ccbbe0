// The rows of the form of a state: read as values, and replaced by those of another page of the
// server.

import { shown } from "../../state/model/hidden";
import type { Value, Values } from "../model/content";
import { faultOf } from "../model/shallow";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const LONGEST_TITLE = 200;
const PLACE = /-([0-9]+)(?=$|-error$)/;

export function rowsOf(parent: Element): HTMLElement[] {
  return [...parent.querySelectorAll<HTMLElement>(":scope > .edit-key")];
}

export function fieldOf(row: Element, name: string): Field | null {
  return row.querySelector<Field>(`[name^="${name}-"]`);
}

/** What stands in a field, or stood there when the page came. */
function valueOf(field: Field | null, asItCame: boolean): string {
  if (field === null) return "";
  if (!asItCame) return field.value;
  if (field instanceof HTMLSelectElement) {
    return ([...field.options].find((each) => each.defaultSelected) ?? field.options[0])?.value ?? "";
  }
  return field.defaultValue.replace(/\r\n?/g, "\n");
}

function isGone(row: Element, asItCame: boolean): boolean {
  const box = row.querySelector<HTMLInputElement>('[name^="gone-"]');
  return box !== null && (asItCame ? box.defaultChecked : box.checked);
}

function rowValue(row: Element, asItCame = false): Value {
  const read = (name: string): string => valueOf(fieldOf(row, name), asItCame);
  return { kind: read("kind") || "text", text: read("value"), gone: isGone(row, asItCame) };
}

/** Every row that says something, by its place; see rows_in in state_form.py. */
export function valuesOf(form: Element, asItCame = false): Values {
  const found = new Map<string, Value>();
  const count = new Map<string, number>();
  for (const row of rowsOf(form)) {
    const isOld = fieldOf(row, "old") !== null;
    const isOffered = fieldOf(row, "offered") !== null;
    const sent = valueOf(fieldOf(row, "name"), asItCame);
    const name = isOld || isOffered ? decodeURIComponent(sent) : sent;
    const value = rowValue(row, asItCame);
    if (!isOld && !value.text.trim() && (isOffered || !name)) continue;
    const which = isOld ? 0 : (count.get(name) ?? 0) + 1;
    if (which) count.set(name, which);
    found.set(`${which}:${name}`, value);
  }
  return found;
}

function keyOf(row: HTMLElement): string {
  return row.dataset.keyName === undefined ? `new ${fieldOf(row, "name")?.value}` : `old ${row.dataset.keyName}`;
}

function shows(row: HTMLElement, asItCame: boolean): string {
  const meta = row.querySelector(".state-key-meta")?.textContent ?? "";
  const section = row.querySelector(".edit-section")?.textContent ?? "";
  return JSON.stringify([rowValue(row, asItCame), meta, section, row.querySelector(".field-errors:not([data-wrong-number])") !== null]);
}

/** The rows of a form are counted: `name-3` and `value-3` are of one row. */
function number(row: HTMLElement, place: number): void {
  for (const part of row.querySelectorAll("[name], [id], [for], [aria-describedby]")) {
    for (const name of ["name", "id", "for", "aria-describedby"]) {
      const text = part.getAttribute(name);
      if (text !== null) part.setAttribute(name, text.replace(PLACE, `-${place}`));
    }
  }
}

/** A row of another page, which does not take the focus. */
function imported(row: HTMLElement): HTMLElement {
  const made = document.importNode(row, true);
  made.querySelector<HTMLElement>("[autofocus]")?.removeAttribute("autofocus");
  return made;
}

/** What others applied to the key is said in its row, beside the field in which someone may be typing. */
function putTheirs(row: HTMLElement, fresh: HTMLElement): void {
  const [old, now] = [row, fresh].map((each) => each.querySelector(":scope > .edit-key-theirs"));
  if (old && now && old.isEqualNode(now)) return;
  old?.remove();
  const above = row.querySelector(":scope > .field-errors") ?? row.querySelector(":scope > .edit-value");
  if (now) above?.after(document.importNode(now, true));
}

/** Put in the rows of another page; a row that shows the same stays, with the focus that may be in it. */
export function replaceRows(form: HTMLFormElement, fresh: Element): void {
  const there = new Map(rowsOf(form).map((row) => [keyOf(row), row]));
  const active = document.activeElement;
  const focused = active?.closest<HTMLElement>(".edit-key") ?? null;
  const focusedKey = focused !== null && form.contains(focused) ? keyOf(focused) : null;
  const focusedName = active?.getAttribute("name")?.replace(PLACE, "");
  const wanted = rowsOf(fresh).map((row) => {
    const mine = there.get(keyOf(row));
    there.delete(keyOf(row)); // two empty rows have one name
    if (mine === undefined || shows(mine, false) !== shows(row, true)) return imported(row);
    befores.set(mine, beforeOf(row));
    putTheirs(mine, row);
    return mine;
  });
  for (const row of rowsOf(form)) if (!wanted.includes(row)) row.remove();
  let next: Element | null = rowsOf(form)[0] ?? form.querySelector(":scope > .card-footer"); // what stays is not moved
  wanted.forEach((row, place) => {
    number(row, place);
    if (row === next) next = row.nextElementSibling;
    else form.insertBefore(row, next);
  });
  if (focusedKey === null || (focused !== null && wanted.includes(focused))) return;
  const row = wanted.find((each) => keyOf(each) === focusedKey);
  row?.querySelector<HTMLElement>(`[name^="${focusedName}-"]`)?.focus();
}

// --- Changed rows ------------------------------------------------------------------------------------

const befores = new WeakMap<HTMLElement, Value>(); // a field that is replaced forgets how it came

/** The value of the state, which the server says of a row that it shows changed. */
export function beforeOf(row: HTMLElement): Value {
  const { beforeKind: kind, beforeText: text } = row.dataset;
  const before = befores.get(row) ?? (kind === undefined ? rowValue(row, true) : { kind, text: text ?? "", gone: false });
  befores.set(row, before);
  return before;
}

function isChanged(row: HTMLElement): boolean {
  const [before, now] = [beforeOf(row), rowValue(row)];
  return before.kind !== now.kind || before.text !== now.text || now.gone;
}

/** A number that is none is marked while it is typed; what the server said of it goes once it is one. */
function markNumber(row: HTMLElement, words: DOMStringMap): void {
  const field = fieldOf(row, "value");
  if (field === null) return;
  const said = row.querySelector<HTMLElement>("[data-value] + [data-wrong-number]"); // those of a list or object are in its fields
  const isNumber = field instanceof HTMLInputElement && fieldOf(row, "kind")?.value === "number";
  const fault = isNumber && field.value.trim() !== "" ? faultOf({ name: null, kind: "number", text: field.value }) : "";
  const reason = words[fault] ?? "";
  if (!fault) {
    if (!said) return;
    said.remove();
    field.classList.remove("is-invalid");
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  } else if (said) {
    said.firstElementChild!.textContent = reason;
  } else {
    const known = row.querySelector<HTMLElement>(".field-errors");
    if (known) known.dataset.wrongNumber = "";
    if (known) return; // what the server said
    const list = document.createElement("ul");
    list.className = "field-errors";
    list.id = `${field.id}-error`;
    list.dataset.wrongNumber = "";
    list.append(Object.assign(document.createElement("li"), { textContent: reason }));
    field.closest("[data-value]")?.after(list);
    field.classList.add("is-invalid");
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", list.id);
  }
}

/** The note about characters that the field does not show is of the value that came. */
function noteHidden(row: HTMLElement): void {
  const note = row.querySelector<HTMLElement>(":scope > [data-hides]");
  if (note === null) return;
  const now = valueOf(fieldOf(row, "value"), false);
  note.hidden = now !== valueOf(fieldOf(row, "value"), true) && shown(now) === now;
}

/** A value as a tooltip says it. */
export function shortened(text: string): string {
  return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text;
}

/** Mark the rows that differ from the state, and offer to revert them; how many differ. */
export function markRows(form: HTMLElement): number {
  let count = 0;
  for (const row of rowsOf(form)) {
    const changed = isChanged(row);
    if (changed && row.dataset.keyName !== undefined) count += 1;
    markNumber(row, form.dataset);
    noteHidden(row);
    row.classList.toggle("edit-key-changed", changed);
    const tools = row.querySelector<HTMLElement>(".edit-key-tools");
    if (tools === null) continue;
    tools.hidden = !changed;
    tools.title = changed ? (tools.dataset.before ?? "").replace("{value}", () => shortened(beforeOf(row).text)) : "";
  }
  return count;
}

/** The values of the rows that differ from the state, with their names if there are several. */
export function editsOf(form: Element): string {
  const rows = rowsOf(form).filter((row) => isChanged(row));
  const texts = rows.map((row) => (isGone(row, false) ? "" : rowValue(row).text));
  if (rows.length === 1) return texts[0] ?? "";
  return rows.map((row, place) => `${row.dataset.keyName ?? fieldOf(row, "name")?.value}:\n${texts[place]}`).join("\n\n");
}

/** Open the row for a new key, unless all that there are have been opened. */
export function openNewRow(form: Element): boolean {
  const closed = form.querySelector<HTMLDetailsElement>(".edit-adds:not([open])");
  if (closed === null) return false;
  closed.open = true;
  closed.querySelector<HTMLInputElement>("[name^=name-]")?.focus();
  return true;
}

/** Have a row say again what the state says. */
export function revertRow(row: HTMLElement): void {
  const before = beforeOf(row);
  const box = row.querySelector<HTMLInputElement>('[name^="gone-"]');
  if (box !== null) box.checked = false;
  const kind = fieldOf(row, "kind");
  if (kind instanceof HTMLSelectElement && kind.value !== before.kind) {
    kind.value = before.kind;
    kind.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const field = fieldOf(row, "value");
  if (field !== null) field.value = before.text;
  field?.dispatchEvent(new Event("input", { bubbles: true }));
}
