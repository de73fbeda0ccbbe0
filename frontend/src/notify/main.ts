// Shows browser notifications of the events that the reader subscribed to, while any page is open.

import { addressOf, newsIn, type Piece, readTold } from "./model";

const ON = "notify"; // "on" if this browser is to tell
const TOLD = "notify-told";
const AFTER = "notify-after"; // from when on to ask
const EVERY_MS = 20_000;
const url = document.body.dataset.news;
const allow = document.getElementById("notify-allow");

function wanted(): boolean {
  try {
    return localStorage.getItem(ON) === "on" && Notification.permission === "granted";
  } catch {
    return false;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing asks again on the next page.
  }
}

function tell({ id, said, link }: Piece): void {
  // Words on a locked screen say only what kind of thing happened.
  const note = new Notification(said, { tag: id });
  note.addEventListener("click", () => {
    window.focus();
    location.assign(link);
  });
}

async function look(address: string): Promise<void> {
  if (!wanted()) return;
  try {
    const asked = addressOf(address, localStorage.getItem(AFTER) ?? "", Date.now());
    const answer = await fetch(asked, { headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) return;
    const { results, next } = (await answer.json()) as { readonly results: readonly Piece[]; readonly next: string };
    const { news, told } = newsIn(results, readTold(localStorage.getItem(TOLD)));
    keep(TOLD, JSON.stringify(told));
    keep(AFTER, next);
    news.forEach(tell);
  } catch {
    // The server does not answer; the next look may be luckier.
  }
}

function show(button: HTMLElement): void {
  button.setAttribute("aria-pressed", String(wanted()));
}

async function toggle(button: HTMLElement, address: string): Promise<void> {
  const on = !wanted();
  if (on && (await Notification.requestPermission()) !== "granted") {
    const text = button.parentElement?.dataset.denied;
    document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
  }
  keep(ON, on ? "on" : "off");
  show(button);
  void look(address);
}

if (url && "Notification" in window) {
  if (allow?.parentElement) {
    allow.parentElement.hidden = false;
    allow.addEventListener("click", () => void toggle(allow, url));
    show(allow);
  }
  void look(url);
  setInterval(() => void look(url), EVERY_MS);
}
