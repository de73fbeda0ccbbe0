// Short lists and objects as fields, in the place of the text area with their JSON. The text area
// stays the field of the form: what is typed here is put into its text, as someone would type it.

import { shallowOf, type Path, type Shallow } from "../model/shallow";
import { textOf } from "./page";
import { beforeOf, fieldOf, rowsOf } from "./rows";
import { ShallowFields } from "./shallow_fields";
import { button } from "./shallow_inputs";

const drawn = new WeakMap<HTMLTextAreaElement, ShallowFields>();
const asJson = new WeakSet<HTMLTextAreaElement>(); // someone wants the text, or types in it
let isPutting = false;
let isDrawing = false;

/** Who types JSON keeps that field: nothing moves under the pointer when the field is left. */
export function noteTyping(target: EventTarget | null): void {
  if (target instanceof HTMLTextAreaElement && !isPutting) asJson.add(target);
}

/** Draws the fields of each row that has some, or draws them again if its text changed elsewhere. */
export function drawShallow(form: HTMLFormElement): void {
  if (isDrawing) return; // a field that is removed with the focus in it says first that it changed
  isDrawing = true;
  try {
    for (const row of rowsOf(form)) drawRow(form, row);
  } finally {
    isDrawing = false;
  }
}

function drawRow(form: HTMLFormElement, row: HTMLElement): void {
  const area = fieldOf(row, "value");
  const kind = fieldOf(row, "kind")?.value;
  if (!(area instanceof HTMLTextAreaElement) || (kind !== "list" && kind !== "object")) return;
  const there = drawn.get(area);
  if (there?.text === area.value) return there.compare();
  if (!there && (asJson.has(area) || isTypedIn(area))) return;
  there?.box.remove();
  drawn.delete(area);
  area.hidden = false;
  const found = shallowOf(area.value);
  const isRefused = area.getAttribute("aria-invalid") === "true";
  if (found !== null && (!isRefused || found.isList === (kind === "list"))) draw(form, row, area, found);
}

/** Someone is in it, other than because the page began there. */
function isTypedIn(area: HTMLTextAreaElement): boolean {
  return document.activeElement === area && !(area.autofocus && area.value === textOf(area));
}

function draw(form: HTMLFormElement, row: HTMLElement, area: HTMLTextAreaElement, whole: Shallow): void {
  const fields = new ShallowFields({
    form,
    key: row.dataset.keyName ?? "",
    text: area.value,
    isReadOnly: area.readOnly,
    before: () => beforeOf(row).text,
    beforeWords: () => row.querySelector<HTMLElement>(".edit-key-tools")?.dataset.before ?? "",
    put: (text) => put(area, text),
    focus: (path) => focusIn(row, path),
    showJson: () => showJson(form, row, area),
  }, whole);
  area.before(fields.box);
  area.hidden = true;
  drawn.set(area, fields);
}

/** Has a text area say a text, as if it were typed in it. */
function put(area: HTMLTextAreaElement, text: string): void {
  area.value = text;
  isPutting = true;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  isPutting = false;
}

/** Goes to the first field of a row, or the first that is wrong. */
export function focusFirst(row: HTMLElement): void {
  const wrong = wrongIn(row);
  if (wrong !== null) wrong.focus();
  else focusIn(row, [0]);
}

/** The first wrong field of a row; a new name is none yet. */
export function wrongIn(row: HTMLElement): HTMLElement | null {
  return row.querySelector('.shallow [data-path][aria-invalid="true"]:not(.shallow-add *)');
}

/** Does what may replace rows, and puts the focus and caret back into the same field of the new row. */
export function keepingField(form: HTMLFormElement, done: () => void): void {
  const field = document.activeElement;
  const label = form.contains(field) && field?.closest(".shallow") ? field.getAttribute("aria-label") : null;
  const caret = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? ([field.selectionStart, field.selectionEnd] as const) : null;
  done();
  if (label === null || form.contains(field)) return;
  drawShallow(form);
  const again = [...form.querySelectorAll<HTMLElement>(".shallow [data-path]")].find((each) => each.getAttribute("aria-label") === label);
  again?.focus();
  if (caret && (again instanceof HTMLInputElement || again instanceof HTMLTextAreaElement)) again.setSelectionRange(...caret);
}

/** What is added or removed is drawn by now: the focus goes to what is at its place, or else before it. */
function focusIn(row: HTMLElement, path: Path): void {
  const all = [...row.querySelectorAll<HTMLElement>(".shallow [data-path]")];
  const under = (at: string): HTMLElement[] => all.filter(({ dataset }) => `${dataset.path}.`.startsWith(at && `${at}.`));
  (under(path.join("."))[0] ?? under(path.slice(0, -1).join(".")).at(-1) ?? all.at(-1))?.focus();
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
    focusIn(row, [0]);
  });
  area.after(back);
  area.focus();
}
