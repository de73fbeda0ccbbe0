// The actions of the message that someone points at or has in focus, from the page's template. Only
// these few messages have them: thousands of links would make scrolling slow.

import { filled, hasAction, type MessageFacts } from "./model";

const REST = 40; // milliseconds that the pointer rests on a message, so that scrolling builds nothing
/** Of the page as it was fetched last: its addresses say which view they are about. */
const template = (): HTMLTemplateElement | null => document.querySelector("template[data-message-actions]");
const narrow = matchMedia("(width < 700px)");
let pointed: HTMLElement | null = null;
let focused: HTMLElement | null = null;
let isByKey = false; // the last thing that was pressed on this page was a key
let resting: ReturnType<typeof setTimeout> | undefined;

function messageOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(".message") : null;
}

function head<T extends Element>(message: Element, selector: string): T | null {
  return message.querySelector<T>(`:scope > .message-head ${selector}`);
}

function factsOf(message: HTMLElement, link: HTMLAnchorElement): MessageFacts {
  return {
    index: message.id.slice(1),
    position: head<HTMLInputElement>(message, ".message-select")?.value ?? null,
    path: link.pathname,
    isPinned: message.hasAttribute("data-pinned"),
    isWhole: !message.hasAttribute("data-part"),
  };
}

function build(message: HTMLElement): void {
  const link = head<HTMLAnchorElement>(message, ".message-more");
  const place = head(message, ".message-aside");
  const content = template()?.content;
  if (!content || !link || !place || head(message, ".message-actions")) return;
  const facts = factsOf(message, link);
  const actions = (content.cloneNode(true) as DocumentFragment).firstElementChild as HTMLElement;
  actions.setAttribute("aria-label", filled(actions.getAttribute("aria-label") ?? "", facts));
  for (const action of actions.querySelectorAll<HTMLAnchorElement>("a")) {
    if (!hasAction(action.dataset.when, facts)) action.remove();
    else fill(action, facts);
  }
  place.append(actions);
  window.htmx?.process(actions);
  offerForms(message);
}

function fill(action: HTMLAnchorElement, facts: MessageFacts): void {
  action.href = filled(action.dataset.href ?? "", facts);
  if (action.dataset.form) {
    action.setAttribute("hx-get", action.href);
    action.setAttribute("hx-target", `#text-${facts.index}`);
    action.setAttribute("hx-swap", "outerHTML");
  }
  const name = action.querySelector(".visually-hidden");
  if (name) name.textContent = filled(name.textContent ?? "", facts);
}

/** A form of the text that is shown is not offered; if its link was pressed, the next one has the focus. */
function offerForms(message: HTMLElement): void {
  const shown = message.querySelector<HTMLElement>(":scope > .message-body > .message-text")?.dataset.form ?? "";
  const links = [...message.querySelectorAll<HTMLAnchorElement>(":scope > .message-head .message-actions [data-form]")];
  const had = links.find((link) => link === document.activeElement);
  for (const link of links) link.hidden = link.dataset.form === shown;
  if (had?.hidden) links.find((link) => !link.hidden)?.focus();
}

function show(message: HTMLElement | null): void {
  if (!message) return;
  build(message);
  message.classList.add("message-active");
  makeRoom(message);
}

/** The line of a call leaves its actions as much room as their words take. */
function makeRoom(message: HTMLElement): void {
  const width = head<HTMLElement>(message, ".message-aside")?.offsetWidth;
  if (message.matches(".message-line") && width) message.style.setProperty("--aside", `${width}px`);
}

function hide(message: HTMLElement | null): void {
  if (!message || message === pointed || message === focused) return;
  message.classList.remove("message-active", "message-acting");
  head(message, ".message-actions")?.remove();
}

function point(message: HTMLElement | null): void {
  const before = pointed;
  pointed = message;
  show(message);
  if (before !== message) hide(before);
}

document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  clearTimeout(resting);
  const message = messageOf(event.target);
  // Asking for the width takes the styles of what just came, so not while the page moves.
  if (message !== pointed) resting = setTimeout(() => narrow.matches || point(message), REST);
});
document.documentElement.addEventListener("pointerleave", () => {
  clearTimeout(resting);
  point(null);
});

function focus(message: HTMLElement | null): void {
  const before = focused;
  focused = message;
  show(message);
  if (before !== message) hide(before);
}

/** On a phone the actions lie over the line of the message, its box too: only the dots and keys bring
    them, no focus that a page opens with. */
function showsActions(message: HTMLElement | null): boolean {
  return !narrow.matches || isByKey || message?.classList.contains("message-active") === true;
}

for (const type of ["keydown", "pointerdown"] as const) {
  document.addEventListener(type, () => (isByKey = type === "keydown"), { capture: true, passive: true });
}

/** The message that has the focus, if it shows its actions for that. */
function acting(target: EventTarget | null): HTMLElement | null {
  const message = messageOf(target);
  return showsActions(message) ? message : null;
}

// What an action opens returns the focus to it when it closes: until then it stays.
document.addEventListener("focusin", ({ target }) => {
  if (target instanceof Element && target.closest("dialog")) return;
  focus(acting(target));
});

// The dots are what a finger or a reader of the page can press; elsewhere they lead to the message.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest(".message-more") : null;
  const message = messageOf(link);
  if (!template() || !message || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  focus(message);
  message.classList.add("message-acting");
  makeRoom(message);
  head<HTMLElement>(message, ".message-actions a")?.focus();
});

// In the actions: arrows lead to the next one, Escape back to the message. Before the keys of the page.
document.addEventListener(
  "keydown",
  (event) => {
    const inside = event.target instanceof Element ? event.target.closest(".message-actions") : null;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!inside || (!step && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!step) return messageOf(inside)?.focus({ preventScroll: true });
    const all = [...inside.querySelectorAll<HTMLElement>("a:not([hidden])")];
    all[(all.indexOf(document.activeElement as HTMLElement) + step + all.length) % all.length]?.focus();
  },
  { capture: true },
);

// A page that the browser restores may begin with a message in focus.
focus(acting(document.activeElement));

// What is shown was fetched again: the message may be new or pinned, of another view, or its text has
// another form.
document.addEventListener("htmx:after:settle", (event) => {
  const section = event.target instanceof Element ? event.target.closest(".message-section") : null;
  if (pointed && !pointed.isConnected) pointed = [...document.querySelectorAll<HTMLElement>(".message:hover")].at(-1) ?? null;
  if (focused && !focused.isConnected) focused = acting(document.activeElement);
  for (const message of new Set([pointed, focused])) {
    if (!message || (section && !section.contains(message))) continue; // a section that came further on
    const actions = head(message, ".message-actions");
    if (!actions?.contains(document.activeElement)) actions?.remove();
    show(message);
    offerForms(message);
  }
});
