// The card of a review remembers that it was open, and the queue lets those be selected that were
// opened as they are now. A rejection asks for its reason before it is sent.

import { changesCard, type Decided, doneBy, forgotten, goneBy, openedOf, readLook, readSelection, type Look, type Opened, writeSelection } from "./model";

const PREFIX = `look:${document.body.dataset.person ?? ""}:`;

function stored(name: string): Look | null {
  try {
    return readLook(localStorage.getItem(name));
  } catch {
    return null; // a browser that keeps nothing: each review is approved on its card
  }
}

// --- The card --------------------------------------------------------------------------------------

function remember(): void {
  const card = document.querySelector<HTMLElement>("[data-look]");
  const { look: proof, seen, name } = card?.dataset ?? {};
  if (document.hidden || !proof || !seen || !name) return;
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ seen, proof, at: Date.now() } satisfies Look));
    const names = Object.keys(localStorage).filter((each) => each.startsWith("look:"));
    for (const each of forgotten(new Map(names.map((one) => [one, stored(one)])))) localStorage.removeItem(each);
  } catch {
    // As above.
  }
}

// --- A rejection asks for its reason ---------------------------------------------------------------

let asks = false;

function reasonOf(form: HTMLFormElement | null | undefined): HTMLTextAreaElement | null {
  const reason = form?.elements.namedItem("reason");
  return reason instanceof HTMLTextAreaElement ? reason : null;
}

function rejectButton(form: HTMLFormElement | null | undefined): HTMLButtonElement | null {
  return form?.querySelector<HTMLButtonElement>("[data-needs-reason]") ?? null;
}

/** The field with what it is for; beside the buttons also where those stand alone, as on a phone. */
function ask(form: HTMLFormElement, shown: boolean): void {
  asks = shown;
  form.toggleAttribute("data-asks", shown);
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("[data-needs-reason]") : null;
  const reason = reasonOf(button?.form);
  if (!button?.form || !reason || reason.value.trim()) return;
  event.preventDefault();
  reason.value = "";
  ask(button.form, true);
  reason.focus();
});

document.addEventListener("keydown", (event) => {
  const reason = event.target instanceof HTMLTextAreaElement ? event.target : null;
  const reject = rejectButton(reason?.form);
  if (!reason?.form || !reject || reason !== reasonOf(reason.form)) return;
  const does = doneBy(event, asks);
  if (does === "nothing") return;
  event.preventDefault();
  if (does === "reject") return reject.click();
  ask(reason.form, false);
  reject.focus();
});

function askAgain(): void {
  const form = rejectButton(document.querySelector<HTMLFormElement>("#decide-form"))?.form;
  if (form) ask(form, asks);
}

// --- What was decided before ------------------------------------------------------------------------

const NOTICE_STAYS_MS = 8000;

/** On a card the notice of the former decision covers a corner, until it was read. */
function takeNoticeAway(): void {
  if (!document.querySelector(".decide-paused")) return;
  for (const note of document.querySelectorAll("#messages > .note-success")) setTimeout(() => note.matches(":hover, :focus-within") || note.remove(), NOTICE_STAYS_MS);
}

/** What a person did before someone else decided is no news any more. */
function takeStaleNotesAway(): void {
  if (!document.querySelector(".decided")) return;
  for (const note of document.querySelectorAll("#messages > .note-success")) note.remove();
}

// --- The queue -------------------------------------------------------------------------------------

function barOfMany(): HTMLFormElement | null {
  return document.getElementById("approve-several") as HTMLFormElement | null;
}

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>("[data-review]")];
}

function markOpened(): void {
  const form = barOfMany();
  for (const box of boxes()) {
    const look = stored(PREFIX + box.dataset.review);
    const opened = openedOf(look, box.dataset.seen ?? "");
    box.value = look?.proof ?? "";
    mark(box, opened, form);
  }
  count();
}

function mark(box: HTMLInputElement, opened: Opened, form: HTMLFormElement | null): void {
  box.disabled = opened !== "opened";
  if (box.disabled) box.checked = false;
  const place = box.parentElement;
  if (place === null) return;
  place.dataset.opened = opened;
  place.title = form?.dataset[opened] ?? "";
  box.setAttribute("aria-description", place.title);
  sayOpened(box, opened === "unopened" ? "" : opened === "opened" ? form?.dataset.openedWord : place.title);
}

interface Frame {
  readonly id?: string;
  readonly what?: string;
  readonly who?: { readonly id: string; readonly name: string } | null;
}

/** Deselect a review that changed, also while a pointer keeps the list from being fetched again. */
function deselectChanged({ detail }: CustomEventInit<{ readonly frame: Frame }>): void {
  const { id, what, who } = detail?.frame ?? {};
  if (!id || !what || !changesCard(what)) return;
  if (checked().has(id)) deselected.set(id, titleOf(id));
  if (who && who.id !== document.body.dataset.person) decided.set(id, { what, who: who.name });
  for (const box of boxes()) if (box.checked && box.dataset.review === id) mark(box, "changed", barOfMany());
  count();
}

function sayOpened(box: HTMLInputElement, words = ""): void {
  const word = box.closest(".waiting")?.querySelector(".waiting-opened");
  if (word && word.textContent !== words) word.textContent = words;
}

/** A box that cannot be checked yet says why. */
function sayWhyNot(event: MouseEvent): void {
  const place = event.target instanceof Element ? event.target.closest<HTMLElement>(".waiting-select") : null;
  const box = place?.querySelector<HTMLInputElement>("[data-review]:disabled");
  if (box) sayOpened(box, place?.title);
}

const words = { ...barOfMany()?.dataset };
let before: ReadonlySet<string> = new Set();
/** Those that were deselected because they changed, with their titles, until the list shows what became of them. */
const deselected = new Map<string, string>();
const decided = new Map<string, Decided>();

function checked(): ReadonlySet<string> {
  return new Set(boxes().flatMap((box) => (box.checked ? [box.dataset.review ?? ""] : [])));
}

function check(ids: ReadonlySet<string>): void {
  for (const box of boxes()) box.checked = !box.disabled && ids.has(box.dataset.review ?? "");
  count();
}

function titleOf(id: string): string {
  return document.getElementById(`review-${id}`)?.querySelector(".waiting-title")?.textContent ?? id;
}

function noteChecked(): void {
  before = checked();
  for (const id of before) deselected.set(id, titleOf(id));
}

/** What is fetched again has no box checked. */
function checkAgain(): void {
  markOpened();
  check(before);
  if (!barOfMany()?.hasAttribute("data-sending")) for (const [id, title] of deselected) if (!document.getElementById(`review-${id}`)) sayGone(id, title);
  deselected.clear();
}

function sayGone(id: string, title: string): void {
  const by = decided.get(id);
  const text = words[goneBy(by)]?.replace("{title}", title).replace("{who}", by?.who ?? "");
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
}

// A claim opens the page again: what was selected and typed for *Approve selected* stays, and the place.

const SELECTION = "queue-selection";

function reasonOfMany(): HTMLInputElement | null {
  return document.getElementById("approve-reason") as HTMLInputElement | null;
}

function keepSelection({ target }: Event): void {
  if (!(target instanceof HTMLFormElement) || !target.closest(".waiting")) return;
  const selection = { ids: [...checked()], reason: reasonOfMany()?.value ?? "", scroll: scrollY };
  try {
    sessionStorage.setItem(SELECTION, writeSelection(selection, location.pathname, Date.now()));
  } catch {
    // A browser that keeps nothing begins with nothing selected.
  }
}

function selectAgain(): void {
  let kept = null;
  try {
    kept = readSelection(sessionStorage.getItem(SELECTION), location.pathname, Date.now());
    sessionStorage.removeItem(SELECTION);
  } catch {
    return;
  }
  if (!kept) return;
  const { ids, reason, scroll } = kept;
  check(new Set(ids));
  const field = reasonOfMany();
  if (field && !field.value) field.value = reason;
  addEventListener("load", () => setTimeout(() => scrollTo(0, scroll)));
}

function count(): void {
  const form = barOfMany();
  const number = boxes().filter(({ checked }) => checked).length;
  const said = form?.querySelector("[data-count]");
  if (!form || !said) return;
  form.classList.toggle("approve-bar-empty", number === 0);
  said.textContent = (number === 1 ? form.dataset.one : form.dataset.many)?.replace("{n}", String(number)) ?? "";
}

if (document.getElementById("approve-several")) {
  markOpened();
  document.addEventListener("click", sayWhyNot);
  selectAgain();
  document.addEventListener("submit", keepSelection);
  document.addEventListener("htmx:before:swap", noteChecked);
  document.addEventListener("live:changed", deselectChanged);
  document.addEventListener("live:fetched", checkAgain);
  document.addEventListener("change", (event) => event.target instanceof HTMLInputElement && event.target.matches("[data-review]") && count());
  window.addEventListener("storage", ({ key }) => key?.startsWith(PREFIX) && markOpened());
  window.addEventListener("pageshow", markOpened);
}
remember();
takeNoticeAway();
document.addEventListener("visibilitychange", remember);
document.addEventListener("live:fetched", remember);
document.addEventListener("live:fetched", askAgain);
document.addEventListener("live:fetched", takeStaleNotesAway);
