// Finding in a conversation: hits beside the messages, the next and the one before, words marked in place.

const form = document.getElementById("find");
const results = document.getElementById("find-results");
const list = document.getElementById("hits");
const count = results.querySelector(".find-count");
const marks = CSS.highlights ? new Highlight() : null; // without it the hits still lead there
let place = -1;

marks && CSS.highlights.set("found", marks);

function words() {
  return results.dataset.words ?? "";
}

/** Mark the words in the texts under an element; they are compared as the server does. */
function mark(root) {
  const wanted = words().toLowerCase();
  if (!marks || !wanted) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const body = node.parentElement.closest(".message-body");
    if (!body) continue;
    const text = node.data.toLowerCase();
    if (text.length !== node.data.length) continue; // a letter that grows: places would not fit
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new StaticRange({
        startContainer: node, startOffset: at, endContainer: node, endOffset: at + wanted.length,
      });
      marks.add(range);
    }
  }
}

function markAll() {
  marks?.clear();
  for (const section of document.querySelectorAll(".message-section")) mark(section);
}

function links() {
  return [...list.querySelectorAll(".hit-link")];
}

function tell() {
  const total = links().length;
  const more = list.querySelector(".hit-more");
  const text = total ? (more ? count.dataset.more : count.dataset.hits) : more ? "" : count.dataset.none;
  count.textContent = text.replace("{place}", String(place + 1)).replace("{count}", String(total));
  results.classList.toggle("find-empty", !total && !more);
  results.querySelector('[data-find="-1"]').disabled = place <= 0;
  results.querySelector('[data-find="1"]').disabled = place >= total - 1 && !more;
}

/** Open what is folded around the words, so that a hit can be seen. */
function unfold(message) {
  const wanted = words().toLowerCase();
  for (const folded of message?.querySelectorAll(".message-body details:not([open])") ?? []) {
    if (folded.textContent.toLowerCase().includes(wanted)) folded.open = true;
  }
  for (const place of message?.querySelectorAll("[data-passage]") ?? []) showPassage(place, wanted);
}

/** A message that is shown shortened gets the passage with the words, if they are not in its beginning. */
function showPassage(place, wanted) {
  if (place.closest(".message-body").textContent.toLowerCase().includes(wanted)) return;
  if (place.dataset.words === wanted) return; // it is on its way, or has none
  place.dataset.words = wanted;
  const url = `${place.dataset.passage}?${new URLSearchParams({ around: words() })}`;
  window.htmx.ajax("GET", url, { target: `#${place.id}`, swap: "innerHTML" });
}

function go(to) {
  const all = links();
  if (to >= all.length) {
    list.querySelector(".hit-more a")?.click();
    return;
  }
  if (to < 0 || !all[to]) return;
  all[place]?.removeAttribute("aria-current");
  place = to;
  all[place].setAttribute("aria-current", "true");
  all[place].scrollIntoView({ block: "nearest" });
  unfold(document.getElementById(all[place].hash.slice(1)));
  const { section } = all[place].dataset;
  document.dispatchEvent(
    new CustomEvent("message:go", { detail: { hash: all[place].hash, section } }),
  );
  tell();
}

function look(text) {
  results.dataset.words = text;
  results.hidden = !text;
  list.replaceChildren();
  place = -1;
  markAll();
  const url = new URL(location.href);
  url.searchParams.delete("q");
  if (text) url.searchParams.set("q", text);
  history.replaceState(history.state, "", url);
  if (!text) return;
  const query = new URLSearchParams(new FormData(form));
  window.htmx.ajax("GET", `${form.action}?${query}`, { target: "#hits", swap: "innerHTML" });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = form.elements.q.value.trim();
  if (text && text === words() && links().length) go(place + 1);
  else look(text);
});

form.elements.q.addEventListener("search", () => {
  if (!form.elements.q.value) look("");
});

results.addEventListener("click", (event) => {
  const step = event.target.closest("[data-find]")?.dataset.find;
  if (step === "close") {
    form.elements.q.value = "";
    look("");
  } else if (step) go(place + Number(step));
  const link = event.target.closest(".hit-link");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (!document.getElementById(link.dataset.section)) return;
  event.preventDefault();
  go(links().indexOf(link));
});

document.addEventListener("htmx:after:settle", (event) => {
  if (list.contains(event.target) || event.target === list) {
    tell();
    if (place < 0 && links().length && !location.hash) go(0);
    return;
  }
  markAll();
  const current = links()[place];
  if (current) unfold(document.getElementById(current.hash.slice(1)));
});

if (words()) look(words());
