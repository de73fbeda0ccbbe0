// Keeps what is typed into the form of a state on the server, while it is typed: it outlives the
// page, the session and the connection. `data-kept` marks the form, `data-kept-word` says how it is.
// A form with something that is not kept yet is sent only after it was: an error page in its place
// would take what was typed away. Other tabs of the same person hear of it, and pages on other devices.

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
let away = false; // the last one was not answered, or may not be kept now
let leaving = false; // the form is being sent
let foreign = false; // somebody else is signed in in this browser
const { person, signIn } = document.body.dataset;
const tabs = form && "BroadcastChannel" in window ? new BroadcastChannel(`${location.pathname} ${person}`) : null;

function tell(seq) {
  tabs?.postMessage(seq);
  document.dispatchEvent(new CustomEvent("live:kept", { detail: { kept: seq } }));
}

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

/** Fields that may not be edited now are left out of what a form sends: it would say that they are empty. */
function mayEdit() {
  return document.getElementById("live-link")?.dataset.editing !== "ended";
}

async function send() {
  if (!mayEdit()) {
    away = true;
    return; // until the right is back
  }
  quiet = String(new FormData(form).get("raw") ?? "").length > LARGE ? LARGE_QUIET_MS : QUIET_MS;
  try {
    away = true;
    let answer = await post();
    if (answer.redirected || answer.status === 403) answer = (await signedInAgain()) ? await post() : null;
    away = Boolean(answer) && (isForLater(answer) || answer.status === 403);
    if (answer) await heed(answer);
    else later(LONGEST_WAIT_MS);
  } catch {
    say(word.dataset.keptWaits, true);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    later(wait);
    return;
  }
  if (again) later(quiet);
}

/** The server is away, or has too much to do for this caller. */
function isForLater({ status }) {
  return status >= 500 || status === 408 || status === 429;
}

function post() {
  const fields = new FormData(form);
  fields.set("step", "keep");
  return fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/json" } });
}

/** True if it was only that the same person signed in anew elsewhere; else it says what is the matter. */
async function signedInAgain() {
  const answer = await fetch(form.action, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const out = new URL(answer.url).pathname === signIn;
  const token = page.querySelector('meta[name="csrf-token"]')?.content;
  foreign = !out && page.body.dataset.person !== person;
  if (out || foreign || !token) {
    say(out ? word.dataset.keptSignedOut : word.dataset.keptForeign, true);
    return false;
  }
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
  const link = document.getElementById("live-link");
  document.dispatchEvent(new CustomEvent("live:connect", { detail: { path: link.dataset.socket } }));
  return true;
}

function put(name, value) {
  const field = form.elements.namedItem(name);
  if (field) field.value = value;
}

/** What the server said; an error is thrown where it is worth asking again. */
async function heed(answer) {
  const said = /^application\/(problem\+)?json/.test(answer.headers.get("Content-Type") ?? "") ? await answer.json() : null;
  if (answer.ok && said) {
    put("seq", said.seq);
    put("given", JSON.stringify(said.given));
    put("text-given", said.text);
    wait = quiet;
    say(said.over ?? word.dataset.keptSaved, Boolean(said.over));
    tell(said.seq);
    if (again) return;
    document.dispatchEvent(new CustomEvent("form:kept", { detail: { form } }));
    if (said.moved || said.over) document.dispatchEvent(new CustomEvent("form:news"));
  } else if (said && !isForLater(answer)) {
    say(said.detail, true);
    if (answer.status === 403) later(LONGEST_WAIT_MS);
  } else {
    throw new Error(`not kept: ${answer.status}`);
  }
}

// What is on the page may be another by now: other tabs tell when they keep something, and when they
// are loaded, which is after something was taken back in them.
tabs?.addEventListener("message", ({ data }) => {
  if (String(data) !== form.elements.namedItem("seq").value) document.dispatchEvent(new CustomEvent("form:news"));
});
tabs?.postMessage(Number(form.elements.namedItem("seq").value));

// On another device it is heard of by the socket: who is here says how often it was kept there.
const heardOf = new Map(); // by socket
document.addEventListener("live:people", ({ detail: { people, you, person: me } }) => {
  let isNews = false;
  for (const { id, socket, kept } of people) {
    if (!kept || id !== me || socket === you || heardOf.get(socket) === kept) continue;
    heardOf.set(socket, kept);
    isNews ||= String(kept) !== form.elements.namedItem("seq").value;
  }
  if (isNews) document.dispatchEvent(new CustomEvent("form:news"));
});

// Who wants to put the server's page in the place of this one waits until nothing is unkept.
document.addEventListener("form:settle", async (event) => {
  await running;
  if (waits()) await keep();
  event.detail.then(!waits() && !away && !leaving);
});

// What another page put something else in the place of is kept beside it, before it leaves this page.
document.addEventListener("form:beside", async ({ detail: { places, then } }) => {
  const fields = new FormData(form);
  fields.set("step", "beside");
  for (const place of places) fields.append("beside", place);
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/json" } });
    if (answer.ok && !answer.redirected) tell((await answer.json()).seq);
    then(answer.ok && !answer.redirected);
  } catch {
    then(false);
  }
});

function heard() {
  later(quiet);
}

form?.addEventListener("input", heard);
form?.addEventListener("change", heard);
document.addEventListener("form:editable", () => away && keep());
// Somebody who comes back from signing in in another tab need not wait.
window.addEventListener("focus", () => timer && word.classList.contains("text-danger") && keep());
// Nor need what waits for the connection, when that comes back.
window.addEventListener("online", () => form && waits() && keep());
// A page that is left before the quiet moment sends what it has; the browser ends the request.
window.addEventListener("pagehide", () => {
  if (!form || !waits()) return;
  const fields = new FormData(form);
  fields.set("step", "keep");
  navigator.sendBeacon(form.action, fields);
});
form?.addEventListener("submit", async (event) => {
  if (leaving || !waits()) return; // what is typed while it leaves goes with the form
  event.preventDefault();
  await running;
  await keep();
  if (away || leaving || foreign) return;
  clearTimeout(timer);
  timer = 0;
  again = false;
  leaving = true; // a second click must not send it twice
  form.requestSubmit(event.submitter);
});
// The browser may show this very page again when somebody goes back to it; and without a line none comes.
window.addEventListener("pageshow", () => (leaving = false));
form?.addEventListener("form:stays", () => (leaving = false));
