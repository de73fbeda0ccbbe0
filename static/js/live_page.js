// A page that is live: its parts are fetched again when something changed, and it says who is here.

const PAUSE_MS = 300; // between two fetches, however much happens
const POLL_MS = 2000; // as long as there is no socket
const LOOK_MS = 30_000; // for lists, whose frames have no numbers that show a gap
const LOST_AFTER_MS = 700; // a page that is left loses its socket, too

const link = document.getElementById("live-link");
const { needs, mode, slow } = link.dataset;
const texts = link.dataset;
const now = () => document.getElementById("live-now")?.dataset ?? {}; // what the page shows

let isOpen = false;
let wasWelcome = false;
let fetching = false;
let again = false;
let newest = 0;
let me = ""; // the person, as frames name who did something
let applying = false; // the form on the page is being applied
let reload = [];

/** What moves the page by itself waits for the end of a click; see still.js. */
function whenStill(then) {
  document.dispatchEvent(new CustomEvent("page:still", { detail: { then } }));
}

/** Fetch the page once more and put its changed parts in the place of the old ones. */
async function fetchParts() {
  if (mode !== "parts") return;
  if (fetching || document.hidden) {
    again = true;
    return;
  }
  fetching = true;
  again = false;
  await new Promise(whenStill);
  const url = (!isOpen && now().poll) || location.pathname + location.search;
  try {
    await window.htmx.ajax("GET", url, {
      source: link,
      target: "#page-content",
      select: "#page-content",
      selectOOB: "#page-head:outerMorph",
      swap: "outerMorph",
    });
    document.dispatchEvent(new CustomEvent("live:fetched"));
    sayVersion();
    await loadStretches();
  } finally {
    setTimeout(fetched, slow ? 1000 : PAUSE_MS);
  }
}

function fetched() {
  fetching = false;
  if (again) void fetchParts();
}

function sayVersion() {
  const said = document.getElementById("live-said");
  if (said) said.textContent = now().said ?? "";
}

// A stretch of messages that the reader has loaded is kept, for which the fetched page has only a
// place; it is loaded anew if it changed, which the name of that place or the revision tells.
document.addEventListener("htmx:before:swap", (event) => {
  if (event.detail.ctx.sourceElement !== link) return;
  let isStill = false;
  whenStill(() => (isStill = true));
  if (!isStill) {
    again = true;
    event.preventDefault();
    return;
  }
  const fetched = event.detail.tasks.find((task) => task.fragment.querySelector("#live-now"))?.fragment;
  if (!fetched) return;
  const same = fetched.querySelector("#live-now").dataset.revision === now().revision;
  for (const stretch of document.querySelectorAll(".message-section:has(.message)")) {
    const place = fetched.querySelector(`#${CSS.escape(stretch.id)}.message-section-waiting`);
    stretch.toggleAttribute("hx-morph-skip", Boolean(place));
    if (!place) continue;
    const name = place.getAttribute("aria-label");
    if (same && stretch.getAttribute("aria-label") === name) continue;
    stretch.setAttribute("aria-label", name);
    reload.push([stretch, place.getAttribute("hx-get")]);
  }
});

async function loadStretches() {
  const wanted = reload;
  reload = [];
  for (const [target, url] of wanted) {
    if (target.isConnected) await window.htmx.ajax("GET", url, { target, swap: "innerHTML" });
  }
}

document.addEventListener("live:welcome", (event) => {
  const { state, scopes, person } = event.detail;
  me = person;
  const first = !wasWelcome;
  wasWelcome = true;
  if (needs) mayEdit(scopes.includes(needs) || scopes.includes("admin"), texts.rights);
  newest = state?.seq ?? 0;
  if (state ? newest > Number(now().seq ?? 0) : !first) changed({ seq: newest, status: state?.status, keys: [] }, state);
});

document.addEventListener("live:changed", (event) => {
  const { frame, state } = event.detail;
  if (frame.type === "gone") note("gone", texts.gone);
  else changed(frame, state);
});

function changed(frame, state) {
  newest = Math.max(newest, frame.seq ?? 0);
  if (mode === "edit") sayChange(frame, state?.execution);
  else void fetchParts();
}

document.addEventListener("live:open", (event) => {
  isOpen = event.detail.open;
  link.dataset.live = isOpen ? "open" : "closed";
  setTimeout(() => whenStill(showLost), isOpen ? 0 : LOST_AFTER_MS);
});

function showLost() {
  link.querySelector(".live-lost").hidden = isOpen || !wasWelcome || link.dataset.live === "refused";
}

document.addEventListener("live:refused", (event) => {
  const { code, final } = event.detail;
  if (final) link.dataset.live = "refused";
  if (code === 4404) note("gone", texts.gone);
  if (code === 4403) {
    mayEdit(false, texts.rights);
    void fetchParts();
  }
  if (code === 4401) {
    mayEdit(false, "");
    note("rights", texts.signedOut, document.getElementById("live-sign-in"));
  }
});

// Without a socket a page does what it did before there was one.
setInterval(() => {
  if (!isOpen && link.dataset.live !== "refused" && now().poll) void fetchParts();
}, POLL_MS);
if (slow) setInterval(() => isOpen && void fetchParts(), LOOK_MS);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && again && !fetching) void fetchParts();
});

// --- Notes ------------------------------------------------------------------------------------

function note(name, text, action) {
  whenStill(() => putNote(name, text, action));
}

/** Say `text` under `name`, with the link of the template `action`; without a text take it away. */
function putNote(name, text, action) {
  const notes = document.getElementById("live-notes");
  let found = notes.querySelector(`[data-note="${name}"]`);
  if (!text) {
    found?.remove();
    return;
  }
  if (!found) {
    found = document.getElementById("live-note").content.firstElementChild.cloneNode(true);
    found.dataset.note = name;
    notes.append(found);
  }
  const body = found.querySelector(".note-body");
  body.textContent = text;
  if (action) body.append(" ", action.content.cloneNode(true));
}

document.addEventListener("live:note", ({ detail: { name, text } }) => note(name, text));

function nameOf(status) {
  return link.getAttribute(`data-status-${status.toLowerCase()}`) ?? status;
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** In edit mode nothing is swapped: what is typed stays, and the page says what became of its base. */
function sayChange(frame, execution) {
  if (now().execution && execution && execution !== now().execution) {
    note("moved", texts.another);
    note("changed", ""); // its versions are not those of the form
    return;
  }
  if (frame.status && frame.status !== "PAUSED") {
    note("moved", filled(texts.moved, { status: nameOf(frame.status) }));
    return;
  }
  note("moved", "");
  const mine = frame.who?.kind === "person" && frame.who.id === me;
  if (mine && applying) return; // it is what this page writes
  if (!frame.who) return note("changed", texts.changedSeen); // found by looking: it may be of this very person
  const [words, wordsOfKeys] = mine ? [texts.changedYou, texts.changedKeysYou] : [texts.changed, texts.changedKeys];
  const values = { who: frame.who.name, version: frame.version ?? "" };
  if (frame.version == null) return; // a remark, a claim: nothing of the state
  const named = (frame.keys ?? []).join(", ");
  note("changed", filled(named ? wordsOfKeys : words, { ...values, keys: named }));
}

document.addEventListener("submit", ({ submitter }) => (applying = ["apply", "approve"].includes(submitter?.value)));
document.addEventListener("form:stays", () => (applying = false), true);
window.addEventListener("pageshow", () => (applying = false));

/** Without the right to write, what was typed can still be read and copied. */
function mayEdit(may, why) {
  if (!needs) return;
  note("rights", may ? "" : why);
  for (const field of document.querySelectorAll("form[data-guard] :is(input, textarea, select, button)")) {
    if (field.type === "hidden") continue;
    if (field.matches("textarea, input:not([type=checkbox])")) field.readOnly = !may;
    else field.disabled = !may;
  }
  link.dataset.editing = may ? "allowed" : "ended";
  if (may) document.dispatchEvent(new CustomEvent("form:editable"));
}

// --- Who is here ------------------------------------------------------------------------------

document.addEventListener("live:people", ({ detail }) => whenStill(() => showPeople(detail)));

function showPeople({ people, more, you, person }) {
  const others = people.filter((each) => each.socket !== you);
  const list = link.querySelector(".live-people");
  const seen = new Map(others.map((each) => [`${each.id} ${each.editing} ${each.where}`, each]));
  list.replaceChildren(...[...seen.values()].map((each) => personLine(each, person)));
  if (more) list.append(line(`+${more}`));
  list.hidden = !others.length;
  markKeys(others, person);
}

function line(...parts) {
  const item = document.createElement("li");
  item.append(...parts);
  return item;
}

function personLine(each, person) {
  const name = document.createElement("b");
  name.translate = false;
  name.textContent = each.id === person ? texts.you : each.name;
  const [kind, ...rest] = each.where.split(":");
  const item = line(name, " ", each.editing ? texts.edits : texts.here);
  if (each.editing) {
    const place = document.createElement(rest.length ? "code" : "span");
    place.textContent = rest.length ? rest.join(":") : texts.state;
    item.append(" ", place);
  }
  item.classList.toggle("live-editing", each.editing);
  item.dataset.kind = kind;
  return item;
}

/** Show at each key of the form who edits it elsewhere. */
function markKeys(others, person) {
  for (const row of document.querySelectorAll(".edit-key[data-key-name]")) {
    const busy = others.filter((each) => each.editing && each.where === `key:${row.dataset.keyName}`);
    let mark = row.querySelector(".live-busy");
    if (!busy.length) mark?.remove();
    else {
      mark ??= row.querySelector(".edit-key-head").appendChild(document.createElement("span"));
      mark.className = "live-busy badge tone-orange";
      const names = new Set(busy.map((each) => (each.id === person ? texts.you : each.name)));
      mark.textContent = `${[...names].join(", ")} ${texts.editsThis}`;
    }
  }
}

if (mode === "edit") {
  document.addEventListener("focusin", (event) => {
    const editing = Boolean(event.target.matches("input, textarea, select") && event.target.form?.matches("[data-guard]"));
    const name = event.target.closest(".edit-key[data-key-name]")?.dataset.keyName;
    const where = editing && name ? `key:${name}` : "";
    document.dispatchEvent(new CustomEvent("live:here", { detail: { where, editing } }));
  });
}

document.dispatchEvent(new CustomEvent("live:connect", { detail: { path: link.dataset.socket } }));
