// Short lists and objects as fields, in the place of the text area with their JSON. The text area
// stays the field of the form: what is typed here is put into its text, as someone would type it.

import {
  EMPTY, faultOf, formersOf, jsonOf, leavesOf, pathsOf, shallowOf, without, withValues,
  type Field, type FieldKind, type Group, type Path, type Shallow,
} from "../model/shallow";
import { textOf } from "./page";
import { beforeOf, fieldOf, rowsOf, shortened } from "./rows";
import { adderOf, openerOf } from "./shallow_adder";
import { button, filled, inputOf, isShort, mark, nameTag, sayWrong, type Input } from "./shallow_inputs";

interface Drawn {
  readonly box: HTMLElement;
  /** The text that the fields say, or came from. */
  text: string;
  /** Marks the fields again if the state has another value of the key by now. */
  readonly compare: () => void;
}

const drawn = new WeakMap<HTMLTextAreaElement, Drawn>();
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
  if (found !== null && (!isRefused || found.isList === (kind === "list"))) draw(form, row, area);
}

/** Someone is in it, other than because the page began there. */
function isTypedIn(area: HTMLTextAreaElement): boolean {
  return document.activeElement === area && !(area.autofocus && area.value === textOf(area));
}

function draw(form: HTMLFormElement, row: HTMLElement, area: HTMLTextAreaElement): void {
  const words = form.dataset;
  const key = row.dataset.keyName ?? "";
  const base = area.value;
  const whole = shallowOf(base)!;
  const [leaves, paths] = [leavesOf(whole), pathsOf(whole)];
  const inputs: Input[] = []; // of the leaves, in their order
  const reverts: HTMLElement[] = [];
  let compared: string | null = null;
  let formers: ReturnType<typeof formersOf> = [];
  const box = groupOf(filled(words.fields, { key }), leaves.every(isShort) ? "shallow shallow-short" : "shallow");
  const state: Drawn = { box, text: base, compare };
  const adding = { form, inputs: leaves.length, add };
  fill(box, whole, [], key);
  compare();
  sayWhatIsWrong();
  area.before(box);
  area.hidden = true;
  drawn.set(area, state);

  function typedText(isLeft: (path: Path) => boolean = () => false): string {
    return withValues(base, leaves.map((leaf, at) => (isLeft(paths[at]!) ? leaf : { ...leaf, text: inputs[at]!.value })));
  }

  function put(text: string): void {
    area.value = text;
    isPutting = true;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    isPutting = false;
  }

  /** The text as typed without what is at a path, if the rest is JSON. */
  function remove(path: Path): void {
    const text = typedText((each) => path.every((place, at) => each[at] === place));
    if (shallowOf(text) === null) return focusWrong();
    put(without(text, path));
    focusIn(row, path);
  }

  function add(path: Path, change: (text: string) => string): void {
    const text = typedText();
    if (shallowOf(text) === null) return focusWrong();
    put(change(text));
    focusIn(row, path);
  }

  /** A null that gets a value: it is typed next. */
  function become(which: number, kind: FieldKind): void {
    inputs[which]!.value = "null"; // until it is drawn again
    add(paths[which]!, (text) => withValues(text, leavesOf(shallowOf(text)!).map((leaf, at) => (at === which ? { ...leaf, kind, text: EMPTY[kind] } : leaf))));
  }

  function focusWrong(): void {
    inputs.find((input) => input.getAttribute("aria-invalid") === "true")?.focus();
  }

  function fill(box: HTMLElement, group: Shallow, path: Path, label: string): void {
    group.fields.forEach((field, place) => {
      const at = [...path, place];
      const name = filled(field.name === null ? words.item : words.field, { key: label, name: field.name ?? "", n: place + 1 });
      const gone = button("\u00d7", "", () => remove(at));
      gone.setAttribute("aria-label", filled(words.removeField, { name }));
      if (field.kind === "group") box.append(innerOf(field, at, name, gone));
      else box.append(nameTag(field.name, place), leafOf(field, at, name), toolsOf(name, gone));
    });
    const line = adderOf(adding, group, path, label);
    if (!path.length) line.append(button(words.asJson ?? "", "shallow-json", () => showJson(form, row, area)));
    box.append(line);
  }

  function innerOf(group: Group, path: Path, label: string, gone: HTMLElement): HTMLElement {
    const inner = groupOf(label, "shallow-group");
    const head = document.createElement("div");
    head.className = "shallow-head";
    head.append(nameTag(group.name, path.at(-1)!), gone);
    inner.append(head);
    fill(inner, group, path, label);
    const line = inner.lastElementChild as HTMLElement;
    line.hidden = !line.childElementCount;
    if (!line.hidden) gone.before(openerOf(adding, group, line, label));
    return inner;
  }

  function leafOf(field: Field, path: Path, label: string): Input {
    const input = inputOf(form, field);
    input.dataset.path = path.join(".");
    input.setAttribute("aria-label", label);
    if (input instanceof HTMLSelectElement) input.disabled = area.readOnly;
    else input.readOnly ||= area.readOnly;
    input.addEventListener("input", (event) => {
      event.stopPropagation(); // the text area says it
      if (field.kind === "null") return become(which, input.value as FieldKind);
      markLeaf(which);
      sayWhatIsWrong();
      state.text = typedText();
      put(state.text);
    });
    const which = inputs.push(input) - 1;
    return input;
  }

  function sayWhatIsWrong(): void {
    sayWrong(box, inputs, (key, name) => filled(words.field, { key, name }));
  }

  /** What stands behind the field that was made last. */
  function toolsOf(name: string, gone: HTMLElement): HTMLElement {
    const which = inputs.length - 1;
    const tools = document.createElement("span");
    tools.className = "shallow-tools";
    const back = button("\u21ba", "", () => revert(which));
    back.setAttribute("aria-label", filled(words.revertField, { name }));
    reverts[which] = back;
    tools.append(back, gone);
    return tools;
  }

  function revert(which: number): void {
    const [was, input] = [formers[which], inputs[which]!];
    if (!was) return;
    if (was.kind !== leaves[which]!.kind) return add(paths[which]!, (text) => withValues(text, leavesOf(shallowOf(text)!).map((leaf, at) => (at === which ? was : leaf))));
    input.value = was.text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.focus();
  }

  function compare(): void {
    const { text } = beforeOf(row);
    if (text === compared) return;
    compared = text;
    const before = shallowOf(text);
    formers = before?.isList === whole.isList ? formersOf(whole, before) : [];
    inputs.forEach((_, which) => markLeaf(which));
  }

  function markLeaf(which: number): void {
    const [leaf, was] = [{ ...leaves[which]!, text: inputs[which]!.value }, formers[which]];
    const fault = faultOf(leaf);
    const isNew = was === null;
    const changed = isNew || (was !== undefined && (was.kind !== leaf.kind || jsonOf(was) !== jsonOf(leaf)));
    reverts[which]!.hidden = !changed || isNew || area!.readOnly;
    const said = changed && was ? (row.querySelector<HTMLElement>(".edit-key-tools")?.dataset.before ?? "") : "";
    mark(inputs[which]!, fault !== "", changed, fault ? (words[fault] ?? "") : said.replace("{value}", () => shortened(was!.text)));
  }
}

function groupOf(label: string, css: string): HTMLElement {
  const box = document.createElement("div");
  box.className = css;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  return box;
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
