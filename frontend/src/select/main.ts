// Selecting messages: boxes, ranges by Shift, arrows; the selection outlives sections that load later.

import { followed, named, nothing, positionsOf, pressed, queryOf, ranged, ranges, type Selection } from "./model";

const form = document.getElementById("selection") as HTMLFormElement;
const count = form.querySelector(".selection-count") as HTMLElement;
let selection: Selection = nothing(shownRevision());

function shownRevision(): string {
  return (form.elements.namedItem("revision") as HTMLInputElement).value;
}

function position(box: HTMLInputElement): number {
  return Number(box.value);
}

function messageOf(box: HTMLInputElement): HTMLElement {
  return box.closest(".message") as HTMLElement;
}

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>(".message-select")];
}

function boxOf(target: EventTarget | null): HTMLInputElement | null {
  return target instanceof Element ? target.closest<HTMLInputElement>(".message-select") : null;
}

function placesOf(all: readonly HTMLInputElement[]): Map<string, number> {
  return new Map(all.map((box) => [messageOf(box).id, position(box)]));
}

function show(now: Selection = selection): void {
  const all = now.chosen.size || selection.chosen.size ? boxes() : [];
  const places = placesOf(all);
  selection = named(followed(now, places, shownRevision()), places);
  const { chosen } = selection;
  for (const box of all) {
    box.checked = chosen.has(position(box));
    messageOf(box).classList.toggle("message-chosen", box.checked);
  }
  form.classList.toggle("selection-empty", !chosen.size);
  document.documentElement.classList.toggle("has-selection", chosen.size > 0);
  const words = chosen.size === 1 ? count.dataset.one : count.dataset.many;
  count.textContent = (words ?? "").replace("{count}", chosen.size.toLocaleString(document.documentElement.lang));
  for (const button of form.querySelectorAll<HTMLButtonElement>("[data-needs-one]")) button.disabled = chosen.size !== 1;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-with-selection]")) {
    const seen = { revision: shownRevision(), count: (form.elements.namedItem("count") as HTMLInputElement).value };
    link.search = queryOf(selection, link.dataset.withSelection ?? "", seen);
  }
}

/** Under a filter a range has the messages that it shows, and none of those between them. */
function onlyShown(now: Selection): Selection {
  if (!document.querySelector(".reading-count")) return now;
  const places = new Set(boxes().map(position));
  return { ...now, chosen: new Map([...now.chosen].filter(([at]) => places.has(at) || selection.chosen.has(at))) };
}

/** What someone selected, and no key or action selected for them, stays when a sheet is closed. */
function choose(now: Selection): void {
  delete form.dataset.implicit;
  show(now);
  document.dispatchEvent(new CustomEvent("select:changed"));
}

document.addEventListener("click", (event) => {
  const box = boxOf(event.target);
  if (box) choose(onlyShown(pressed(selection, position(box), box.checked, event.shiftKey)));
});

/** Shift and an arrow at a message itself select from it on. */
function boxAt(event: KeyboardEvent): HTMLInputElement | null {
  const message = event.shiftKey && event.target instanceof Element && event.target.matches(".message") ? event.target : null;
  return boxOf(event.target) ?? message?.querySelector(":scope > .message-head .message-select") ?? null;
}

document.addEventListener("keydown", (event) => {
  const box = boxAt(event);
  if (!box || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
  const all = boxes().filter((each) => messageOf(each).checkVisibility());
  const next = all[all.indexOf(box) + (event.key === "ArrowDown" ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  if (event.shiftKey) {
    const now = ranged(selection, position(box), position(next), true);
    choose({ ...now, anchor: now.anchor ?? position(box) });
  }
  (event.target === box ? next : messageOf(next)).focus();
});

document.addEventListener("select:positions", (event) => {
  const found = positionsOf((event as CustomEvent<{ positions: string | null }>).detail.positions ?? "");
  choose(found.reduce((now, [from, to]) => ranged(now, from, to, true), nothing(shownRevision())));
});

form.querySelector("[data-clear]")?.addEventListener("click", () => choose(nothing(shownRevision())));

// The sheet of one message was closed without applying it: nothing is selected, as before.
document.addEventListener("sheet:closed", () => {
  if (form.dataset.implicit === undefined) return;
  const message = boxes().find((box) => box.checked)?.closest<HTMLElement>(".message");
  choose(nothing(shownRevision()));
  message?.focus({ preventScroll: true });
});

/** Without a selection a key acts on the message in focus: its page begins with that one. */
document.addEventListener(
  "click",
  (event) => {
    if (selection.chosen.size || !(event.target instanceof Element) || !event.target.closest("a[data-with-selection]")) return;
    const message = document.activeElement?.closest(".message");
    const box = message?.querySelector<HTMLInputElement>(":scope > .message-head .message-select");
    if (box) show(pressed(selection, position(box), true, false));
  },
  { capture: true },
);

/** One message is hidden without being selected first: the sheet opens for it, or for all if it is among the selected. */
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("[data-action=hide]") : null;
  const box = link?.closest(".message")?.querySelector<HTMLInputElement>(":scope > .message-head .message-select");
  if (!box || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (!selection.chosen.has(position(box))) {
    show(pressed(nothing(shownRevision()), position(box), true, false));
    form.dataset.implicit = "";
  }
  form.querySelector<HTMLButtonElement>("button[value=hide]")?.click();
});

/** The texts of the selected messages, each under who says it, in the order of the page. */
async function copy({ dataset }: HTMLElement): Promise<void> {
  const found = boxes().filter((box) => box.checked).map(messageOf);
  const texts = found.map((message) => {
    const role = message.querySelector(".message-role")?.textContent?.trim() ?? "";
    const body = message.querySelector<HTMLElement>(":scope > .message-body > .message-text .fold-text")?.innerText.trim() ?? "";
    const calls = [...message.querySelectorAll(":scope > .message-body > .tool-call > .tool-call-head")].map((call) => (call.textContent ?? "").trim());
    return [`${role}:`, body, ...calls].filter(Boolean).join("\n");
  });
  let words = found.length < selection.chosen.size ? dataset.part : dataset.copied;
  try {
    await navigator.clipboard.writeText(texts.join("\n\n"));
  } catch {
    words = dataset.failed;
  }
  const text = (words ?? "").replace("{count}", found.length.toLocaleString(document.documentElement.lang));
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: words === dataset.failed ? "warning" : "success" } }));
}

form.querySelector<HTMLElement>("[data-copy-selected]")?.addEventListener("click", (event) => void copy(event.currentTarget as HTMLElement));

form.addEventListener("formdata", (event) => {
  event.formData.delete("at");
  event.formData.set("positions", ranges(selection));
});

// Sections that load, and a page that comes back with boxes selected.
document.addEventListener("htmx:after:settle", () => show());
window.addEventListener("pageshow", () => {
  const selected = boxes().filter((box) => box.checked);
  show(selected.reduce((now, box) => ranged(now, position(box), position(box), true), selection));
});
