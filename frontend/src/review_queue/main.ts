// The queue of reviews by keys: j and k go from line to line, x selects. What others do to the queue takes
// neither the focus nor a click from the line that it was on.

import { COLLECT, type Shortcut } from "../keys/model";
import { readLook } from "../review/model";
import { heirOf, MovedUnderPointer, placeFrom } from "./model";

const list = (): HTMLElement | null => document.querySelector(".waiting-list");
const lines = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(".waiting-list > .waiting")];
const focused = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>(".waiting") ?? null;
const idsOf = (found: readonly HTMLElement[]): string[] => found.map(({ id }) => id);

function focus(line: HTMLElement | null | undefined): void {
  line?.querySelector<HTMLElement>(".waiting-title")?.focus();
  line?.scrollIntoView({ block: "nearest" });
}

/** A line that was claimed or released is where the next key begins. */
function focusTarget(): void {
  if (document.activeElement !== document.body || !location.hash.startsWith("#review-")) return;
  document.getElementById(location.hash.slice(1))?.querySelector<HTMLElement>(".waiting-title")?.focus({ preventScroll: true });
}
addEventListener("load", () => setTimeout(focusTarget)); // after what leads back to a button

/** When a person opened a review last; see review/main.ts. */
function openedAt({ id }: HTMLElement): number {
  try {
    return readLook(localStorage.getItem(`look:${document.body.dataset.person ?? ""}:${id.replace("review-", "")}`))?.at ?? 0;
  } catch {
    return 0;
  }
}

/** Who comes back from a review goes on at its line. */
function focusLastOpened(): void {
  const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const isBack = loaded?.type === "back_forward" || /^\/executions\//.test(new URL(document.referrer || location.href).pathname);
  if (!isBack || document.activeElement !== document.body || location.hash) return;
  const last = lines().reduce<HTMLElement | null>((found, line) => (openedAt(line) > (found ? openedAt(found) : 0) ? line : found), null);
  focus(last);
}
addEventListener("load", () => setTimeout(focusLastOpened));

function move(by: 1 | -1): void {
  const all = lines();
  const line = focused();
  focus(all[placeFrom(line ? all.indexOf(line) : -1, by, all.length)]);
}

/** Select the line; one that cannot be selected yet says why. */
function select(line: HTMLElement): void {
  const box = line.querySelector<HTMLElement>("[data-review]:not(:disabled)");
  (box ?? line.querySelector<HTMLElement>(".waiting-select"))?.click();
}

document.addEventListener(COLLECT, (event) => {
  const offered = (event as CustomEvent<Shortcut[]>).detail;
  const texts = list()?.dataset;
  if (!texts) return;
  const line = focused();
  offered.push({ keys: "j", label: texts.keysNext ?? "", usable: true, run: () => move(1) });
  offered.push({ keys: "k", label: texts.keysPrevious ?? "", usable: true, run: () => move(-1) });
  offered.push({ keys: "Enter", label: texts.keysOpen ?? "", usable: line?.querySelector(".waiting-title") === document.activeElement && line !== null, run: null });
  if (texts.keysSelect) offered.push({ keys: "x", label: texts.keysSelect, usable: line !== null, run: () => line && select(line) });
});

// --- What others do ---------------------------------------------------------------------------------

const pointer = new MovedUnderPointer();
let before: { readonly line: string; readonly all: readonly string[]; readonly under: string } | null = null;

function underPointer(): string {
  const { x, y } = pointer.place;
  return document.elementFromPoint(x, y)?.closest(".waiting")?.id ?? "";
}

document.addEventListener("pointermove", ({ clientX: x, clientY: y }) => pointer.move({ x, y }), true);
document.addEventListener("htmx:before:swap", () => (before = { line: focused()?.id ?? "", all: idsOf(lines()), under: underPointer() }));
document.addEventListener("live:fetched", () => {
  if (!before) return;
  const { line, all, under } = before;
  before = null;
  const isLost = line && !focused() && [document.body, null].includes(document.activeElement as HTMLElement | null);
  if (isLost) focus(document.getElementById(heirOf(line, all, idsOf(lines())) ?? ""));
  if (under) pointer.changed(under, underPointer(), performance.now());
});
document.addEventListener(
  "click",
  (event) => {
    const isByPointer = event.detail > 0 && event.target instanceof Element && event.target.closest(".waiting");
    if (!isByPointer || !pointer.refuses(performance.now())) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);
