// Reads the draft from a page of the server, and puts its parts into this page.

import { contentOf } from "../model/content";
import type { Shown } from "../model/draft";
import { valuesOf } from "./rows";

export function fieldIn(form: HTMLFormElement, name: string): HTMLInputElement | null {
  return form.elements.namedItem(name) as HTMLInputElement | null;
}

/** The text of an area as it came, with the line ends of a text area. */
export function textOf(area: HTMLTextAreaElement): string {
  return area.defaultValue.replace(/\r\n?/g, "\n");
}

/** A page as it came; null if it has no form. */
export function shownIn(page: Document): Shown | null {
  const form = page.querySelector<HTMLFormElement>("#state-form");
  if (form === null) return null;
  const read = (name: string): string => fieldIn(form, name)?.value ?? "";
  const area = form.querySelector<HTMLTextAreaElement>("[data-json-editor]");
  return {
    execution: read("execution"),
    version: Number(read("version")),
    seq: Number(read("seq")),
    given: JSON.parse(read("given")) as Record<string, string>,
    typedAt: JSON.parse(form.dataset.typedAt ?? "{}") as Record<string, number>,
    mark: read("text-given"),
    content: area === null ? { values: valuesOf(form, true), text: null } : contentOf(textOf(area)),
  };
}

export function put(form: HTMLFormElement, page: Document, names: readonly string[]): void {
  const fresh = page.querySelector<HTMLFormElement>("#state-form");
  if (fresh === null) return;
  for (const name of names) {
    const [field, other] = [fieldIn(form, name), fieldIn(fresh, name)];
    if (field !== null && other !== null) field.value = other.value;
  }
}

/** Put one part of another page in the place of the same one here, or before `before`. */
export function replacePart(selector: string, page: Document, before: Element): void {
  const old = document.querySelector(selector);
  const fresh = page.querySelector(selector);
  if (fresh === null) return old?.remove();
  const part = document.importNode(fresh, true);
  if (old !== null) old.replaceWith(part);
  else before.before(part);
  window.htmx?.process(part); // its times are shown as those of the page
}
