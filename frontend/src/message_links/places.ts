// After a change the messages in sight stand where they stood before it.

import { anchorOf, type Place } from "./model";

const KEPT = "message-places";

/** Where each message in sight stands, in pixels from the upper edge of the window. */
function inSight(): Place[] {
  const shown = [...document.querySelectorAll<HTMLElement>(".conversation .message[id]")].filter((each) => each.checkVisibility());
  const places = shown.map((each) => ({ id: each.id, box: each.getBoundingClientRect() }));
  return places.filter(({ box }) => box.bottom > 0 && box.top < innerHeight).map(({ id, box }) => ({ id, top: box.top }));
}

/** A change was sent: the page that it leads to may be this one. */
export function keepPlaces(): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ page: location.pathname, places: inSight() }));
  } catch {
    // A browser that keeps nothing leads to the changed message, as any link does.
  }
}

/** The places that the page before this one kept for it; they are given out once. */
export function takePlaces(): readonly Place[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null") as { readonly page: string; readonly places: readonly Place[] } | null;
    sessionStorage.removeItem(KEPT);
    return kept?.page === location.pathname ? kept.places : [];
  } catch {
    return [];
  }
}

/** Whether a message that stood in sight is here, and stands there again. */
export function putBack(places: readonly Place[]): boolean {
  const anchor = anchorOf(places, (id) => document.getElementById(id)?.checkVisibility() === true);
  if (!anchor) return false;
  const { top } = (document.getElementById(anchor.id) as HTMLElement).getBoundingClientRect();
  window.scrollBy({ top: top - anchor.top, behavior: "instant" });
  return true;
}

const RENDERED = ".message-chapter:has(.message), .message-section:has(.message)";

/** What stood in sight has its real height at once; the browser renders it only when it comes near. */
export function renderAll(isAll: boolean): void {
  for (const each of document.querySelectorAll<HTMLElement>(RENDERED)) each.style.contentVisibility = isAll ? "visible" : "";
}

/** The browser scrolls to the message of the address once the page is parsed: it leads to where the message stands already. */
export function agreeOn(message: HTMLElement): void {
  message.style.scrollMarginTop = `calc(${message.getBoundingClientRect().top}px - var(--stuck))`;
}
