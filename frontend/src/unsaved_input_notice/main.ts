// What is typed into the forms of a page that is fetched again stays in them. If a form is gone by
// then, or is one of another execution, it stays in a note until the reader closes that.

import { fateOf, reasonOf, toldOf, type Typed } from "./model";

const FIELDS = "#page-content :is(textarea, input:not([type]), input[type=text])[id]";

type Field = HTMLInputElement | HTMLTextAreaElement;

interface Seen extends Typed {
  readonly sender: HTMLFormElement | null;
  readonly label: string;
  readonly focused: boolean;
}

const link = document.getElementById("live-link") as HTMLElement;
const texts = link.dataset;
const place = document.getElementById("live-left") as HTMLElement;
const now = (): DOMStringMap => document.getElementById("live-now")?.dataset ?? {};

let before: { readonly shown: DOMStringMap; readonly typed: readonly Seen[] } | null = null;
let count = 0;

function nameOf(form: HTMLFormElement | null): string {
  const execution = form?.elements.namedItem("execution") as HTMLInputElement | null | undefined;
  return [form?.getAttribute("action"), execution?.value].join(" ");
}

/** Also what came back with a refused decision: no fetch knows it. */
function isTyped(field: Field): boolean {
  return Boolean(field.value) && (field.matches("textarea") || field.value !== field.defaultValue);
}

function seen(field: Field): Seen {
  const { id, form, value } = field;
  const label = field.labels?.[0]?.firstChild?.textContent?.trim() ?? field.name;
  const isSent = Boolean(form?.hasAttribute("data-sending"));
  return { id, sender: form, value, label, form: nameOf(form), isSent, focused: field === document.activeElement };
}

document.addEventListener("htmx:before:swap", (event) => {
  const { sourceElement } = (event as CustomEvent<{ readonly ctx: { readonly sourceElement: Element | null } }>).detail.ctx;
  if (event.defaultPrevented || sourceElement !== link) return;
  before = { shown: { ...now() }, typed: [...document.querySelectorAll<Field>(FIELDS)].filter(isTyped).map(seen) };
});

document.addEventListener("live:fetched", () => {
  if (!before) return;
  const { typed, shown } = before;
  before = null;
  const reason = reasonOf(shown, now());
  const words = reason === "ended" ? ended(now().status) : texts[reason];
  const lost = typed.filter(isLost).map((each) => ({ ...each, isSent: Boolean(each.sender?.hasAttribute("data-sending")) }));
  const told = toldOf(lost, reason);
  if (told.now) tell(words, told.now);
  for (const each of told.later) each.sender?.addEventListener("form:stays", () => tell(words, [each]), { once: true });
});

/** Puts a text back where it belongs; true if it belongs nowhere. */
function isLost(typed: Seen): boolean {
  const field = document.getElementById(typed.id) as Field | null;
  const fate = fateOf(typed, field && { form: nameOf(field.form), value: field.value });
  if (field && fate === "fill") field.value = typed.value;
  if (field && fate === "clear") field.value = field.defaultValue;
  return fate === "clear" || fate === "lost";
}

function ended(status: string | undefined): string | undefined {
  const name = status && link.getAttribute(`data-status-${status.toLowerCase()}`);
  return name ? texts.ended?.replace("{status}", name) : texts.vanished;
}

/** Not under a pointer that is pressed; see defer_while_pointer_down. */
function tell(words: string | undefined, fields: readonly Seen[]): void {
  const then = (): void => put(words ?? "", fields);
  document.dispatchEvent(new CustomEvent("page:still", { detail: { then } }));
}

function copyOf(template: string): HTMLElement {
  return (document.getElementById(template) as HTMLTemplateElement).content.firstElementChild?.cloneNode(true) as HTMLElement;
}

function part<T extends HTMLElement>(parent: Element, selector: string): T {
  return parent.querySelector(selector) as T;
}

function put(words: string, fields: readonly Seen[]): void {
  const note = place.querySelector<HTMLElement>(".note") ?? copyOf("live-left-note");
  const sentence = part(note, ".live-left-words");
  if (sentence.textContent !== words) sentence.textContent = words;
  if (fields.length) part(note, ".live-left-stays").hidden = false;
  for (const { label, value } of fields) part(note, ".note-body").append(textOf(label, value));
  if (!note.isConnected) place.append(note);
  // Who was typing goes on in a field that takes nothing, and in no form and no key of the page.
  if (fields.some(({ focused }) => focused)) part(note, ".live-left-text:last-child textarea").focus();
}

function textOf(label: string, value: string): HTMLElement {
  const shown = copyOf("live-left-text");
  const area = part<HTMLTextAreaElement>(shown, "textarea");
  const heading = part<HTMLLabelElement>(shown, "label");
  count += 1;
  area.id = heading.htmlFor = `live-left-${count}`;
  area.value = value;
  area.setSelectionRange(0, 0); // it is shown from its beginning
  heading.textContent = (texts.typed ?? "").replace("{field}", () => label);
  part(shown, "button").dataset.copy = `#${area.id}`;
  return shown;
}
