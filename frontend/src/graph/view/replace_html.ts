// Replaces older HTML of the server by newer, without disturbing focus or input.

// What is loaded into such a place is not in the HTML that is put.
const LOADED = "[hx-morph-skip-children]";

/**
 * What stands in both stays the same element: with the focus, scrolled as it was, still the target of
 * an answer that is on its way. What a person has opened stays open.
 */
export function freshen(box: HTMLElement, html: string): void {
  const htmx = window.htmx;
  if (!htmx) {
    box.innerHTML = html;
    return;
  }
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  const [before, after] = [foldsOf(box), foldsOf(fresh.content)];
  // Of other folds than before nobody has opened any.
  if (before.length === after.length) after.forEach((fold, place) => fold.toggleAttribute("open", before[place]?.open));
  void htmx.swap({ target: box, sourceElement: box, text: fresh.innerHTML, swap: "innerMorph" });
}

/** HTML of something else than what stood there. */
export function replace(box: HTMLElement, html: string): void {
  box.innerHTML = html;
  window.htmx?.process(box);
}

function foldsOf(root: ParentNode): HTMLDetailsElement[] {
  return [...root.querySelectorAll("details")].filter((fold) => !fold.closest(LOADED));
}
