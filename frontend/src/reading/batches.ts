// The way back by keys: `b` leads to the batches that can be rolled back to, arrows among them.

const WAYS = "#batches a.batch-action";

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
