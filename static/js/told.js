// Sends forms so that each press ends in a word: the next page, or beside the button that there is
// no connection. An error page of the browser in the place of a form would tell neither what is
// written nor that what was typed is there. `data-told` marks a form; in it stand the names or values
// of the buttons that write, nothing if all do.
//
// What writes is sent by script, and the page opened that the server names. Other buttons write
// nothing: it is looked whether the server answers, and they go on as in any form. A refusal that
// says at a field of the same form what is wrong is shown in the form's place; any other is sent once
// more, is refused again, and its page says why. What was written although its answer was lost is
// not written again: the server knows the form by its key, or by the version that it names.

const LONGEST_MS = 30_000;
const KEY = "form_key";
const OF_ONE_FORM = new Set([KEY, "csrfmiddlewaretoken"]);
const SHOWN = Symbol("the answer is on the page");

const words = document.getElementById("shell-texts")?.dataset;
const states = new WeakMap();

function stateOf(form) {
  if (!states.has(form)) states.set(form, { busy: false, sure: false, unknown: false });
  return states.get(form);
}

/** The place of the word, beside the button that was pressed. */
function say(form, submitter, text) {
  let word = form.querySelector("[data-told-word]");
  if (!text) return word?.remove();
  if (!word) {
    word = document.createElement("span");
    word.dataset.toldWord = "";
    word.className = "told-word";
    word.setAttribute("role", "alert");
  }
  if (submitter) submitter.parentElement.append(word);
  else form.append(word);
  word.textContent = text;
}

function keyOf(form) {
  return form.elements.namedItem(KEY);
}

/** Nothing was read: the server is away, or has too much to do for this caller. */
function isForLater({ status }) {
  return status >= 500 || status === 408 || status === 429;
}

function writes(form, submitter) {
  const names = form.dataset.told.split(" ").filter(Boolean);
  return !names.length || names.includes(submitter?.name) || names.includes(submitter?.value);
}

async function reach() {
  const answer = await fetch(words.reach, { cache: "no-store", signal: AbortSignal.timeout(LONGEST_MS) });
  if (isForLater(answer)) throw new Error(`not answered: ${answer.status}`);
}

function post(form, body) {
  const isLarge = [...body.values()].some((value) => value instanceof File && value.size);
  const signal = isLarge ? undefined : AbortSignal.timeout(LONGEST_MS);
  const address = form.getAttribute("action") || location.href; // a field may be named action
  return fetch(address, { method: "POST", body, headers: { Accept: "application/json" }, signal });
}

/** A page that differs in nothing but the place in it would not be loaded. */
function open(form, to) {
  document.dispatchEvent(new CustomEvent("form:kept", { detail: { form } }));
  const there = new URL(to, location.href);
  if (there.pathname + there.search !== location.pathname + location.search) return location.assign(there);
  history.replaceState(history.state, "", there);
  location.reload();
}

function isJson(answer) {
  return /^application\/(problem\+)?json/.test(answer.headers.get("Content-Type") ?? "");
}

/** The hidden fields, which say what the form is about. */
function aboutOf(form) {
  const hidden = [...form.querySelectorAll("input[type=hidden]")].filter(({ name }) => !OF_ONE_FORM.has(name));
  return JSON.stringify(hidden.map(({ name, value }) => [name, value]));
}

/** The same form in the page of a refusal, if it says there at a field what is wrong. */
async function refusedForm(form, answer) {
  const id = form.getAttribute("id"); // a field may be named id
  if (!id || answer.ok || answer.redirected || isJson(answer)) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page.getElementById(id);
  return next?.querySelector("[aria-invalid=true]") && aboutOf(next) === aboutOf(form) ? next : null;
}

/** Not what was typed while the answer was awaited: that is sent, too. */
function isAsSent(form, submitter, body) {
  return form.isConnected && JSON.stringify([...new FormData(form, submitter)]) === JSON.stringify([...body]);
}

async function showRefusal(form, submitter, body, answer) {
  const next = await refusedForm(form, answer);
  if (!next) return false;
  await new Promise((then) => document.dispatchEvent(new CustomEvent("page:still", { detail: { then } })));
  if (!isAsSent(form, submitter, body)) return false;
  form.replaceWith(next);
  next.querySelector("[aria-invalid=true]").focus();
  return true;
}

/**
 * The words if the form stays, "" if its page comes, SHOWN if the answer took its place; undefined if
 * it is to be sent as any form.
 */
async function written(form, submitter, state) {
  const body = new FormData(form, submitter);
  const answer = await post(form, body);
  if (isForLater(answer)) return words.failed;
  const said = isJson(answer) && !answer.redirected ? await answer.json() : {};
  state.unknown = false;
  if (said[KEY]) {
    keyOf(form).value = said[KEY];
    return said.detail;
  }
  if (answer.ok && said.to) {
    open(form, said.to);
    return "";
  }
  return (await showRefusal(form, submitter, body, answer)) ? SHOWN : undefined;
}

async function ended(form, submitter, state) {
  try {
    await reach();
  } catch {
    return state.unknown ? words.unknown : words.away;
  }
  if (!writes(form, submitter)) return undefined;
  state.unknown = true;
  try {
    return await written(form, submitter, state);
  } catch {
    return words.unknown;
  }
}

/** A page that is live may have taken the form away by now. */
function tell(form, submitter, text) {
  if (form.isConnected) say(form, submitter, text);
  else document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
  form.dispatchEvent(new CustomEvent("form:stays"));
}

function sendAsAnyForm(form, submitter, state) {
  state.sure = true; // a page comes
  if (!form.isConnected) {
    form.hidden = true;
    document.body.append(form);
  }
  form.requestSubmit(submitter);
}

async function send(form, submitter) {
  const state = stateOf(form);
  state.busy = true;
  // A page that is live puts in another form, of what is there by then: it would not be known again.
  form.setAttribute("hx-morph-skip", "");
  form.dataset.sending = "";
  say(form, submitter, "");
  const text = await ended(form, submitter, state);
  if (text === "" || text === SHOWN) return; // busy until the page is there, or gone
  state.busy = false;
  delete form.dataset.sending;
  form.toggleAttribute("hx-morph-skip", state.unknown);
  if (text === undefined) sendAsAnyForm(form, submitter, state);
  else tell(form, submitter, text);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !words || !form.matches("form[data-told]")) return;
  const state = stateOf(form);
  if (state.sure) return;
  event.preventDefault();
  if (!state.busy) void send(form, event.submitter); // a second press must not send it twice
});

// The browser may show this very page again when somebody goes back to it: its forms are new ones.
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.querySelectorAll("form[data-told]")) {
    states.delete(form);
    form.removeAttribute("hx-morph-skip");
    delete form.dataset.sending;
    say(form, null, "");
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    if (keyOf(form)) keyOf(form).value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
});
