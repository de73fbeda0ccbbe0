// Links to messages and comments: one that is on the page is scrolled to, for any other its section or the page is loaded with it.

import { placeOfWords } from "../find/marks";
import { measure } from "../reading/tools_height";
import { markComment } from "./comment_words";
import { commentIn, heldAt, messageIn, pageWith, scrollTo, takenOver } from "./model";
import { agreeOn, keepPlaces, putBack, renderAll, takePlaces } from "./places";

const BELOW = 80; // pixels above the end of the window that a bar may cover
const places = takePlaces();
let hold = heldAt(location.href, places.length > 0);
let isAwaited = false; // its section is being loaded
let isHit = false; // words in it are looked for
let hasLanded = false; // the message of the address had the focus
const narrow = matchMedia("(width < 700px)"); // there the actions of what has the focus lie over its line

function wanted(): HTMLElement | null {
  const isPlace = messageIn(location.hash) !== null || commentIn(location.hash) !== null;
  return isPlace ? document.getElementById(location.hash.slice(1)) : null;
}

/** Open what the message is folded in: the card of its call, and its own text if words in it are looked for. */
function unfold(message: HTMLElement, withText: boolean): void {
  for (let box = message.parentElement?.closest("details"); box; box = box.parentElement?.closest("details")) box.open = true;
  const fold = withText ? message.querySelector<HTMLDetailsElement>(":scope > .message-body > .message-text > .fold") : null;
  if (fold) fold.open = true;
}

/** The message, or that of the call in whose closed card it stands. */
function unfolded(message: HTMLElement | null): HTMLElement | null {
  let shown = message;
  while (shown && !shown.checkVisibility()) shown = shown.parentElement?.closest<HTMLElement>(".message") ?? null;
  return shown;
}

/** What a change made is looked at where it stands; of what is out of sight as little is scrolled as can be. */
function bringNear(message: HTMLElement): void {
  const bars = [...document.querySelectorAll(".reading-tools, .find-results:not([hidden])")];
  const edge = Math.max(0, ...bars.map((each) => each.getBoundingClientRect().bottom));
  const { top, bottom } = message.getBoundingClientRect();
  window.scrollBy({ top: scrollTo(top - edge, bottom - edge, innerHeight - BELOW - edge), behavior: "instant" });
}

function show(message: HTMLElement | null, withWords: boolean): void {
  if (!message) return;
  unfold(message, withWords);
  markComment(message);
  message.scrollIntoView();
  const words = withWords ? placeOfWords(message) : null;
  // Further down in a long message.
  if (words && words.bottom > innerHeight) window.scrollBy(0, words.top - innerHeight / 2);
}

function loadIfMissing(): void {
  const message = messageIn(location.hash);
  if (message === null || isAwaited || wanted()) return;
  const url = pageWith(message, location.href);
  if (url !== null) location.replace(url);
}

// A script of the page that knows in which section a message stands leads to it without a new page.
document.addEventListener("message:go", (event) => {
  const { hash, section: name } = (event as CustomEvent<{ readonly hash: string; readonly section?: string }>).detail;
  const section = document.getElementById(name ?? "");
  isAwaited = !document.getElementById(hash.slice(1)) && section !== null;
  if (isAwaited) section?.scrollIntoView();
  if (location.hash === hash) show(wanted(), true);
  else {
    isHit = true;
    location.hash = hash;
  }
  hold = { ...hold, message: true, words: true };
});

document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a.message-link, a.message-number");
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  if (!link || !isPlain || link.pathname !== location.pathname) return;
  if (!document.getElementById(link.hash.slice(1))) return;
  event.preventDefault();
  location.hash = link.hash;
});

window.addEventListener("hashchange", () => {
  hold = { ...hold, message: heldAt(location.href).message, words: isHit };
  show(wanted(), isHit);
  isHit = false;
  loadIfMissing();
});

function isTyping({ target }: Event): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));
}

for (const type of ["wheel", "touchmove", "keydown", "pointerdown"] as const) {
  window.addEventListener(type, (event) => (hold = takenOver(event as Partial<KeyboardEvent>, isTyping(event))), { passive: true });
}

/** Keys go on from the message or comment that a page was opened at. */
function land(message: HTMLElement | null): void {
  if (hasLanded || narrow.matches || !message || document.activeElement !== document.body) return;
  hasLanded = true;
  message.focus({ preventScroll: true });
}

function stay(): void {
  if (hold.message) {
    const [isBack, named] = [putBack(places), wanted()];
    const message = isBack ? unfolded(named) : named;
    if (isBack && message) {
      bringNear(message);
      if (document.readyState !== "complete") agreeOn(message);
    } else show(message, hold.words);
    land(message);
  }
  if (hold.end) window.scrollTo(0, document.documentElement.scrollHeight);
}

document.addEventListener("htmx:after:settle", () => {
  if (wanted()) isAwaited = false;
  stay();
});
// A section that was loaded gets its real height only when it is rendered, which is after that.
const conversation = document.querySelector(".conversation");
if (conversation) new ResizeObserver(stay).observe(conversation);

loadIfMissing();
const tools = document.querySelector<HTMLElement>(".reading-tools");
if (tools) measure(tools); // it covers what is scrolled to
// Before anything is painted; what the browser does until the page is loaded moves nothing.
if (places.length) renderAll(true);
stay();
window.addEventListener("load", () => {
  setTimeout(() => {
    renderAll(false);
    wanted()?.style.removeProperty("scroll-margin-top");
  });
});

document.addEventListener("form:kept", keepPlaces);
document.addEventListener("submit", ({ target }) => {
  if ((target as HTMLFormElement).method === "post") keepPlaces();
});
