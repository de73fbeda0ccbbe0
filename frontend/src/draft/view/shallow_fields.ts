// The fields of one short list or object: what is typed in them becomes the text that they stand for.

import {
  EMPTY, faultOf, formersOf, jsonOf, leavesOf, pathsOf, shallowOf, without, withValues,
  type Field, type FieldKind, type Group, type Path, type Shallow,
} from "../model/shallow";
import { shortened } from "./rows";
import { adderOf, openerOf, type Adding } from "./shallow_adder";
import { button, filled, inputOf, isShort, mark, nameTag, sayWrong, type Input } from "./shallow_inputs";

/** The text that fields stand for, and what they need of the row around it. */
export interface ShallowText {
  readonly form: HTMLFormElement;
  /** What the key is called. */
  readonly key: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  /** What the state has, and the words for it with `{value}` in them. */
  readonly before: () => string;
  readonly beforeWords: () => string;
  /** Takes the text as it is typed. */
  readonly put: (text: string) => void;
  /** Goes to what is at a path, in fields that may be new. */
  readonly focus: (path: Path) => void;
  readonly showJson: () => void;
}

export class ShallowFields {
  readonly box: HTMLElement;
  /** The text that the fields say, or came from. */
  text: string;
  private readonly whole: Shallow;
  private readonly leaves: readonly Field[];
  private readonly paths: readonly Path[];
  private readonly inputs: Input[] = []; // of the leaves, in their order
  private readonly reverts: HTMLElement[] = [];
  private compared: string | null = null;
  private formers: ReturnType<typeof formersOf> = [];

  /** Draws the fields of a text that has some. */
  constructor(private readonly of: ShallowText, whole: Shallow) {
    this.text = of.text;
    this.whole = whole;
    [this.leaves, this.paths] = [leavesOf(whole), pathsOf(whole)];
    const css = this.leaves.every(isShort) ? "shallow shallow-short" : "shallow";
    this.box = groupOf(filled(this.words.fields, { key: of.key }), css);
    this.fill(this.box, whole, [], of.key);
    this.compare();
    this.sayWhatIsWrong();
  }

  /** Marks the fields again if the state has another value of the key by now. */
  compare(): void {
    const text = this.of.before();
    if (text === this.compared) return;
    this.compared = text;
    const before = shallowOf(text);
    this.formers = before?.isList === this.whole.isList ? formersOf(this.whole, before) : [];
    this.inputs.forEach((_, which) => this.markLeaf(which));
  }

  private get words(): DOMStringMap {
    return this.of.form.dataset;
  }

  // --- What is drawn ---------------------------------------------------------------------------------

  private fill(box: HTMLElement, group: Shallow, path: Path, label: string): void {
    group.fields.forEach((field, place) => {
      const at = [...path, place];
      const words = field.name === null ? this.words.item : this.words.field;
      const name = filled(words, { key: label, name: field.name ?? "", n: place + 1 });
      const gone = button("\u00d7", "", () => this.remove(at));
      gone.setAttribute("aria-label", filled(this.words.removeField, { name }));
      if (field.kind === "group") box.append(this.innerOf(field, at, name, gone));
      else box.append(nameTag(field.name, place), this.leafOf(field, at, name), this.toolsOf(name, gone));
    });
    const line = adderOf(this.adding, group, path, label);
    if (!path.length) line.append(button(this.words.asJson ?? "", "shallow-json", this.of.showJson));
    box.append(line);
  }

  private innerOf(group: Group, path: Path, label: string, gone: HTMLElement): HTMLElement {
    const inner = groupOf(label, "shallow-group");
    const head = document.createElement("div");
    head.className = "shallow-head";
    head.append(nameTag(group.name, path.at(-1)!), gone);
    inner.append(head);
    this.fill(inner, group, path, label);
    const line = inner.lastElementChild as HTMLElement;
    line.hidden = !line.childElementCount;
    if (!line.hidden) gone.before(openerOf(this.adding, group, line, label));
    return inner;
  }

  private leafOf(field: Field, path: Path, label: string): Input {
    const input = inputOf(this.of.form, field);
    input.dataset.path = path.join(".");
    input.setAttribute("aria-label", label);
    if (input instanceof HTMLSelectElement) input.disabled = this.of.isReadOnly;
    else input.readOnly ||= this.of.isReadOnly;
    input.addEventListener("input", (event) => {
      event.stopPropagation(); // the text area says it
      if (field.kind === "null") return this.become(which, input.value as FieldKind);
      this.markLeaf(which);
      this.sayWhatIsWrong();
      this.text = this.typedText();
      this.of.put(this.text);
    });
    const which = this.inputs.push(input) - 1;
    return input;
  }

  /** What stands behind the field that was made last. */
  private toolsOf(name: string, gone: HTMLElement): HTMLElement {
    const which = this.inputs.length - 1;
    const tools = document.createElement("span");
    tools.className = "shallow-tools";
    const back = button("\u21ba", "", () => this.revert(which));
    back.setAttribute("aria-label", filled(this.words.revertField, { name }));
    this.reverts[which] = back;
    tools.append(back, gone);
    return tools;
  }

  private markLeaf(which: number): void {
    const [leaf, was] = [this.typedLeaf(which), this.formers[which]];
    const fault = faultOf(leaf);
    const isNew = was === null;
    const changed = isNew || (was !== undefined && (was.kind !== leaf.kind || jsonOf(was) !== jsonOf(leaf)));
    this.reverts[which]!.hidden = !changed || isNew || this.of.isReadOnly;
    const said = changed && was ? this.of.beforeWords().replace("{value}", () => shortened(was.text)) : "";
    mark(this.inputs[which]!, fault !== "", changed, fault ? (this.words[fault] ?? "") : said);
  }

  private sayWhatIsWrong(): void {
    sayWrong(this.box, this.inputs, (key, name) => filled(this.words.field, { key, name }));
  }

  // --- What is changed -------------------------------------------------------------------------------

  private typedLeaf(which: number): Field {
    return { ...this.leaves[which]!, text: this.inputs[which]!.value };
  }

  /** The text as typed; what `isLeft` says of paths stays as it came. */
  private typedText(isLeft: (path: Path) => boolean = () => false): string {
    return withValues(this.of.text, this.leaves.map((leaf, at) => (isLeft(this.paths[at]!) ? leaf : this.typedLeaf(at))));
  }

  /** The text as typed without what is at a path, if the rest is JSON. */
  private remove(path: Path): void {
    const text = this.typedText((each) => path.every((place, at) => each[at] === place));
    this.change(text, path, (typed) => without(typed, path));
  }

  private get adding(): Adding {
    return {
      form: this.of.form,
      inputs: this.leaves.length,
      add: (path, change) => this.change(this.typedText(), path, change),
    };
  }

  /** Changes more than one value of a text, after which the focus is at a path; a wrong field is shown first. */
  private change(typed: string, path: Path, change: (text: string) => string): void {
    if (shallowOf(typed) === null) return this.focusWrong();
    this.of.put(change(typed));
    this.of.focus(path);
  }

  private changeLeaf(which: number, changed: (leaf: Field) => Field): void {
    const replaced = (text: string): string =>
      withValues(text, leavesOf(shallowOf(text)!).map((leaf, at) => (at === which ? changed(leaf) : leaf)));
    this.change(this.typedText(), this.paths[which]!, replaced);
  }

  /** A null that gets a value: it is typed next. */
  private become(which: number, kind: FieldKind): void {
    this.inputs[which]!.value = "null"; // until it is drawn again
    this.changeLeaf(which, (leaf) => ({ ...leaf, kind, text: EMPTY[kind] }));
  }

  private revert(which: number): void {
    const [was, input] = [this.formers[which], this.inputs[which]!];
    if (!was) return;
    if (was.kind !== this.leaves[which]!.kind) return this.changeLeaf(which, () => was);
    input.value = was.text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.focus();
  }

  private focusWrong(): void {
    this.inputs.find((input) => input.getAttribute("aria-invalid") === "true")?.focus();
  }
}

function groupOf(label: string, css: string): HTMLElement {
  const box = document.createElement("div");
  box.className = css;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  return box;
}
