// The sheet of an action on selected messages: opened beside them, with its effect drawn in place.

import { positionsOf } from "../select/model";
import { bringBack, forget, keep } from "./kept";
import { isIn, isSame, runsOf } from "./model";

const ABOUT = ["do", "positions", "revision", "count", "pairing", "role"];
const IN_PLACE = ["hide", "keep_from", "insert", "replace", "summarize"];
const place = document.getElementById("sheet-place") as HTMLElement;
let opener: HTMLElement | null = null;
let asking = 0; // how often it was asked what another selection would do
let isBehind = false; // it does not say yet what the selection of now would do
let followed = ""; // the view for which the effect was asked for again

function sheet(): HTMLElement | null {
  return document.getElementById("sheet");
}

function coming(): HTMLElement {
  const made = document.createElement("div");
  made.className = "message message-coming";
  const text = document.createElement("div");
  text.className = "text";
  text.dir = "auto";
  made.append(text);
  return made;
}

/** The message that an inserted one would come before. */
function behind(): HTMLElement | null {
  const before = document.getElementById("sheet-effect")?.dataset.before;
  return before === undefined ? null : document.getElementById(`m${before}`);
}

let rendered: readonly HTMLElement[] = [];

/** What comes can be long: where it is drawn has its real height also out of sight, so that nothing jumps to another place. */
function renderAround(message: HTMLElement | null): void {
  for (const each of rendered) each.style.contentVisibility = "";
  rendered = [".message-section", ".message-chapter"].flatMap((name) => message?.closest<HTMLElement>(name) ?? []);
  for (const each of rendered) each.style.contentVisibility = "visible";
}

/** Strike what would go, and put what would come in its place. */
function draw(): void {
  const runs = runsOf(document.getElementById("sheet-effect")?.dataset.going ?? "");
  let first: HTMLElement | null = null;
  for (const message of document.querySelectorAll<HTMLElement>(".conversation .message[id]")) {
    const goes = isIn(runs, message.id);
    message.classList.toggle("message-going", goes);
    if (goes) first ??= message;
  }
  first ??= behind();
  const text = sheet()?.querySelector<HTMLTextAreaElement>("textarea[name=text]")?.value ?? "";
  let here = document.querySelector<HTMLElement>(".message-coming");
  if (!first || !text.trim()) here?.remove();
  else {
    here ??= coming();
    (here.firstElementChild as HTMLElement).textContent = text;
    if (here.nextElementSibling !== first) first.before(here);
  }
  renderAround(here);
  document.documentElement.classList.toggle("has-sheet", sheet() !== null);
  const advanced = sheet()?.querySelector<HTMLAnchorElement>(".sheet-advanced");
  const address = document.getElementById("sheet-effect")?.dataset.advanced;
  if (advanced && address) advanced.href = address;
  allowApply();
  offerClose();
}

/** Without its messages there is nothing left to do but close the sheet. */
function offerClose(): void {
  const isLost = document.getElementById("sheet-effect")?.dataset.lost !== undefined;
  const apply = sheet()?.querySelector<HTMLButtonElement>("button[name=apply]");
  const cancel = sheet()?.querySelector<HTMLButtonElement>(".form-buttons [data-close-sheet]");
  if (!isLost || !apply || !cancel) return;
  apply.disabled = true;
  for (const other of [apply, sheet()?.querySelector<HTMLElement>(".sheet-advanced")]) other?.setAttribute("hidden", "");
  cancel.classList.remove("btn-ghost");
  cancel.textContent = cancel.dataset.close ?? "";
}

/**
 * Nothing comes without a text. A replacement with the words that are there already, or an action that changes
 * no messages, would be a batch that changes nothing.
 */
function allowApply(): void {
  const text = sheet()?.querySelector<HTMLTextAreaElement>("textarea[name=text]");
  const apply = sheet()?.querySelector<HTMLButtonElement>("button[name=apply]");
  const why = document.getElementById("sheet-why");
  const effect = document.getElementById("sheet-effect");
  if (!apply || !why || !effect) return;
  const { needsText, changesNothing, refused } = effect.dataset;
  const isRefused = refused !== undefined; // the effect says why
  if (isRefused) why.hidden = true;
  else if (!text) why.hidden = changesNothing === undefined;
  else why.hidden = text.required ? Boolean(text.value.trim()) : needsText === undefined || text.value !== text.defaultValue;
  apply.disabled = isBehind || isRefused || !why.hidden;
}

/** How high the sheet is, for what stays beside it. */
const measured = new ResizeObserver(([entry]) => {
  document.documentElement.style.setProperty("--sheet-height", `${Math.ceil(entry?.borderBoxSize[0]?.blockSize ?? 0)}px`);
});

/** What would go is looked at beside the sheet; of all before a message, where that ends. */
function showFirst(opened: HTMLElement): void {
  const boundary = opened.dataset.do === "keep_from" ? document.querySelector(".message-chosen") : null;
  const first = boundary ?? document.querySelector(".message-going") ?? behind();
  const { top, bottom } = first?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
  const { left, top: sheetTop } = opened.getBoundingClientRect();
  const end = left > 0 ? innerHeight * 0.8 : sheetTop;
  if (first && (top < 0 || bottom > end)) first.scrollIntoView({ block: bottom - top > end / 2 ? "start" : "center" });
}

function formOf(): HTMLFormElement | null {
  return sheet()?.querySelector("form") ?? null;
}

/** The view that something is about: its revision, and how many messages it had. */
function viewOf(form: HTMLFormElement | null): string {
  const sent = form ? new FormData(form) : null;
  return `${String(sent?.get("revision"))} ${String(sent?.get("count"))}`;
}

/** Ask what the action would do now; what is typed stays. */
async function refresh(): Promise<void> {
  const form = formOf();
  if (!form) return;
  const values = { ...Object.fromEntries(new FormData(form)), preview: "1" };
  const effect = document.getElementById("sheet-effect") as HTMLElement; // the latest question replaces those before
  await window.htmx?.ajax("POST", form.action, { source: effect, target: effect, swap: "outerHTML", values });
}

interface Failed {
  readonly ctx?: { readonly target?: Element; readonly response?: { readonly status: number } };
}

/** What could not be asked for is said to be of before, until it is asked for again. */
function markStale({ detail }: CustomEventInit<Failed>): void {
  const effect = document.getElementById("sheet-effect");
  if (!effect || detail?.ctx?.target !== effect || (detail.ctx.response && detail.ctx.response.status < 500)) return;
  effect.dataset.stale = "";
  effect.querySelector(".sheet-stale")?.removeAttribute("hidden");
}

function refreshStale(): void {
  if (document.querySelector("#sheet-effect[data-stale]")) void refresh();
}

/** In a sheet that is scrolled the new figures may be out of sight. */
function showFigures(): void {
  document.querySelector(".sheet-figures, #sheet-effect")?.scrollIntoView({ block: "nearest" });
}

/** The page shows another view than the sheet is about: asked once for each view. */
function follow(): void {
  const [form, page] = [formOf(), document.getElementById("selection") as HTMLFormElement | null];
  const shown = viewOf(page);
  if (!form || !page || form.dataset.sending !== undefined || shown === viewOf(form) || shown === followed) return;
  followed = shown;
  void refresh();
}

/** Whether an action is about all that is selected: a replacement is about the one whose text is typed. */
function isOfSelection(opened: HTMLElement): boolean {
  return opened.dataset.do !== "replace";
}

/** More or less is selected while the sheet is open: it is about that, and cannot be applied before it says so. */
async function followSelected(): Promise<void> {
  const [opened, selected] = [sheet(), document.getElementById("selection") as HTMLFormElement | null];
  const field = opened?.querySelector<HTMLInputElement>("input[name=positions]");
  if (!opened || !selected || !field || !isOfSelection(opened)) return;
  const positions = String(new FormData(selected).get("positions") ?? "");
  if (!positions) return close();
  if (isSame(positionsOf(positions), positionsOf(field.value))) return; // 3 and 3-3
  field.value = positions;
  const mine = ++asking;
  isBehind = true;
  allowApply();
  await refresh().finally(() => (isBehind = mine !== asking));
  if (mine === asking) draw();
}

function keepTyped(): void {
  const form = formOf();
  if (form) keep(form);
}

interface Draft {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly fill: (form: HTMLFormElement) => void;
}

/** After signing in again: the messages selected, and the sheet as it was left. */
async function openAgain(form: HTMLFormElement, { fields, fill }: Draft): Promise<void> {
  const asked = new URLSearchParams(fields.filter(([name]) => ABOUT.includes(name)).map(([name, value]) => [name, value]));
  await open(form, form.querySelector<HTMLElement>(`button[value="${asked.get("do")}"]`), asked, fill);
  formOf()?.querySelector("textarea")?.dispatchEvent(new Event("input", { bubbles: true })); // its effect is asked for
  const positions = new FormData(formOf() ?? undefined).get("positions");
  document.dispatchEvent(new CustomEvent("select:positions", { detail: { positions } }));
}

/** What was typed before into the same sheet. */
function bringTyped(form: HTMLFormElement): void {
  if (bringBack(form)) document.dispatchEvent(new CustomEvent("toast", { detail: { text: place.dataset.back, tone: "info" } }));
}

async function open(form: HTMLFormElement, button: HTMLElement | null, asked: URLSearchParams, fill = bringTyped): Promise<void> {
  keepTyped();
  opener = button;
  followed = "";
  await window.htmx?.ajax("GET", `${form.dataset.act}?${asked}`, { source: place, target: place, swap: "innerHTML" });
  const typedIn = formOf();
  if (typedIn) fill(typedIn);
  const opened = sheet();
  if (opened) measured.observe(opened);
  draw();
  if (opened) showFirst(opened);
  (sheet()?.querySelector<HTMLElement>("textarea, input[name=reason]") ?? sheet())?.focus({ preventScroll: true });
}

function close(): void {
  keepTyped();
  measured.disconnect();
  place.replaceChildren();
  draw();
  if (opener?.isConnected) opener.focus({ preventScroll: true });
  document.dispatchEvent(new CustomEvent("sheet:closed"));
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const button = event.submitter as HTMLButtonElement | null;
  if (form.id !== "selection" || !button || !window.htmx || !IN_PLACE.includes(button.value)) return;
  event.preventDefault();
  void open(form, button, new URLSearchParams([...new FormData(form, button)].map(([name, value]) => [name, String(value)]))).then(followSelected);
});

document.addEventListener("draft:open", ({ detail }: CustomEventInit<Draft>) => {
  const form = document.getElementById("selection") as HTMLFormElement | null;
  if (form && detail && window.htmx) void openAgain(form, detail);
});

document.addEventListener("click", (event) => {
  if ((event.target as Element).closest("[data-close-sheet]")) close();
});

// Before the keys of the page: there Escape clears the selection.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || !sheet() || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    close();
  },
  { capture: true },
);

document.addEventListener("input", (event) => {
  if (place.contains(event.target as Node)) draw();
});
// Sections that come while no sheet is open, nor was until now, have nothing to strike.
document.addEventListener("htmx:after:settle", () => (sheet() || document.documentElement.matches(".has-sheet")) && draw());
document.addEventListener("live:fetched", follow);
document.addEventListener("select:changed", () => void followSelected());
document.addEventListener("htmx:error", markStale);
document.addEventListener("htmx:response:error", markStale);
window.addEventListener("online", refreshStale);
document.addEventListener("live:welcome", refreshStale);
// What was applied was refused, because the view changed: the new figures are to be confirmed.
document.addEventListener("form:renewed", ({ target }) => target === formOf() && void refresh().then(showFigures));
window.addEventListener("pagehide", keepTyped);
// It is stored by now; the page of the result comes.
document.addEventListener("form:kept", ({ detail }: CustomEventInit<{ form: HTMLFormElement }>) => {
  if (!detail || detail.form !== formOf()) return;
  forget(detail.form);
  window.removeEventListener("pagehide", keepTyped);
});
