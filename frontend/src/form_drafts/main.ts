// Keeps what was typed while the server asks to sign in or finds the form out of date. In this
// tab only, until the next page that is no such question, and for the same person.
//
// `data-draft` on a form fills the same form in again; `data-draft="step=review"` sends what was
// typed again with this in place of the button, which must be one that changes nothing. A button
// with a `data-draft` of its own is sent again with that. The form of a sheet is opened again by the
// page's selection, whose `data-act` is where it is sent.

import * as tab from "../draft/io/tab";
import { type Draft, type Fields, filledIn, readDraft, sentAgain, useOf } from "./model";

const PREFIX = "draft:";
const TOKEN = "csrfmiddlewaretoken";
const person = document.body.dataset.person;

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function pathOf(form: HTMLFormElement): string {
  return new URL(form.getAttribute("action") || "", location.href).pathname;
}

function isSecret(form: HTMLFormElement, name: string): boolean {
  const field = form.elements.namedItem(name) as Partial<Field> | null;
  return name === TOKEN || field?.type === "password" || field?.type === "file";
}

function keep(form: HTMLFormElement | null | undefined, button?: HTMLElement | null): void {
  if (!form?.matches?.("form[data-draft]") || !person) return;
  const fields = [...new FormData(form)].flatMap(([name, value]): Fields => (isSecret(form, name) ? [] : [[name, String(value)]]));
  write(pathOf(form), { person, waits: false, again: button?.dataset.draft ?? form.dataset.draft ?? "", fields });
}

function write(path: string, draft: Draft): void {
  try {
    sessionStorage.setItem(PREFIX + path, JSON.stringify(draft));
  } catch {
    // A browser that keeps nothing, or a form that is too large: it is lost as it was before.
  }
}

/** Every draft that is kept, taken out of the store. */
function takeAll(): Map<string, Draft> {
  const found = new Map<string, Draft>();
  try {
    for (const key of Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX))) {
      const draft = readDraft(sessionStorage.getItem(key));
      sessionStorage.removeItem(key);
      if (draft) found.set(key.slice(PREFIX.length), draft);
    }
  } catch {
    found.clear();
  }
  return found;
}

function markAll(): void {
  for (const [path, draft] of takeAll()) write(path, { ...draft, waits: true });
}

function fill(form: HTMLFormElement, fields: Fields): void {
  for (const field of form.elements as Iterable<Element> as Iterable<Field>) {
    const back = filledIn({ name: field.name ?? "", type: field.type ?? "", value: field.value ?? "" }, fields);
    if (!back) continue;
    if (back.checked !== undefined) (field as HTMLInputElement).checked = back.checked;
    if (back.value !== undefined) field.value = back.value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const text = document.getElementById("shell-texts")?.dataset.draftBack;
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
}

/** The scripts of the page that open the form run after this one. */
function openAgain(fields: Fields): void {
  const detail = { fields, fill: (form: HTMLFormElement) => fill(form, fields) };
  document.addEventListener("DOMContentLoaded", () => document.dispatchEvent(new CustomEvent("draft:open", { detail })));
}

function sendAgain(path: string, draft: Draft): void {
  const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content;
  if (!token) return;
  const form = document.createElement("form");
  form.method = "post";
  form.action = path;
  form.hidden = true;
  for (const [name, value] of sentAgain(draft, [TOKEN, token])) {
    const field = document.createElement("textarea"); // an input would lose the line breaks
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

function bringBack(): void {
  for (const [path, draft] of takeAll()) {
    const form = [...document.querySelectorAll<HTMLFormElement>("form[data-draft]")].find((each) => pathOf(each) === path);
    const opensForm = document.getElementById("selection")?.dataset.act === path;
    const use = useOf(draft, path, { person: person ?? "", path: location.pathname, hasForm: form !== undefined, opensForm });
    if (use === "send") sendAgain(path, draft);
    else if (use === "fill" && form) fill(form, draft.fields);
    else if (use === "open") openAgain(draft.fields);
  }
}

document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) keep(event.target as HTMLFormElement, event.submitter);
});

interface Swapped {
  readonly ctx: { readonly sourceElement: { readonly form?: HTMLFormElement } | null; readonly response?: { readonly raw?: Response } };
}

// A row button sends its form by htmx; shell.js loads the page again if the answer is the sign-in.
document.addEventListener("htmx:before:swap", (event) => {
  const { sourceElement, response } = (event as CustomEvent<Swapped>).detail.ctx;
  const answer = response?.raw;
  const signIn = document.body.dataset.signIn;
  if (answer?.redirected && new URL(answer.url).pathname === signIn) keep(sourceElement?.form);
});

if (document.body.hasAttribute("data-keeps-drafts")) markAll();
else {
  bringBack();
  const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content;
  if (person && token && !document.querySelector("form[data-draft-url]")) void tab.sendAll(person, token);
}
