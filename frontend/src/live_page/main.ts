// A live page: its parts are fetched again when something changed, and it shows who is here.

import { changersOf, type ChangeTexts, editorsOf, editsOf, filled, type Frame, isBehind, notesOf, othersOf, type Person, placeOf } from "./model";

const PAUSE_MS = 300; // between two fetches, however much happens
const LISTS_PAUSE_MS = 1000;
const POLL_MS = 2000; // as long as there is no socket
const LOOK_MS = 30_000; // for lists, whose frames have no numbers that show a gap
const LOST_AFTER_MS = 700; // a page that is left loses its socket, too

interface State {
  readonly seq: number;
  readonly status?: string;
  readonly execution?: string | null;
}

interface Fetched {
  readonly ctx: { readonly sourceElement: Element | null };
  readonly tasks: readonly { readonly fragment: ParentNode }[];
}

const link = document.getElementById("live-link") as HTMLElement;
const texts = link.dataset;
const { needs, mode, slow } = texts;
const now = (): DOMStringMap => document.getElementById("live-now")?.dataset ?? {}; // what the page shows

let isOpen = false;
let wasWelcome = false;
let isFetching = false;
let again = false;
let me = ""; // the person, as frames name who did something
let isSignedOut = false;
let isApplying = false; // the form on the page is being applied
let reload: [section: Element, url: string][] = [];

function listen<T>(name: string, hear: (detail: T) => void): void {
  document.addEventListener(name, (event) => hear((event as CustomEvent<T>).detail));
}

/** What moves the page by itself waits for the end of a click; see defer_while_pointer_down. */
function whenStill(then: () => void): void {
  document.dispatchEvent(new CustomEvent("page:still", { detail: { then } }));
}

/** Fetch the page again and put its changed parts in the place of the old ones. */
async function fetchParts(): Promise<void> {
  if (mode !== "parts") return;
  if (isFetching || document.hidden) {
    again = true;
    return;
  }
  isFetching = true;
  again = false;
  await new Promise<void>(whenStill);
  const url = (!isOpen && now().poll) || location.pathname + location.search;
  try {
    await window.htmx?.ajax("GET", url, {
      source: link,
      target: "#page-content",
      select: "#page-content",
      selectOOB: "#page-head:outerMorph",
      swap: "outerMorph",
    });
    document.dispatchEvent(new CustomEvent("live:fetched"));
    sayVersion();
    await loadSections();
  } finally {
    setTimeout(fetched, slow ? LISTS_PAUSE_MS : PAUSE_MS);
  }
}

function fetched(): void {
  isFetching = false;
  if (again) void fetchParts();
}

function sayVersion(): void {
  const said = document.getElementById("live-said");
  if (said) said.textContent = now().said ?? "";
}

// A section of messages that the reader has loaded is kept, for which the fetched page has only a
// place; it is loaded again if it changed, which the name of that place or the revision tells.
document.addEventListener("htmx:before:swap", (event) => {
  const { ctx, tasks } = (event as CustomEvent<Fetched>).detail;
  if (ctx.sourceElement !== link) return;
  let isStill = false;
  whenStill(() => (isStill = true));
  if (!isStill) {
    again = true;
    event.preventDefault();
    return;
  }
  const page = tasks.find((task) => task.fragment.querySelector("#live-now"))?.fragment;
  if (page) keepSections(page);
});

function keepSections(page: ParentNode): void {
  const isSame = page.querySelector<HTMLElement>("#live-now")?.dataset.revision === now().revision;
  for (const section of document.querySelectorAll(".message-section:has(.message)")) {
    const place = page.querySelector(`#${CSS.escape(section.id)}.message-section-waiting`);
    section.toggleAttribute("hx-morph-skip", Boolean(place));
    if (!place) continue;
    const name = place.getAttribute("aria-label") ?? "";
    if (isSame && section.getAttribute("aria-label") === name) continue;
    section.setAttribute("aria-label", name);
    reload.push([section, place.getAttribute("hx-get") ?? ""]);
  }
}

async function loadSections(): Promise<void> {
  const wanted = reload;
  reload = [];
  for (const [target, url] of wanted) {
    if (target.isConnected) await window.htmx?.ajax("GET", url, { target, swap: "innerHTML" });
  }
}

listen<{ readonly state: State | null; readonly scopes: readonly string[]; readonly person: string }>("live:welcome", ({ state, scopes, person }) => {
  if (isSignedOut && mode === "edit" && person !== document.body.dataset.person) return; // someone else signed in
  if (isSignedOut && !needs) note("rights");
  isSignedOut = false;
  me = person;
  const isFirst = !wasWelcome;
  wasWelcome = true;
  if (needs) mayEdit(scopes.includes(needs) || scopes.includes("admin"), texts.rights);
  if (isBehind(state, Number(now().seq ?? 0), isFirst)) changed({ seq: state?.seq ?? 0, status: state?.status, keys: [] }, state);
});

listen<{ readonly frame: Frame; readonly state: State | null }>("live:changed", ({ frame, state }) => {
  if (frame.type === "gone") note("gone", texts.gone);
  else changed(frame, state);
});

function changed(frame: Frame, state: State | null): void {
  if (mode === "edit") sayChange(frame, state?.execution);
  else void fetchParts();
}

listen<{ readonly open: boolean }>("live:open", ({ open }) => {
  isOpen = open;
  link.dataset.live = isOpen ? "open" : "closed";
  setTimeout(() => whenStill(showLost), isOpen ? 0 : LOST_AFTER_MS);
});

function isRefused(): boolean {
  return link.dataset.live === "refused";
}

function showLost(): void {
  (link.querySelector(".live-lost") as HTMLElement).hidden = isOpen || !wasWelcome || isRefused();
}

listen<{ readonly code: number; readonly final: boolean }>("live:refused", ({ code, final }) => {
  if (final) link.dataset.live = "refused";
  if (code === 4404) note("gone", texts.gone);
  if (code === 4403) {
    mayEdit(false, texts.rights);
    void fetchParts();
  }
  if (code === 4401) {
    isSignedOut = true;
    if (needs) mayEdit(false, "");
    note("rights", texts.signedOut, document.getElementById("live-sign-in") as HTMLTemplateElement);
  }
});

// Who comes back from signing in in another tab goes on here.
for (const name of ["focus", "pageshow"]) {
  window.addEventListener(name, () => {
    if (isSignedOut) document.dispatchEvent(new CustomEvent("live:connect", { detail: { path: texts.socket } }));
  });
}

// Without a socket a page does what it did before there was one.
setInterval(() => {
  if (!isOpen && !isRefused() && now().poll) void fetchParts();
}, POLL_MS);
if (slow) setInterval(() => isOpen && void fetchParts(), LOOK_MS);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && again && !isFetching) void fetchParts();
});

// --- Notes ------------------------------------------------------------------------------------

function note(name: string, text = "", action?: HTMLTemplateElement): void {
  whenStill(() => putNote(name, text, action));
}

/** Say `text` under `name`, with the link of the template `action`; without a text take it away. */
function putNote(name: string, text: string, action?: HTMLTemplateElement): void {
  const notes = document.getElementById("live-notes") as HTMLElement;
  let found = notes.querySelector<HTMLElement>(`[data-note="${name}"]`);
  if (!text) {
    found?.remove();
    return;
  }
  if (!found) {
    const template = document.getElementById("live-note") as HTMLTemplateElement;
    found = template.content.firstElementChild?.cloneNode(true) as HTMLElement;
    found.dataset.note = name;
    notes.append(found);
  }
  const body = found.querySelector(".note-body") as HTMLElement;
  body.textContent = text;
  if (action) body.append(" ", action.content.cloneNode(true));
}

// Notes that stay in sight cover the top of the window; html:has() would search the whole page for them.
const STUCK = '[data-mode="edit"] .note, #live-left > .note';
new MutationObserver(() => {
  const covers = link.querySelector(".live-left-text") ? "texts" : link.querySelector(`:is(${STUCK})`) ? "note" : null;
  if (covers) document.documentElement.dataset.liveCovers = covers;
  else delete document.documentElement.dataset.liveCovers;
}).observe(link, { childList: true, subtree: true });

listen<{ readonly name: string; readonly text: string }>("live:note", ({ name, text }) => note(name, text));

function nameOf(status: string): string {
  return link.getAttribute(`data-status-${status.toLowerCase()}`) ?? status;
}

function sayChange(frame: Frame, execution: string | null | undefined): void {
  const hasEdits = document.querySelector("[data-draft-count][hidden]") === null;
  const seen = { shown: now().execution, execution, me, isApplying, hasEdits };
  const { moved, changed: text } = notesOf(frame, seen, texts as unknown as ChangeTexts, nameOf);
  if (moved !== undefined) sayMoved(moved);
  if (text !== undefined) note("changed", text);
}

/** What can no longer be applied can be copied: that is what is left to do with it. */
function sayMoved(text: string): void {
  const form = document.querySelector("form[data-draft-url]");
  note("moved", text, form ? (document.getElementById("live-copy") as HTMLTemplateElement) : undefined);
  for (const each of document.querySelectorAll<HTMLElement>("[data-while-paused]")) each.hidden = Boolean(text);
  form?.querySelector(".draft-bar [value=review]")?.classList.toggle("btn-primary", !text);
}

document.addEventListener("submit", ({ submitter }) => {
  isApplying = ["apply", "approve"].includes((submitter as HTMLButtonElement | null)?.value ?? "");
});
document.addEventListener("form:stays", () => (isApplying = false), true);
window.addEventListener("pageshow", () => (isApplying = false));

/** Without the right to write, what was typed can still be read and copied. */
function mayEdit(may: boolean, why: string | undefined): void {
  if (!needs) return;
  note("rights", may ? "" : why);
  type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLButtonElement;
  for (const field of document.querySelectorAll<Field>("form[data-guard] :is(input, textarea, select, button)")) {
    if (field.type === "hidden") continue;
    if (field.matches("textarea, input:not([type=checkbox])")) (field as HTMLInputElement).readOnly = !may;
    else field.disabled = !may;
  }
  link.dataset.editing = may ? "allowed" : "ended";
  if (may) document.dispatchEvent(new CustomEvent("form:editable"));
}

// --- Who is here ------------------------------------------------------------------------------

interface Here {
  readonly people: readonly Person[];
  readonly more: number;
  readonly you: string;
  readonly person: string;
}

let here: Here | null = null;
listen<Here>("live:people", (told) => {
  here = told;
  whenStill(() => showPeople(told));
});
// The page calls a place by another name now.
document.addEventListener("live:renamed", () => whenStill(() => here && showPeople(here)));

/** What the page calls a place, if it has a name for it: the editor has names of nodes. */
function calledBy(where: string): string | null {
  const detail: { readonly where: string; name: string | null } = { where, name: null };
  document.dispatchEvent(new CustomEvent("live:naming", { detail }));
  return detail.name;
}

function showPeople({ people, more, you, person }: Here): void {
  const others = othersOf(people, you);
  const list = link.querySelector(".live-people") as HTMLElement;
  list.replaceChildren(...others.map((each) => personLine(each, person)));
  if (more) list.append(line(`+${more}`));
  list.hidden = !others.length;
  markKeys(others, person);
  const words = { you: texts.you ?? "", edits: texts.edits ?? "", whole: texts.state ?? "" };
  const bar = document.querySelector("[data-live-others]");
  if (bar) bar.textContent = editsOf(others, person, words).join(", ");
}

function line(...parts: (string | Node)[]): HTMLLIElement {
  const item = document.createElement("li");
  item.append(...parts);
  return item;
}

function personLine(each: Person, person: string): HTMLLIElement {
  const name = document.createElement("b");
  name.translate = false;
  name.textContent = (each.id === person ? texts.you : each.name) ?? "";
  const place = placeOf(each.where);
  const item = line(name, " ", (each.editing ? texts.edits : texts.here) ?? "");
  if (each.editing) {
    const called = calledBy(each.where);
    const shown = document.createElement(called !== null ? "bdi" : place.name === null ? "span" : "code");
    shown.translate = place.name === null;
    shown.textContent = called ?? place.name ?? texts.state ?? "";
    item.append(" ", shown);
  }
  item.classList.toggle("live-editing", each.editing);
  item.dataset.kind = place.kind;
  return item;
}

/** Show at each key of the form who edits it elsewhere, or edited it and has not applied that. */
function markKeys(others: readonly Person[], person: string): void {
  for (const row of document.querySelectorAll<HTMLElement>(".edit-key[data-key-name]")) {
    const key = row.dataset.keyName ?? "";
    mark(row, "live-busy", editorsOf(key, others, person, texts.you ?? ""), texts.editsThis);
    mark(row, "live-edited", changersOf(key, others, person), texts.editedThis);
  }
}

function mark(row: HTMLElement, name: string, people: readonly string[], edits: string | undefined): void {
  let found = row.querySelector(`.${name}`);
  if (!people.length) return found?.remove();
  const head = row.querySelector(".edit-key-head");
  const marks = row.querySelector(".live-marks") ?? head?.appendChild(document.createElement("span"));
  if (marks) marks.className = "live-marks";
  found ??= marks?.appendChild(document.createElement("span")) ?? document.createElement("span");
  found.className = `${name} badge tone-orange`;
  found.textContent = filled("{names} {edits}", { names: people.join(", "), edits });
}

/** Tells which field has the focus. */
function tellField({ target }: Event): void {
  const field = target as HTMLInputElement;
  const editing = Boolean(field.matches("input, textarea, select") && field.form?.matches("[data-guard]"));
  const name = field.closest<HTMLElement>(".edit-key[data-key-name]")?.dataset.keyName;
  const where = editing && name ? `key:${name}` : "";
  document.dispatchEvent(new CustomEvent("live:here", { detail: { where, editing } }));
}

/** Tells which keys of the form are edited. */
function tellEdited(): void {
  const rows = document.querySelectorAll<HTMLElement>(".edit-key-changed[data-key-name]");
  const keys = [...rows].map(({ dataset }) => dataset.keyName ?? "");
  document.dispatchEvent(new CustomEvent("live:edited", { detail: { keys: [...new Set(keys)] } }));
}

if (mode === "edit") {
  document.addEventListener("live:kept", tellEdited);
  tellEdited();
  document.addEventListener("focusin", tellField);
  document.addEventListener("input", tellField); // it may have had the focus before this script came
}

document.dispatchEvent(new CustomEvent("live:connect", { detail: { path: link.dataset.socket } }));
