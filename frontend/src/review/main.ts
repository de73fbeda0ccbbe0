// The card of a review remembers that it was open, and the queue lets those be selected that were
// opened as they are now. A rejection asks for its reason before it is sent.

import { forgotten, openedOf, readLook, type Look } from "./model";

const PREFIX = `look:${document.body.dataset.person ?? ""}:`;

function stored(name: string): Look | null {
  try {
    return readLook(localStorage.getItem(name));
  } catch {
    return null; // a browser that keeps nothing: each review is approved on its card
  }
}

// --- The card --------------------------------------------------------------------------------------

function remember(): void {
  const card = document.querySelector<HTMLElement>("[data-look]");
  const { look: proof, seen, name } = card?.dataset ?? {};
  if (document.hidden || !proof || !seen || !name) return;
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ seen, proof, at: Date.now() } satisfies Look));
    const names = Object.keys(localStorage).filter((each) => each.startsWith("look:"));
    for (const each of forgotten(new Map(names.map((one) => [one, stored(one)])))) localStorage.removeItem(each);
  } catch {
    // As above.
  }
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("[data-needs-reason]") : null;
  const reason = button?.form?.elements.namedItem("reason");
  if (!(reason instanceof HTMLTextAreaElement) || reason.value.trim()) return;
  event.preventDefault();
  reason.required = true;
  reason.value = "";
  reason.reportValidity();
  reason.focus();
  reason.required = false;
});

// --- The queue -------------------------------------------------------------------------------------

const form = document.getElementById("approve-several") as HTMLFormElement | null;

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>("[data-review]")];
}

function markOpened(): void {
  for (const box of boxes()) {
    const look = stored(PREFIX + box.dataset.review);
    const opened = openedOf(look, box.dataset.seen ?? "");
    box.disabled = opened !== "opened";
    if (box.disabled) box.checked = false;
    box.value = look?.proof ?? "";
    const place = box.parentElement;
    if (place === null) continue;
    place.dataset.opened = opened;
    place.title = form?.dataset[opened] ?? "";
    box.setAttribute("aria-description", place.title);
  }
  count();
}

function count(): void {
  const number = boxes().filter(({ checked }) => checked).length;
  const said = form?.querySelector("[data-count]");
  if (!form || !said) return;
  form.classList.toggle("approve-bar-empty", number === 0);
  said.textContent = (number === 1 ? form.dataset.one : form.dataset.many)?.replace("{n}", String(number)) ?? "";
}

if (form !== null) {
  markOpened();
  document.addEventListener("change", (event) => event.target instanceof HTMLInputElement && event.target.matches("[data-review]") && count());
  window.addEventListener("storage", ({ key }) => key?.startsWith(PREFIX) && markOpened());
  window.addEventListener("pageshow", markOpened);
}
remember();
document.addEventListener("visibilitychange", remember);
document.addEventListener("live:fetched", remember);
