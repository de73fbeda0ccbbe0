// Leads to the words of a hit in the state of a version: unfolded, marked, and in sight.

import { mark, placeOfWords, showPassage, unfold } from "../find/marks";
import { textsIn } from "../find/model";

const NOT_SAID = ".state-key-head, .long-text summary, .comments"; // words of the page beside the value
const key = document.getElementById("found-key");
let isHeld = true; // until the reader moves the page

function show(item: HTMLElement): void {
  const wanted = { texts: textsIn(item.dataset.words ?? ""), isWhole: item.dataset.whole !== undefined };
  unfold(item.querySelectorAll("details"), wanted);
  mark(item, wanted, (around) => !around.closest(NOT_SAID));
  for (const passage of item.querySelectorAll<HTMLElement>("[data-passage]")) showPassage(passage, item, wanted);
  const place = isHeld ? placeOfWords(item) : null;
  if (place) window.scrollBy(0, place.top - innerHeight / 2);
}

if (key) {
  for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    window.addEventListener(type, () => (isHeld = false), { passive: true });
  }
  document.addEventListener("htmx:after:settle", () => show(key));
  // The browser goes to the place of the address when all is loaded.
  window.addEventListener("load", () => requestAnimationFrame(() => show(key)));
  show(key);
}
