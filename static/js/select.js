// Selecting messages: boxes, ranges by Shift, arrows; the selection outlives stretches that load later.

const form = document.getElementById("selection");
const count = form.querySelector(".selection-count");
const chosen = new Map(); // positions in the view, each with its message if that is loaded
let anchor = null;
let revision = seen();

function seen() {
  return form.elements.namedItem("revision").value;
}

function position(box) {
  return Number(box.value);
}

function messageOf(box) {
  return box.closest(".message").id;
}

function boxes() {
  return [...document.querySelectorAll(".message-select")];
}

/** A page that moves by itself puts other messages into the places: the selection follows its own. */
function follow() {
  const places = new Map(boxes().map((box) => [messageOf(box), position(box)]));
  const before = [...chosen];
  const same = revision === seen();
  chosen.clear();
  for (const [at, message] of before) {
    if (message === null && same) chosen.set(at, null);
    else if (places.has(message)) chosen.set(places.get(message), message);
  }
  if (!same) anchor = null;
  revision = seen();
}

function show() {
  follow();
  for (const box of boxes()) {
    box.checked = chosen.has(position(box));
    if (box.checked) chosen.set(position(box), messageOf(box));
    box.closest(".message").classList.toggle("message-chosen", box.checked);
  }
  form.classList.toggle("selection-empty", !chosen.size);
  count.textContent = (chosen.size === 1 ? count.dataset.one : count.dataset.many)
    .replace("{count}", chosen.size.toLocaleString(document.documentElement.lang));
  for (const button of form.querySelectorAll("[data-needs-one]")) button.disabled = chosen.size !== 1;
}

function set(from, to, on) {
  for (let at = Math.min(from, to); at <= Math.max(from, to); at += 1) {
    if (on && !chosen.has(at)) chosen.set(at, null);
    else if (!on) chosen.delete(at);
  }
}

/** The positions as ranges: 3-5,9. */
function ranges() {
  const sorted = [...chosen.keys()].sort((a, b) => a - b);
  const found = [];
  for (const at of sorted) {
    const last = found.at(-1);
    if (last && last[1] === at - 1) last[1] = at;
    else found.push([at, at]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

document.addEventListener("click", (event) => {
  const box = event.target.closest(".message-select");
  if (!box) return;
  const at = position(box);
  if (event.shiftKey && anchor !== null) set(anchor, at, box.checked);
  else set(at, at, box.checked);
  anchor = at;
  show();
});

document.addEventListener("keydown", (event) => {
  const box = event.target.closest?.(".message-select");
  if (box && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    const all = boxes();
    const next = all[all.indexOf(box) + (event.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    if (event.shiftKey) {
      set(position(box), position(next), true);
      anchor ??= position(box);
      show();
    }
    next.focus();
  }
});

function clear() {
  chosen.clear();
  anchor = null;
  show();
}

form.querySelector("[data-clear]").addEventListener("click", clear);

form.addEventListener("formdata", (event) => {
  event.formData.delete("at");
  event.formData.set("positions", ranges());
});

// Stretches that load, and a page that comes back with boxes ticked.
document.addEventListener("htmx:after:settle", show);
window.addEventListener("pageshow", () => {
  for (const box of boxes()) if (box.checked) chosen.set(position(box), messageOf(box));
  show();
});
