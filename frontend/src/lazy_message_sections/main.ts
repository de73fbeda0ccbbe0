// Loads sections of messages when they come near.

import { Loading } from "./model";

const WAITING = ".message-section-waiting";
const watched = new WeakSet<Element>();

const loading = new Loading<Element>((section) => {
  near.unobserve(section);
  if (section.isConnected) section.dispatchEvent(new CustomEvent("near"));
});

const near = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => loading.look(target, isIntersecting)), {
  rootMargin: "300px 0px",
});

function watch(): void {
  for (const section of document.querySelectorAll(WAITING)) {
    if (watched.has(section)) continue;
    watched.add(section);
    near.observe(section);
  }
}

document.addEventListener("htmx:after:swap", () => {
  for (const section of document.querySelectorAll(`${WAITING}:has(.message)`)) section.classList.remove(WAITING.slice(1));
});
// The page is fetched again when the conversation grew: there may be new places.
document.addEventListener("htmx:after:settle", watch);
watch();
