// What adds a field to a short object, or an item to a short list.

import { EMPTY, itemLike, MOST_FIELDS, MOST_INPUTS, withField, withItem, type Path, type Shallow } from "../model/shallow";
import { button, filled, KINDS, kindWord, mark } from "./shallow_inputs";

export interface Adding {
  readonly form: HTMLFormElement;
  /** How many inputs there are in all. */
  readonly inputs: number;
  /** Changes the text, after which something is at the path. */
  readonly add: (path: Path, change: (text: string) => string) => void;
}

type Chosen = (typeof KINDS)[number] | "list" | "object";

/** The line with the controls: empty where there is no room for more. */
export function adderOf(adding: Adding, group: Shallow, path: Path, label: string): HTMLElement {
  const line = document.createElement("div");
  line.className = "shallow-add";
  const item = itemLike(group);
  if (group.fields.length >= MOST_FIELDS || adding.inputs + Math.max(item?.length ?? 1, 1) > MOST_INPUTS) return line;
  const next = [...path, group.fields.length];
  if (item === null) line.append(...choicesOf(adding, group, path, label));
  else line.append(button(wordOf(adding, group), "", () => adding.add(next, (text) => withItem(text, path, item))));
  return line;
}

/** Inner lists and objects show their line only when asked to, or when they are empty. */
export function openerOf(adding: Adding, group: Shallow, line: HTMLElement, label: string): HTMLButtonElement {
  const does = wordOf(adding, group);
  const made = button(does, "", () => open(line.hidden !== false));
  made.setAttribute("aria-label", `${does}: ${label}`);
  const open = (isShown: boolean): void => {
    line.hidden = !isShown;
    made.setAttribute("aria-expanded", String(isShown));
    if (isShown && line.isConnected) line.querySelector<HTMLElement>("input, select")?.focus();
  };
  open(!group.fields.length);
  return made;
}

function wordOf({ form }: Adding, { isList }: Shallow): string {
  return (isList ? form.dataset.addItem : form.dataset.addField) ?? "";
}

/** A name, a type, and the button that adds one with them. */
function choicesOf(adding: Adding, group: Shallow, path: Path, label: string): HTMLElement[] {
  const words = adding.form.dataset;
  const does = wordOf(adding, group);
  const kind = document.createElement("select");
  kind.className = "form-select form-select-sm";
  kind.setAttribute("aria-label", path.length ? filled(words.field, { key: label, name: does }) : does);
  const holders = path.length ? [] : group.isList ? (["object"] as const) : (["list", "object"] as const);
  for (const each of [...KINDS, ...holders]) kind.add(new Option(kindWord(adding.form, each), each));
  const name = document.createElement("input");
  name.className = "form-control form-control-sm";
  name.placeholder = words.fieldName ?? "";
  name.setAttribute("aria-label", `${label}: ${words.fieldName}`);
  const said = Object.assign(document.createElement("p"), { className: "field-errors m-0", hidden: true });
  const say = (reason: string): void => {
    mark(name, reason !== "", false, reason);
    said.textContent = reason;
    said.hidden = !reason;
  };
  for (const each of [kind, name]) each.addEventListener("input", (event) => event.stopPropagation());
  name.addEventListener("input", () => say(""));
  const add = (): void => {
    const isTaken = group.fields.some((field) => field.name === name.value);
    if (!group.isList && (!name.value || isTaken)) {
      say((name.value ? words.fieldTaken : words.fieldUnnamed) ?? "");
      return name.focus();
    }
    const field = { name: group.isList ? null : name.value, ...emptyOf(kind.value as Chosen) };
    adding.add([...path, group.fields.length], (text) => withField(text, path, field));
  };
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault(); // it would send the form
    add();
  });
  const adds = button(does, "", add);
  const all = group.isList ? [kind, adds] : [name, kind, adds, said];
  if (!group.fields.length) all[0]!.dataset.path = [...path, 0].join("."); // an empty one has nothing else to type in
  return all;
}

function emptyOf(kind: Chosen): { readonly kind: keyof typeof EMPTY; readonly text: string } {
  if (kind === "list" || kind === "object") return { kind: "json", text: kind === "list" ? "[]" : "{}" };
  return { kind, text: EMPTY[kind] };
}
