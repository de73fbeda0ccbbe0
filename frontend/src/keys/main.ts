// Keys of a page: an element with data-key and data-key-label is focused or clicked by its keys; scripts
// offer more by the event keys:collect. "?" lists what works. Keys without Ctrl can be switched off.

import { leaveByKey } from "./arrival";
import { capsOf, COLLECT, grouped, type KeyGroup, type Line, nameOf, type Pressed, type Shortcut, step, tableOf, typesNothing } from "./model";

const STORE = "keys";
const PAUSE_MS = 1200;
/** How long a page is in sight before a key decides what it shows: a key pressed twice decides once. */
const SEEN_MS = 600;
const TYPING = "textarea, select, input:not([type=checkbox], [type=radio], [type=button])";
const help = document.getElementById("keys") as HTMLDialogElement | null;
const list = document.getElementById("keys-list");
const box = document.getElementById("keys-enabled") as HTMLInputElement | null;
let typed: readonly string[] = [];
/** The field that a key led to, and what had the focus before. */
let entered: { readonly field: HTMLElement; readonly from: HTMLElement | null } | null = null;
let last = 0;
let shownAt = performance.now();

function enabled(): boolean {
  try {
    return localStorage.getItem(STORE) !== "off";
  } catch {
    return true;
  }
}

/** Also of an editor in a shadow root, of which the page sees only the host. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TYPING));
}

/** Arrow keys go from one radio button of a group to the next. */
function isChoosing({ key, target }: KeyboardEvent): boolean {
  return key.startsWith("Arrow") && target instanceof HTMLInputElement && target.type === "radio";
}

/** What the page offers: first what stands in its content, then what scripts offer, then the menu. */
function offered(): Shortcut[] {
  const elements = [...document.querySelectorAll<HTMLElement>("[data-key][data-key-label]")];
  const inside = (element: HTMLElement): boolean => element.closest("main") !== null;
  const scripts: Shortcut[] = [];
  document.dispatchEvent(new CustomEvent(COLLECT, { detail: scripts }));
  const own: Shortcut = { keys: "?", label: list?.dataset.show ?? "", usable: help !== null, run: openHelp, group: "everywhere" };
  return [own, ...elements.filter(inside).map(ofElement), ...scripts, ...elements.filter((each) => !inside(each)).map(ofElement)];
}

function ofElement(element: HTMLElement): Shortcut {
  const { key = "", keyLabel = "" } = element.dataset;
  const usable = !element.matches(":disabled, [aria-disabled=true]") && (element.checkVisibility() || element.closest("[popover]") !== null);
  const group = (element.dataset.keyGroup as KeyGroup | undefined) ?? (element.closest("main") ? "page" : "everywhere");
  return { keys: key, label: keyLabel, usable, run: (pressed) => use(element, pressed), group, when: element.dataset.keyWhen };
}

/** A key that is held sends no form, and decides nothing on a page that nobody has seen yet, or against a warning. */
function use(element: HTMLElement, pressed: Pressed): void {
  if (pressed.repeat && element.matches("button[type=submit]")) return;
  if (element.matches("[data-key-decides]") && performance.now() - shownAt < SEEN_MS) return askAgain(nameOf(pressed));
  if (element.matches("[data-key-asks]") && document.activeElement !== element) return element.focus();
  if (element instanceof HTMLAnchorElement) leaveByKey(element.pathname);
  if (!element.matches("input, textarea, select")) return element.click();
  const menu = element.closest<HTMLElement>("[popover]");
  if (menu && !element.checkVisibility()) menu.showPopover();
  const from = document.activeElement;
  element.focus();
  entered = { field: element, from: from instanceof HTMLElement && from !== document.body ? from : null };
  if (element instanceof HTMLInputElement) element.select();
}

/** A key that was pressed too early says so: nothing was decided. */
function askAgain(key: string): void {
  const text = (list?.dataset.again ?? "").replace("{key}", key);
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "info" } }));
}

/** Escape leaves a field that a key led to, or in which the page began, so that single keys work again. */
function leave({ key, target }: KeyboardEvent): boolean {
  if (key !== "Escape" || !(target instanceof HTMLElement)) return false;
  const isEntered = entered?.field === target;
  if (!isEntered && !target.matches("textarea[data-goes-on]")) return false;
  const from = isEntered ? entered?.from : null;
  entered = null;
  if (from?.isConnected && from.checkVisibility()) from.focus();
  else target.blur();
  return true;
}

function lineOf({ label, ways, usable, when }: Line): HTMLElement {
  const line = document.createElement("div");
  line.dataset.ofPage = "";
  const name = document.createElement("dt");
  name.textContent = label;
  if (!usable) {
    line.className = "keys-off";
    name.append(` (${when ?? list?.dataset.off})`);
  }
  const keys = document.createElement("dd");
  ways.forEach((way, number) => {
    if (number) keys.append(` ${list?.dataset.or} `);
    way.forEach((one, place) => {
      if (place) keys.append(` ${list?.dataset.then} `);
      capsOf(one).forEach((cap, at) => {
        if (at) keys.append(" ");
        const drawn = document.createElement("kbd");
        drawn.textContent = cap;
        keys.append(drawn);
      });
    });
  });
  line.append(name, keys);
  return line;
}

function listKeys(): void {
  for (const old of list?.querySelectorAll("[data-of-page]") ?? []) old.remove();
  for (const [name, lines] of grouped(tableOf(offered(), enabled()))) {
    const known = list?.querySelector<HTMLElement>(`[data-group=${name}] dl`);
    (known ?? groupOf(name)).append(...lines.map(lineOf));
  }
}

/** A new group of the list; the one for all pages is there from the start. */
function groupOf(name: KeyGroup): HTMLElement {
  const group = document.createElement("section");
  group.dataset.ofPage = "";
  const head = document.createElement("h3");
  head.textContent = list?.getAttribute(`data-${name}`) ?? name;
  const lines = document.createElement("dl");
  group.append(head, lines);
  list?.append(group);
  return lines;
}

function openHelp(): void {
  if (!help || help.open) return;
  listKeys();
  if (box) box.checked = enabled();
  help.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.isComposing || leave(event) || isChoosing(event) || (isTyping(event) && !typesNothing(event))) return;
  if (["Control", "Shift", "Meta"].includes(event.key) || document.querySelector("dialog[open]")) return;
  const before = event.timeStamp - last < PAUSE_MS ? typed : [];
  const found = step(tableOf(offered(), enabled()), before, nameOf(event));
  typed = found.typed;
  last = event.timeStamp;
  if (!found.line?.run) return;
  event.preventDefault();
  found.line.run(event);
});

window.addEventListener("pageshow", () => (shownAt = performance.now()));

document.addEventListener("click", (event) => {
  if (event.target instanceof Element && event.target.closest("[data-open-keys]")) openHelp();
});

box?.addEventListener("change", () => {
  try {
    localStorage.setItem(STORE, box.checked ? "on" : "off");
  } catch {
    // A browser that keeps nothing forgets the choice; the keys go on working.
  }
  listKeys();
});
