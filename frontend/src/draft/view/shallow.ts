// Short lists and objects as fields, in the place of the text area with their JSON. The text area
// stays the field of the form: what is typed here is put into its text, as someone would type it.

import {
  EMPTY, formersOf, isWrong, itemLike, jsonOf, leavesOf, MOST_FIELDS, MOST_INPUTS, pathsOf, shallowOf, withField, withItem, without, withValues,
  type Field, type Group, type Path, type Shallow,
} from "../model/shallow";
import { beforeOf, fieldOf, rowsOf, shortened } from "./rows";
import { button, inputOf, isShort, kindWord, mark, nameTag, type Input } from "./shallow_inputs";

interface Drawn {
  readonly box: HTMLElement;
  /** The text that the fields say, or came from. */
  text: string;
  /** Marks the fields again if the state has another value of the key by now. */
  readonly compare: () => void;
}

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
    if (there?.text === area.value) there.compare();
    if (there ? there.text === area.value : document.activeElement === area || asJson.has(area)) continue;
    there?.box.remove();
    drawn.delete(area);
    area.hidden = false;
    if (shallowOf(area.value) === null || area.getAttribute("aria-invalid") === "true") continue;
    draw(form, row, area);
  }
}

function draw(form: HTMLFormElement, row: HTMLElement, area: HTMLTextAreaElement): void {
  const words = form.dataset;
  const key = row.dataset.keyName ?? "";
  const base = area.value;
  const whole = shallowOf(base)!;
  const [leaves, paths] = [leavesOf(whole), pathsOf(whole)];
  const inputs: Input[] = []; // of the leaves, in their order
  let compared: string | null = null;
  let formers: ReturnType<typeof formersOf> = [];
  const box = groupOf(filled(words.fields, { key }), leaves.every(isShort) ? "shallow shallow-short" : "shallow");
  const state: Drawn = { box, text: base, compare };
  fill(box, whole, [], key);
  compare();
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
      else box.append(nameTag(field.name, place), leafOf(field, at, name), gone);
    });
    box.append(adderOf(group, path, label));
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
    if (!line.hidden) gone.before(opener(line, addWord(group), label, !group.fields.length));
    return inner;
  }

  function leafOf(field: Field, path: Path, label: string): Input {
    const input = inputOf(field);
    input.dataset.path = path.join(".");
    input.setAttribute("aria-label", label);
    if (input instanceof HTMLSelectElement) input.disabled = area.readOnly;
    else input.readOnly ||= area.readOnly;
    input.addEventListener("input", (event) => {
      event.stopPropagation(); // the text area says it
      markLeaf(which);
      state.text = typedText();
      put(state.text);
    });
    const which = inputs.push(input) - 1;
    return input;
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
    const wrong = isWrong(leaf);
    const changed = was === null || (was !== undefined && jsonOf(was) !== jsonOf(leaf));
    const said = changed && was ? (row.querySelector<HTMLElement>(".edit-key-tools")?.dataset.before ?? "") : "";
    mark(inputs[which]!, wrong, changed, wrong ? (words.notANumber ?? "") : said.replace("{value}", () => shortened(was!.text)));
  }

  /** What adds a field or an item; for the whole also what shows the JSON. */
  function adderOf(group: Shallow, path: Path, label: string): HTMLElement {
    const line = document.createElement("div");
    line.className = "shallow-add";
    const item = itemLike(group);
    const hasRoom = group.fields.length < MOST_FIELDS && leaves.length + Math.max(item?.length ?? 1, 1) <= MOST_INPUTS;
    if (hasRoom) line.append(...(item === null ? choicesOf(group, path, label) : [itemAdder(path, group, item)]));
    if (!path.length) line.append(button(words.asJson ?? "", "shallow-json", () => showJson(form, row, area)));
    return line;
  }

  function addWord({ isList }: Shallow): string {
    return (isList ? words.addItem : words.addField) ?? "";
  }

  function itemAdder(path: Path, { fields }: Shallow, item: readonly Field[]): HTMLElement {
    return button(words.addItem ?? "", "", () => add([...path, fields.length], (text) => withItem(text, path, item)));
  }

  function choicesOf(group: Shallow, path: Path, label: string): HTMLElement[] {
    const kind = document.createElement("select");
    kind.className = "form-select form-select-sm";
    const does = addWord(group);
    kind.setAttribute("aria-label", path.length ? filled(words.field, { key: label, name: does }) : does);
    const holders = path.length ? [] : group.isList ? (["object"] as const) : (["list", "object"] as const);
    for (const each of [...KINDS, ...holders]) kind.add(new Option(kindWord(form, each), each));
    const name = document.createElement("input");
    name.className = "form-control form-control-sm";
    name.placeholder = words.fieldName ?? "";
    name.setAttribute("aria-label", `${label}: ${words.fieldName}`);
    for (const each of [kind, name]) each.addEventListener("input", (event) => event.stopPropagation());
    const adds = button(does, "", () => {
      const taken = group.fields.some((field) => field.name === name.value);
      if (!group.isList && (!name.value || taken)) return name.focus();
      const chosen = kind.value as (typeof KINDS)[number] | "list" | "object";
      const json = chosen === "list" ? "[]" : "{}";
      const made = chosen === "list" || chosen === "object" ? ({ kind: "json", text: json } as const) : { kind: chosen, text: EMPTY[chosen] };
      add([...path, group.fields.length], (text) => withField(text, path, { name: group.isList ? null : name.value, ...made }));
    });
    const all = [...(group.isList ? [] : [name]), kind, adds];
    if (!group.fields.length) all[0]!.dataset.path = [...path, 0].join("."); // an empty one has nothing else to type in
    return all;
  }
}

function groupOf(label: string, css: string): HTMLElement {
  const box = document.createElement("div");
  box.className = css;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  return box;
}

/** Inner lists and objects show what adds to them only when asked to, or when they are empty. */
function opener(line: HTMLElement, does: string, label: string, isOpen: boolean): HTMLButtonElement {
  const made = button(does, "", () => open(line.hidden !== false));
  made.setAttribute("aria-label", `${does}: ${label}`);
  const open = (isShown: boolean): void => {
    line.hidden = !isShown;
    made.setAttribute("aria-expanded", String(isShown));
    if (isShown && line.isConnected) line.querySelector<HTMLElement>("input, select")?.focus();
  };
  open(isOpen);
  return made;
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
