// The way back by keys: `b` leads to the batches that can be rolled back to, arrows among them; the
// palette offers the first of them.

import { ACTIONS, type Item } from "../palette/model";

const WAYS = "#batches a.batch-action";
const MOST_OFFERED = 5;

function ways(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(WAYS)].filter((each) => each.checkVisibility());
}

export function hasWayBack(): boolean {
  return ways().length > 0;
}

/** To the batch before the current one: Enter asks whether to roll back. */
export function goToBatches(): void {
  const [first] = ways();
  first?.focus();
  first?.scrollIntoView({ block: "nearest" });
}

document.addEventListener(
  "keydown",
  (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const here = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(WAYS) : null;
    if (!here || !step) return;
    event.preventDefault();
    const all = ways();
    all[all.indexOf(here) + step]?.focus();
  },
  { capture: true },
);

document.addEventListener(ACTIONS, (event) => {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(`${WAYS}[data-palette]`)].slice(0, MOST_OFFERED);
  const items = links.map((link): Item => ({ label: link.dataset.palette ?? "", url: link.href, icon: "arrow-back-up", run: () => link.click() }));
  (event as CustomEvent<Item[]>).detail.push(...items);
});

/** Two batches are compared: with one or three the button waits. */
function allowComparing(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-compares-two]");
  if (button) button.disabled = document.querySelectorAll("#batches .batch-tick:checked").length !== 2;
}

document.addEventListener("change", ({ target }) => target instanceof Element && target.matches(".batch-tick") && allowComparing());
document.addEventListener("htmx:after:settle", allowComparing);
window.addEventListener("pageshow", allowComparing);
allowComparing();
