// Keeps what is typed into the form of a state on the server, while it is typed: it outlives the
// page, the session and the connection. `data-kept` marks the form, `data-kept-word` says how it is.
// A form with something that is not kept yet is sent only after it was: an error page in its place
// would take what was typed away.

const QUIET_MS = 700;
const LARGE = 500_000; // characters from which on a text is sent less often
const LARGE_QUIET_MS = 4000;
const LONGEST_WAIT_MS = 20_000;

const form = document.querySelector("form[data-kept]");
const word = form?.querySelector("[data-kept-word]");
let timer = 0;
let quiet = QUIET_MS;
let wait = QUIET_MS;
let running = null; // the keeping that is under way
let again = false; // something was typed since it was sent
let away = false; // the last one was not answered
let leaving = false; // the form is being sent

function say(text, wrong = false) {
  word.textContent = text;
  word.classList.toggle("text-danger", wrong);
}

function later(after) {
  clearTimeout(timer);
  timer = setTimeout(keep, after);
}

function waits() {
  return Boolean(timer || running || again);
}

function keep() {
  clearTimeout(timer);
  timer = 0;
  again = Boolean(running);
  running ??= send().finally(() => (running = null));
  return running;
}

async function send() {
  const fields = new FormData(form);
  fields.set("step", "keep");
  quiet = String(fields.get("raw") ?? "").length > LARGE ? LARGE_QUIET_MS : QUIET_MS;
  try {
    away = true;
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/json" } });
    away = answer.status >= 500;
    await heed(answer);
  } catch {
    say(word.dataset.keptWaits, true);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    later(wait);
    return;
  }
  if (again) later(quiet);
}

/** What the server said; an error is thrown where it is worth asking again. */
async function heed(answer) {
  const said = /^application\/(problem\+)?json/.test(answer.headers.get("Content-Type") ?? "") ? await answer.json() : null;
  if (answer.ok && said) {
    form.elements.namedItem("seq").value = said.seq;
    wait = quiet;
    say(word.dataset.keptSaved);
    if (!again) document.dispatchEvent(new CustomEvent("form:kept", { detail: { form } }));
  } else if (said && answer.status < 500) {
    say(said.detail, true);
  } else {
    throw new Error(`not kept: ${answer.status}`);
  }
}

// Another page of the same person may keep other keys: this one speaks only of those that were
// touched here, and not of what it was given when it was loaded.
const touched = form?.elements.namedItem("touched");
const places = new Set();

function touch(field) {
  const place = /-([0-9]+)$/.exec(field.name ?? "")?.[1];
  if (place === undefined || !touched) return;
  places.add(place);
  touched.value = [...places].join(" ");
}

function isAsGiven(field) {
  if (field.type === "checkbox") return field.checked === field.defaultChecked;
  if (field.type === "select-one") return field.selectedOptions[0]?.defaultSelected === true;
  return field.type === "hidden" || field.value === field.defaultValue;
}

if (touched) {
  touched.value = "";
  for (const field of form.elements) {
    if (!isAsGiven(field)) touch(field); // the browser put it back
  }
}

function heard(event) {
  touch(event.target);
  later(quiet);
}

form?.addEventListener("input", heard);
form?.addEventListener("change", heard);
// A page that is left before the quiet moment sends what it has; the browser ends the request.
window.addEventListener("pagehide", () => {
  if (!form || !waits()) return;
  const fields = new FormData(form);
  fields.set("step", "keep");
  navigator.sendBeacon(form.action, fields);
});
form?.addEventListener("submit", async (event) => {
  if (!waits()) return;
  event.preventDefault();
  await running;
  await keep();
  if (away || leaving) return;
  clearTimeout(timer);
  timer = 0;
  again = false;
  leaving = true; // a second click must not send it twice
  form.requestSubmit(event.submitter);
});
// The browser may show this very page again when somebody goes back to it.
window.addEventListener("pageshow", () => (leaving = false));
