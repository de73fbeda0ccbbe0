// Loads a stretch of messages when it comes near and stays there; one that is only flung past is not
// loaded: taking in fifty messages costs a frame or more, and nobody would read them.

const STAYS_MS = 90;
const waiting = new Map(); // the timer of each stretch that is near

const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) {
        clearTimeout(waiting.get(target));
        waiting.delete(target);
      } else if (!waiting.has(target)) {
        waiting.set(target, setTimeout(load, STAYS_MS, target));
      }
    }
  },
  { rootMargin: "300px 0px" },
);

function load(stretch) {
  waiting.delete(stretch);
  near.unobserve(stretch);
  if (stretch.isConnected) stretch.dispatchEvent(new CustomEvent("near"));
}

const watched = new WeakSet();

function watch() {
  for (const stretch of document.querySelectorAll(".message-section-waiting")) {
    if (watched.has(stretch)) continue;
    watched.add(stretch);
    near.observe(stretch);
  }
}

document.addEventListener("htmx:after:swap", () => {
  for (const stretch of document.querySelectorAll(".message-section-waiting:has(.message)")) {
    stretch.classList.remove("message-section-waiting");
  }
});

// The page is fetched again when the conversation grew: there may be new places.
document.addEventListener("htmx:after:settle", watch);
watch();
