// Links to messages: one that is on the page is scrolled to, for any other its stretch or the page is loaded with it.

const OF_MESSAGE = /^#m([0-9]{1,9})$/;
// Stretches above load when they come near and push it away, until the reader takes over.
let stays = OF_MESSAGE.test(location.hash);
let awaited = false; // its stretch is being loaded
let ends = false; // End was pressed: stretches that load on the way down have other heights than their places

function wanted() {
  return OF_MESSAGE.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
}

function loadIfMissing() {
  const index = OF_MESSAGE.exec(location.hash)?.[1];
  if (!index || awaited || wanted()) return;
  const url = new URL(location.href);
  if (url.searchParams.get("at") === index) return; // it was asked for and is not there
  url.searchParams.delete("start");
  url.searchParams.set("at", index);
  location.replace(url);
}

// A script of the page that knows in which stretch a message stands leads to it without a new page.
document.addEventListener("message:go", (event) => {
  const { hash, section } = event.detail;
  const stretch = document.getElementById(section);
  awaited = !document.getElementById(hash.slice(1)) && Boolean(stretch);
  if (awaited) stretch.scrollIntoView();
  if (location.hash === hash) wanted()?.scrollIntoView();
  location.hash = hash;
  stays = true;
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.message-link, a.message-number");
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  if (!link || !plain || link.pathname !== location.pathname) return;
  if (!document.getElementById(link.hash.slice(1))) return;
  event.preventDefault();
  location.hash = link.hash;
});

window.addEventListener("hashchange", () => {
  stays = OF_MESSAGE.test(location.hash);
  loadIfMissing();
});

function isTyping({ target }) {
  return target.isContentEditable || target.matches?.("textarea, select, input:not([type=checkbox])");
}

for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  window.addEventListener(
    type,
    (event) => {
      stays = false;
      ends = event.key === "End" && !event.shiftKey && !event.altKey && !isTyping(event);
    },
    { passive: true },
  );
}
function stay() {
  if (stays) wanted()?.scrollIntoView();
  if (ends) window.scrollTo(0, document.documentElement.scrollHeight);
}

document.addEventListener("htmx:after:settle", () => {
  if (wanted()) awaited = false;
  stay();
});
// A stretch that was loaded gets its real height only when it is rendered, which is after that.
new ResizeObserver(stay).observe(document.querySelector(".conversation"));

loadIfMissing();
