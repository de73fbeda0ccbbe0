// Keys for reading, the level of detail, and what stays open when the page is fetched again.

import { COLLECT, type KeyGroup, type Shortcut } from "../keys/model";
import { goToBatches, hasWayBack } from "./batches";
import { atEdge, cookieOf, detailOf, moved, nextWanted } from "./model";
import { rove, stopAt } from "./roving";
import { dropStaleUndo } from "./stale_undo";
import { measure } from "./tools_height";

const BELOW = 80; // pixels above the end of the window that a bar may cover
const RESTS_MS = 150; // after the last scroll
const KEPT = "details.tool-call, details.fold, details.outline-box, details.reading-filter";
const FILTER_OPEN = "reading-filter";
let isFolded = false;

const conversation = (): HTMLElement => document.querySelector(".conversation") as HTMLElement;

function messages(within: ParentNode = document): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(".message")].filter((each) => each.checkVisibility() && each.closest(".conversation"));
}

function focused(): HTMLElement | null {
  const message = document.activeElement?.closest<HTMLElement>(".message");
  return message && conversation().contains(message) ? message : null;
}

/** The message of the address, as long as it is in sight. */
function addressed(): HTMLElement | null {
  const message = document.querySelector<HTMLElement>(".conversation .message:target");
  if (!message?.checkVisibility()) return null;
  const { top, bottom } = message.getBoundingClientRect();
  return bottom > edge() && top < innerHeight ? message : null;
}

/** What stays in sight above the messages covers them to here. */
function edge(): number {
  const bars = document.querySelectorAll(".reading-tools, .find-results:not([hidden])");
  return Math.max(0, ...[...bars].map((each) => each.getBoundingClientRect().bottom));
}

/** The message that someone reads: the one in focus, else the first that is not above the window's edge. */
function current(): HTMLElement | undefined {
  return focused() ?? firstInSight();
}

/** Only chapters, the sections of one and the messages of one are measured: the browser lays out no others. */
function firstInSight(): HTMLElement | undefined {
  const chapters = [...document.querySelectorAll<HTMLElement>(".message-chapter")];
  const ahead = chapters.slice(Math.max(atTop(chapters), 0));
  const first = [...(ahead[0]?.children ?? [])] as HTMLElement[];
  const sections = [...first.slice(Math.max(atTop(first), 0)), ...ahead.slice(1).flatMap((chapter) => [...chapter.children])];
  for (const section of sections) {
    const all = messages(section);
    if (all.length) return all[atTop(all)];
  }
  return messages().at(-1);
}

/** The place of the first of the elements that is not above the edge. */
function atTop(elements: readonly Element[]): number {
  return atEdge(elements.map((each) => each.getBoundingClientRect()), edge() + 4);
}

function go(message: HTMLElement): void {
  message.focus({ preventScroll: true });
  const { top, bottom } = message.getBoundingClientRect();
  const isAbove = top < edge();
  if (isAbove || bottom > innerHeight - BELOW) message.scrollIntoView({ block: isAbove || bottom - top > innerHeight / 2 ? "start" : "center" });
}

/** Messages further on are not loaded yet: what stands for them comes into sight and is. */
function loadMore(by: 1 | -1): void {
  const waiting = [...document.querySelectorAll(".message-section-waiting")];
  const beyond = (each: Element): boolean => (by > 0 ? each.getBoundingClientRect().top > 0 : each.getBoundingClientRect().bottom < innerHeight);
  const found = by > 0 ? waiting.find(beyond) : waiting.filter(beyond).at(-1);
  found?.scrollIntoView({ block: by > 0 ? "start" : "end" });
}

function move(by: 1 | -1): void {
  const all = messages();
  const at = focused();
  const first = at ? undefined : firstInSight();
  const next = moved(all.length, at ? all.indexOf(at) : null, first ? all.indexOf(first) : -1, by);
  const target = next === null ? undefined : all[next];
  if (target) go(target);
  else loadMore(by);
}

function moveTo(selector: string): boolean {
  const all = messages();
  const here = current();
  const next = nextWanted(
    all.map((each) => each.matches(selector)),
    here ? all.indexOf(here) : -1,
  );
  const target = next === null ? undefined : all[next];
  if (target) go(target);
  return target !== undefined;
}

function toggle(message: HTMLElement): void {
  const boxes = [...message.querySelectorAll<HTMLDetailsElement>(":scope > .message-body > :is(.tool-call, .message-text > .fold), :scope > .message-body > .message-text > .fold")];
  const open = isFolded ? !message.classList.contains("message-open") : !boxes.every((each) => each.open);
  message.classList.toggle("message-open", open);
  for (const box of boxes) box.open = open;
}

/** A message has its actions only once it is in focus. */
function press(selector: string): void {
  const message = current();
  const find = (): HTMLElement | null | undefined => message?.querySelector<HTMLElement>(`:scope > .message-head ${selector}`);
  if (!find()) message?.focus({ preventScroll: true });
  find()?.click();
}

function offers(action: string): boolean {
  return document.querySelector<HTMLTemplateElement>("template[data-message-actions]")?.content.querySelector(action) !== null;
}

/** An arrow scrolls through a message that is longer than the window before it leads on. */
function hasEndInSight(message: HTMLElement, by: 1 | -1): boolean {
  const { top, bottom } = message.getBoundingClientRect();
  return by > 0 ? bottom <= innerHeight : top >= edge();
}

/** Why a key does nothing here. */
function say(text: string | undefined): void {
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "info" } }));
}

/** What can be done with the selected messages, or else with the one in focus. */
function act(name: string): void {
  const box = focused()?.querySelector<HTMLInputElement>(":scope > .message-head .message-select");
  const form = document.getElementById("selection");
  if (box && form?.matches(".selection-empty")) {
    box.click();
    form.dataset.implicit = "";
  }
  form?.querySelector<HTMLButtonElement>(`button[value=${name}]`)?.click();
}

document.addEventListener(COLLECT, (event) => {
  const offered = (event as CustomEvent<Shortcut[]>).detail;
  const texts = conversation().dataset;
  const any = document.querySelector(".conversation .message") !== null;
  const add = (keys: string, label: string | undefined, run: () => void, usable = any, group: KeyGroup = "message", when = texts.keysAtMessage): void => {
    offered.push({ keys, label: label ?? "", usable, run, group, when });
  };
  const message = focused();
  // Without a message in focus Space scrolls, and on a button or a box it is what the browser does with it.
  const isThere = message !== null && message === document.activeElement;
  const arrow = (key: string, by: 1 | -1): string => (isThere && message.matches(":focus-visible") && hasEndInSight(message, by) ? ` | ${key}` : "");
  add(`j${arrow("ArrowDown", 1)}`, texts.keysNext, () => move(1));
  add(`k${arrow("ArrowUp", -1)}`, texts.keysPrevious, () => move(-1));
  add("u", texts.keysUser, () => moveTo(".message-user") || loadMore(1));
  add("Space", texts.keysOpen, () => message && toggle(message), isThere);
  const hasActions = document.querySelector("template[data-message-actions]") !== null;
  add("Enter | ContextMenu | Shift+F10", texts.keysActions, () => message?.querySelector<HTMLElement>(":scope > .message-head .message-more")?.click(), isThere && hasActions);
  const form = document.getElementById("selection");
  const isEmpty = !form || form.matches(".selection-empty");
  if (document.querySelector(".message-select")) add("x", texts.keysSelect, () => press(".message-select"));
  if (form) {
    const own = message?.querySelector(":scope > .message-head .message-select") ?? null;
    const count = document.querySelectorAll(".message-chosen").length;
    const offer = (keys: string, label: string | undefined, name: string, usable = !isEmpty || own !== null, when = texts.keysAtSelection): void =>
      add(keys, label, () => act(name), usable, isEmpty ? "message" : "selection", when);
    if (isEmpty) offer("d", texts.keysHide, "hide");
    if (isEmpty) offer("s", texts.keysSummarize, "summarize");
    offer("f", texts.keysKeep, "keep_from");
    offer("r", texts.keysReplace, "replace", isEmpty ? own !== null : count === 1, isEmpty ? texts.keysAtSelection : texts.keysAtOne);
    offer("i", texts.keysInsert, "insert");
  } else if (texts.keysElsewhere) {
    // The whole log looks like the view that is edited, so its keys say why they do nothing here.
    const why = (): void => say(texts.keysElsewhere);
    const labels = { x: texts.keysSelect, d: texts.keysHide, s: texts.keysSummarize, f: texts.keysKeep, r: texts.keysReplace, i: texts.keysInsert };
    for (const [keys, label] of Object.entries(labels)) add(keys, label, why);
  }
  if (texts.keysNoUndo && !document.querySelector('[data-key="Ctrl+Z"]')) add("Ctrl+Z", texts.keysUndo, () => say(texts.keysNoUndo), true, "page");
  if (texts.keysNoRedo && !document.querySelector('[data-key^="Ctrl+Shift+Z"]')) add("Ctrl+Shift+Z | Ctrl+Y", texts.keysRedo, () => say(texts.keysNoRedo), true, "page");
  const pinSelected = document.querySelector<HTMLElement>("#selection:not(.selection-empty) [data-with-selection=pin]");
  if (pinSelected) add("p", texts.keysPinSelected, () => pinSelected.click(), true, "selection");
  else if (any && offers("[data-action=pin]")) add("p", texts.keysPin, () => press("[data-action=pin]"));
  if (any && offers("[data-action=comment]")) add("c", texts.keysComment, () => press("[data-action=comment]"));
  add("b", texts.keysBatches, goToBatches, hasWayBack(), "page", texts.keysAfterChange);
});

function showDetail(link: HTMLElement): void {
  const detail = detailOf(link.dataset.detail);
  if (!detail) return;
  document.cookie = cookieOf(detail, location.protocol === "https:");
  const here = current();
  conversation().dataset.detail = detail;
  for (const each of document.querySelectorAll<HTMLElement>(".segment[data-detail]")) {
    if (each.dataset.detail === detail) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
  for (const call of document.querySelectorAll<HTMLDetailsElement>(".tool-call")) call.open = detail === "everything";
  if (here?.checkVisibility()) here.scrollIntoView({ block: "nearest" });
}

function foldAll(): void {
  isFolded = !isFolded;
  for (const message of document.querySelectorAll(".message-open")) message.classList.remove("message-open");
  if (isFolded) for (const box of document.querySelectorAll<HTMLDetailsElement>(".tool-call[open], .fold[open]")) box.open = false;
  showFolded();
}

function showFolded(): void {
  conversation().classList.toggle("conversation-folded", isFolded);
  const button = document.querySelector<HTMLElement>("[data-fold]");
  const word = (isFolded ? button?.dataset.unfold : button?.dataset.fold) ?? "";
  if (!button || button.title === word) return;
  button.title = word;
  const words = button.querySelector(".btn-words");
  if (words) words.textContent = word;
}

document.addEventListener("click", (event) => {
  const target = event.target as Element;
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  const segment = target.closest<HTMLElement>("a[data-detail]");
  if (segment && isPlain) {
    event.preventDefault();
    showDetail(segment);
  } else if (target.closest("[data-fold]")) {
    foldAll();
  } else if (target.closest("[data-next-error]") && isPlain) {
    nextError(event, target.closest("[data-next-error]") as HTMLAnchorElement);
  } else if (isFolded && target.closest(".fold-text") && !getSelection()?.toString()) {
    target.closest(".message")?.classList.add("message-open");
  }
});

/** Whether the whole view is loaded and has no error. */
function hasNoError(): boolean {
  return document.querySelector(".message-section-waiting, .conversation .message-failed") === null;
}

function markNextError(): void {
  const link = document.querySelector<HTMLElement>("[data-next-error]");
  if (hasNoError()) link?.setAttribute("aria-disabled", "true");
  else link?.removeAttribute("aria-disabled");
}

/** To the next error that is here; the server finds those that are not loaded. */
function nextError(event: Event, link: HTMLAnchorElement): void {
  if (hasNoError()) {
    event.preventDefault();
    return say(link.dataset.none);
  }
  const all = [...document.querySelectorAll<HTMLElement>(".conversation .message")];
  const known = focused() ?? addressed();
  const here = known ?? firstInSight();
  const at = here ? all.indexOf(here) : -1;
  const isStart = !known && scrollY < innerHeight / 2;
  const next = nextWanted(all.map((each) => each.matches(".message-failed")), isStart ? -1 : at);
  const target = next === null ? undefined : all[next];
  if (target) {
    event.preventDefault();
    for (let box = target.parentElement?.closest("details"); box; box = box.parentElement?.closest("details")) box.open = true;
    go(target);
  } else if (here && !isStart) {
    const url = new URL(link.href);
    url.searchParams.set("after", here.id.slice(1));
    link.href = url.href;
  }
}

// Something in a text that is folded away was reached by the keyboard.
document.addEventListener("focusin", (event) => {
  const text = (event.target as Element).closest(".fold-text");
  if (text && text.scrollTop > 0) {
    text.closest(".message")?.classList.add("message-open");
    const fold = text.parentElement?.querySelector<HTMLDetailsElement>(":scope > .fold");
    if (fold) fold.open = true;
  }
});

// The page is fetched again: what the reader opened and closed stays so.
document.addEventListener("htmx:before:swap", (event) => {
  const { tasks } = (event as CustomEvent<{ readonly tasks?: readonly { readonly fragment: ParentNode }[] }>).detail;
  for (const { fragment } of tasks ?? []) {
    for (const box of fragment.querySelectorAll<HTMLDetailsElement>(KEPT)) {
      const before = box.id ? document.getElementById(box.id) : document.querySelector(`.${box.classList[0]}`);
      if (before instanceof HTMLDetailsElement) box.open = before.open;
    }
  }
});
document.addEventListener("htmx:after:settle", showFolded);
document.addEventListener("htmx:after:settle", markNextError);
markNextError();
document.addEventListener("live:fetched", dropStaleUndo);
dropStaleUndo();
document.addEventListener("htmx:after:settle", () => rove(firstInSight));
document.addEventListener("focusin", () => stopAt(focused()));
rove(firstInSight);

const tools = document.querySelector<HTMLElement>(".reading-tools");
if (tools) new ResizeObserver(() => measure(tools)).observe(tools);

// Who filters by keys goes on to the next field on the page that comes.
document.addEventListener("change", ({ target }) => {
  const field = target instanceof Element ? target.closest(".reading-filter select") : null;
  if (field?.matches(":focus-visible")) remember(FILTER_OPEN);
});

function remember(name: string): void {
  try {
    sessionStorage.setItem(name, "open");
  } catch {
    // A browser that keeps nothing begins with the filter closed.
  }
}

function isRemembered(name: string): boolean {
  try {
    const found = sessionStorage.getItem(name) !== null;
    sessionStorage.removeItem(name);
    return found;
  } catch {
    return false;
  }
}

const filter = document.querySelector<HTMLDetailsElement>(".reading-filter");
if (filter && isRemembered(FILTER_OPEN)) filter.open = true;

// Which turn the reader is at.
let askedTurn = "";

/** The user's message that the reader is at or behind, in the order of the view. */
function turnAt(): string | undefined {
  const message = current();
  if (!message) return undefined;
  const isBehind = (turn: Element): boolean => turn === message || (turn.compareDocumentPosition(message) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...document.querySelectorAll(".conversation .message-user[id]")].filter(isBehind).at(-1)?.id;
}

/** The outline scrolls by itself, or with what stands around it. */
function bringIntoOutline(link: HTMLElement): void {
  for (const box of [".outline", ".outline-box", ".rail"].map((each) => link.closest(each))) {
    if (!box || box.scrollHeight <= box.clientHeight) continue;
    const [{ top, bottom }, room] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
    if (top < room.top || bottom > room.bottom) box.scrollTop += (top + bottom - room.top - room.bottom) / 2;
  }
}

/** Who scrolls away from the turns of the outline gets those around. */
function markTurn(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".outline ol a")];
  const turn = turnAt();
  const here = links.find((link) => link.hash === `#${turn}`);
  for (const link of links) link.toggleAttribute("aria-current", link === here);
  here?.setAttribute("aria-current", "location");
  if (here) bringIntoOutline(here);
  const outline = document.getElementById("outline");
  const around = outline?.dataset.around;
  if (here || !turn || !outline || !around || askedTurn === turn) return;
  askedTurn = turn;
  void window.htmx?.ajax("GET", around + turn.slice(1), { source: outline, target: outline, swap: "outerHTML" });
}

// While the page moves nothing is looked up: on a long conversation that took a third of the frames.
let marking = 0;
function markSoon(): void {
  clearTimeout(marking);
  marking = window.setTimeout(() => {
    stopAt(current());
    markTurn();
  }, RESTS_MS);
}
window.addEventListener("scroll", markSoon, { passive: true });
document.addEventListener("focusin", markSoon);
document.addEventListener("htmx:after:settle", markSoon);
// The message of the address was led to before this was listening.
markSoon();
