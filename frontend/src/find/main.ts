// Finds words in a conversation: hits beside the messages, next and previous, marked in place.

import { mark, showPassage, unfold, unmarkAll } from "./marks";
import { has, isPhrase, step, textsIn, told, type Wanted } from "./model";
import { SaidText } from "./said_text";

const form = document.getElementById("find") as HTMLFormElement;
const whole = form.elements.namedItem("whole") as HTMLInputElement; // it stands beside the hits
const field = form.elements.namedItem("q") as HTMLInputElement;
const results = document.getElementById("find-results") as HTMLElement;
const list = document.getElementById("hits") as HTMLElement;
const count = results.querySelector(".find-count") as HTMLElement;
const MOST_LOADS = 20; // of further hits, for who comes with the address of a later one
const NOT_SAID = ".message-whole, .long-text summary"; // words of the page among those of the message
let place = -1;
let loads = 0;
let isAsked = false; // who asks is led to the first hit, wherever the address leads

function words(): string {
  return results.dataset.words ?? "";
}

function wanted(): Wanted {
  return { texts: words() ? textsIn(words()) : [], isWhole: whole.checked };
}

function isContent(around: Element): boolean {
  return around.closest(".message-body") !== null && !around.closest(NOT_SAID);
}

function markIn(section: Element): void {
  mark(section, wanted(), isContent);
}

function markAll(): void {
  unmarkAll();
  for (const section of document.querySelectorAll(".message-section")) markIn(section);
}

function links(): HTMLAnchorElement[] {
  return [...list.querySelectorAll<HTMLAnchorElement>(".hit-link")];
}

function button(name: string): HTMLButtonElement {
  return results.querySelector(`[data-find="${name}"]`) as HTMLButtonElement;
}

function tell(): void {
  const { hits = "", more = "" } = count.dataset;
  const none = (isPhrase(words()) ? count.dataset.apart : count.dataset.none) ?? "";
  const stand = { place, total: links().length, hasMore: list.querySelector(".hit-more") !== null };
  const { text, isEmpty, mayGoBack, mayGoOn } = told(stand, { hits, more, none });
  count.textContent = text;
  results.classList.toggle("find-empty", isEmpty);
  button("-1").disabled = !mayGoBack;
  button("1").disabled = !mayGoOn;
}

/** Show the words of a hit: unfolded, or in a passage below what is shown. */
function showWords(message: Element | null): void {
  if (!message) return;
  unfold(message.querySelectorAll<HTMLDetailsElement>(".message-body details"), wanted());
  for (const passage of message.querySelectorAll<HTMLElement>("[data-passage]")) {
    if (passage.closest("article") === message) showPassage(passage, passage.closest(".message-body"), wanted());
  }
}

function go(to: number): void {
  const all = links();
  const [now, next] = [all[place], all[to]];
  const what = step(to, { total: all.length });
  if (what === "load") list.querySelector<HTMLElement>(".hit-more a")?.click();
  if (what !== "go" || !next) return;
  now?.removeAttribute("aria-current");
  place = to;
  next.setAttribute("aria-current", "true");
  next.scrollIntoView({ block: "nearest" });
  showWords(document.getElementById(next.hash.slice(1)));
  document.dispatchEvent(new CustomEvent("message:go", { detail: { hash: next.hash, section: next.dataset.section } }));
  tell();
}

/** Whether the page was opened at a message that has the words. */
function isComing(): boolean {
  const message = document.getElementById(location.hash.slice(1));
  if (isAsked || !message || !/^#m\d+$/.test(location.hash)) return false;
  const [said, { texts, isWhole }] = [new SaidText(message).text, wanted()];
  return texts.some((text) => has(said, text, isWhole));
}

/** Load the hits behind those that are listed; false if there are none, or far too many before the one that is looked for. */
function loadsMore(): boolean {
  const more = list.querySelector<HTMLAnchorElement>(".hit-more a");
  loads += 1;
  if (!more || loads > MOST_LOADS) return false;
  // A click may come before the link is one of htmx.
  void window.htmx?.ajax("GET", more.href, { source: more, target: ".hit-more", swap: "outerHTML" });
  return true;
}

/** Who comes with the address of a hit is at that hit. */
function standAtAddress(): void {
  place = links().findIndex((link) => link.hash && link.hash === location.hash);
  const link = links()[place];
  if (!link) return;
  link.setAttribute("aria-current", "true");
  const [row, box] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollTop += row.top - box.top - (box.height - row.height) / 2; // the list alone: the page stays at the message
  showWords(document.getElementById(link.hash.slice(1)));
}

function look(text: string): void {
  results.dataset.words = text;
  results.hidden = !text;
  list.replaceChildren();
  place = -1;
  markAll();
  const url = new URL(location.href);
  for (const name of ["q", "whole"]) url.searchParams.delete(name);
  if (text) url.searchParams.set("q", text);
  if (text && whole.checked) url.searchParams.set("whole", "1");
  history.replaceState(history.state, "", url);
  if (!text) return;
  const query = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  void window.htmx?.ajax("GET", `${form.action}?${query}`, { source: list, target: list, swap: "innerHTML" });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (text && text === words() && links().length) return go(place + 1);
  isAsked = true;
  look(text);
});

whole.addEventListener("change", () => {
  isAsked = true;
  look(words());
});

field.addEventListener("search", () => {
  if (!field.value) look("");
});

results.addEventListener("click", (event) => {
  const target = event.target as Element;
  const pressed = target.closest<HTMLElement>("[data-find]")?.dataset.find;
  if (pressed === "close") {
    field.value = "";
    look("");
  } else if (pressed) go(place + Number(pressed));
  const link = target.closest<HTMLAnchorElement>(".hit-link");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (!document.getElementById(link.dataset.section ?? "")) return;
  event.preventDefault();
  go(links().indexOf(link));
});

document.addEventListener("htmx:after:settle", (event) => {
  if (list.contains(event.target as Node)) {
    if (place < 0) standAtAddress();
    tell();
    if (place < 0 && isComing() && loadsMore()) return;
    if (place < 0 && links().length && (isAsked || !location.hash)) go(0);
    isAsked = false;
    return;
  }
  if (!words()) return;
  const section = event.target instanceof Element ? event.target.closest(".message-section") : null;
  if (section) markIn(section);
  else markAll();
  const current = links()[place];
  if (current) showWords(document.getElementById(current.hash.slice(1)));
});

if (words()) look(words());
