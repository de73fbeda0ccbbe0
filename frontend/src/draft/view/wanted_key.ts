// The key that someone came to edit: its first input has the focus, and its row stays in sight while
// what is above it is loaded and drawn, until someone does something.

import { hasArrivedByKey } from "../../keys/arrival";
import { fieldOf, rowsOf } from "./rows";
import { focusFirst } from "./shallow";

const SETTLES_MS = 10_000;
const ACTIONS = ["keydown", "pointerdown", "wheel", "touchmove"];

/** Where the bar is at the edge of a small window, the review would fill it. */
const SMALL = "(width < 576px), (width < 992px) and (height < 30rem)";

export function showWantedKey(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLElement>("[autofocus]");
  if (!field) return beginAtFirstKey(form);
  const row = field.closest<HTMLElement>(".edit-key");
  if (!row) return;
  const reviewed = document.querySelector<HTMLDetailsElement>("#reviewed[open]");
  const isSmall = matchMedia(SMALL).matches;
  if (reviewed && isSmall) reviewed.open = false;
  field.autofocus = false; // the browser may do it only after this, when the fields of a list are drawn
  if (field.hidden) focusFirst(row);
  else field.focus({ preventScroll: true });

  const bring = (): void => {
    if (!isInSight(form, row) || isSmall) row.scrollIntoView({ block: isSmall || isTall(row) ? "start" : "nearest" });
  };
  const grown = new ResizeObserver(bring);
  const stop = (): void => {
    grown.disconnect();
    for (const each of ACTIONS) removeEventListener(each, stop, true);
  };
  for (const each of ACTIONS) addEventListener(each, stop, { capture: true, passive: true });
  setTimeout(stop, SETTLES_MS);
  for (const each of [document.body, form.parentElement!, ...form.parentElement!.children]) grown.observe(each);
  bring();
}

const WANTED = "#edit:";

/** Who came to edit can type at once: at the key that the address names, or else, after a press of a key, at the first. */
function beginAtFirstKey(form: HTMLFormElement): void {
  if (document.activeElement !== document.body) return;
  const wanted = location.hash.startsWith(WANTED) ? nameIn(location.hash) : null;
  const named = wanted === null ? undefined : rowsOf(form).find(({ dataset }) => dataset.keyName === wanted);
  if (wanted !== null && !named) return goToLeftOut(form, wanted);
  const row = named ?? (hasArrivedByKey() && !location.hash ? rowsOf(form)[0] : undefined);
  const field = row && fieldOf(row, "value");
  if (!row || !field) return;
  if (field.hidden) focusFirst(row);
  else field.focus({ preventScroll: true });
  if (named && !isInSight(form, named)) named.scrollIntoView({ block: isTall(named) ? "start" : "nearest" });
}

/** A key that is too large for the form is edited elsewhere: the button that leads there has the focus. */
function goToLeftOut(form: HTMLFormElement, name: string): void {
  const key = [...form.querySelectorAll<HTMLElement>("[data-left-out]")].find(({ dataset }) => dataset.leftOut === name);
  const place = key?.closest(".edit-left-out");
  const shown = form.querySelector<HTMLInputElement>("input[name=raw-at]");
  if (place && shown) shown.value = name;
  place?.scrollIntoView({ block: "center" });
  place?.querySelector("button")?.focus({ preventScroll: true });
}

function nameIn(hash: string): string | null {
  try {
    return decodeURIComponent(hash.slice(WANTED.length));
  } catch {
    return null;
  }
}

function isInSight(form: HTMLFormElement, row: HTMLElement): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  const bar = form.querySelector(".draft-bar")?.getBoundingClientRect().height ?? 0;
  return top >= 0 && (isTall(row) ? top < innerHeight / 2 : bottom <= innerHeight - bar);
}

/** It does not fit into the window: its beginning is shown. */
function isTall(row: HTMLElement): boolean {
  return row.offsetHeight > innerHeight / 2;
}
