// Sends forms so that each press ends in a word: the next page, or beside the button that there is
// no connection. An error page of the browser in the place of a form would tell neither what is
// written nor that what was typed is there. `data-submit-once` marks a form; in it stand the names or values
// of the buttons that write, nothing if all do. Of any other form that is posted it is looked only
// whether the server answers.
//
// What writes is sent by script, and the page opened that the server names. Other buttons write
// nothing: it is looked whether the server answers, and they go on as in any form. A refusal that
// says at a field of the same form what is wrong is shown in the form's place; any other is sent once
// more, is refused again, and its page says why. What was written although its answer was lost is
// not written again: the server knows the form by its key, or by the version that it names.

import { type Answer, isForLater, keyOf, type Sender, Sending, type Words, writes } from "./model";

const LONGEST_MS = 30_000;
const AGAIN_MS = 20_000; // after which a form that led to no page can be sent again
const KEY = "form_key";
const FORMS = "form[data-submit-once], .shell main form[method=post]";
const OF_ONE_FORM = new Set([KEY, "csrfmiddlewaretoken"]);

const texts = document.getElementById("shell-texts")?.dataset;
const words: Words = { away: texts?.away ?? "", unknown: texts?.unknown ?? "", failed: texts?.failed ?? "" };

interface State {
  readonly sending: Sending;
  isBusy: boolean;
  /** A page comes. */
  isSure: boolean;
  isGone: boolean;
}

interface Received extends Answer {
  readonly html: () => Promise<string>;
  readonly isJson: boolean;
}

type Submitter = HTMLElement | null;

const states = new WeakMap<HTMLFormElement, State>();

function stateOf(form: HTMLFormElement): State {
  const known = states.get(form);
  if (known) return known;
  const made = { sending: new Sending(), isBusy: false, isSure: false, isGone: false };
  states.set(form, made);
  return made;
}

/** The place of the word, beside the button that was pressed. */
function say(form: HTMLFormElement, submitter: Submitter, text: string): void {
  let word = form.querySelector<HTMLElement>("[data-submit-word]");
  if (!text) return word?.remove();
  if (!word) {
    word = document.createElement("span");
    word.dataset.submitWord = "";
    word.className = "submit-word";
    word.setAttribute("role", "alert");
  }
  (submitter?.parentElement ?? form).append(word);
  word.textContent = text;
}

function keyField(form: HTMLFormElement): HTMLInputElement | null {
  return form.elements.namedItem(KEY) as HTMLInputElement | null;
}

function isWriting(form: HTMLFormElement, submitter: Submitter): boolean {
  if (form.dataset.submitOnce === undefined) return false;
  const { name, value } = (submitter ?? {}) as Partial<HTMLButtonElement>;
  return writes(form.dataset.submitOnce ?? "", name, value);
}

let left = new AbortController(); // the page was left

async function reach(): Promise<void> {
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(LONGEST_MS)]);
  const answer = await fetch(texts?.reach ?? "", { cache: "no-store", signal });
  if (isForLater(answer.status)) throw new Error(`not answered: ${answer.status}`);
}

async function post(form: HTMLFormElement, body: FormData): Promise<Received> {
  const isLarge = [...body.values()].some((value) => value instanceof File && value.size);
  const signal = isLarge ? undefined : AbortSignal.timeout(LONGEST_MS);
  const address = form.getAttribute("action") || location.href; // a field may be named action
  const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" }, signal });
  const { ok, status, redirected } = answer;
  const isJson = /^application\/(problem\+)?json/.test(answer.headers.get("Content-Type") ?? "");
  const isRead = isJson && !redirected && !isForLater(status);
  const json = (isRead ? await answer.json() : {}) as { readonly [name: string]: string };
  return { ok, status, redirected, isJson, said: { key: json[KEY], detail: json.detail, to: json.to }, html: () => answer.text() };
}

/** A page that differs in nothing but the place in it would not be loaded. Of one page, as it was before a
    change and after it, the history has one entry. */
function open(form: HTMLFormElement, to: string): void {
  document.dispatchEvent(new CustomEvent("form:kept", { detail: { form } }));
  const there = new URL(to, location.href);
  if (there.pathname !== location.pathname) return location.assign(there);
  if (there.search !== location.search) return location.replace(there);
  history.replaceState(history.state, "", there);
  location.reload();
}

/** The hidden fields, which say what the form is about. */
function aboutOf(form: Element): string {
  const hidden = [...form.querySelectorAll<HTMLInputElement>("input[type=hidden]")].filter(({ name }) => !OF_ONE_FORM.has(name));
  return JSON.stringify(hidden.map(({ name, value }) => [name, value]));
}

/** The same form in the page of a refusal, if it says there at a field what is wrong. */
async function refusedForm(form: HTMLFormElement, answer: Received): Promise<HTMLElement | null> {
  const id = form.getAttribute("id"); // a field may be named id
  if (!id || answer.ok || answer.redirected || answer.isJson) return null;
  const page = new DOMParser().parseFromString(await answer.html(), "text/html");
  const next = page.getElementById(id);
  return next?.querySelector("[aria-invalid=true]") && aboutOf(next) === aboutOf(form) ? next : null;
}

/** Not what was typed while the answer was awaited: that is sent, too. */
function isAsSent(form: HTMLFormElement, submitter: Submitter, body: FormData): boolean {
  return form.isConnected && JSON.stringify([...new FormData(form, submitter)]) === JSON.stringify([...body]);
}

async function showRefusal(form: HTMLFormElement, submitter: Submitter, body: FormData, answer: Received): Promise<boolean> {
  const next = await refusedForm(form, answer);
  if (!next) return false;
  await new Promise((then) => document.dispatchEvent(new CustomEvent("page:still", { detail: { then } })));
  if (!isAsSent(form, submitter, body)) return false;
  form.replaceWith(next);
  next.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  return true;
}

function senderOf(form: HTMLFormElement, submitter: Submitter): Sender<Received> {
  let body = new FormData();
  return {
    reach,
    isLeft: () => left.signal.aborted,
    post() {
      body = new FormData(form, submitter);
      return post(form, body);
    },
    take(key) {
      const field = keyField(form);
      if (field) field.value = key;
      form.dispatchEvent(new CustomEvent("form:renewed", { bubbles: true }));
    },
    open: (to) => open(form, to),
    showRefusal: (answer) => showRefusal(form, submitter, body, answer),
  };
}

/** A page that is live may have taken the form away by now. */
function tell(form: HTMLFormElement, submitter: Submitter, text: string): void {
  if (form.isConnected) say(form, submitter, text);
  else document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
  form.dispatchEvent(new CustomEvent("form:stays"));
}

function sendAsAnyForm(form: HTMLFormElement, submitter: Submitter, state: State): void {
  state.isSure = true;
  setTimeout(() => {
    states.delete(form);
    submitter?.removeAttribute("aria-busy");
  }, AGAIN_MS);
  if (!form.isConnected) {
    form.hidden = true;
    document.body.append(form);
  }
  form.requestSubmit(submitter);
}

async function send(form: HTMLFormElement, submitter: Submitter): Promise<void> {
  const state = stateOf(form);
  state.isBusy = true;
  // A page that is live puts in another form, of what is there by then: it would not be known again.
  form.setAttribute("hx-morph-skip", "");
  form.dataset.sending = "";
  submitter?.setAttribute("aria-busy", "true");
  say(form, submitter, "");
  const outcome = await state.sending.end(senderOf(form, submitter), isWriting(form, submitter), words);
  if (outcome.kind === "leaves" || outcome.kind === "replaced") return; // busy until the page is there, or gone
  state.isBusy = false;
  delete form.dataset.sending;
  if (outcome.kind !== "plain") submitter?.removeAttribute("aria-busy");
  form.toggleAttribute("hx-morph-skip", state.sending.isUnknown);
  if (outcome.kind === "plain") sendAsAnyForm(form, submitter, state);
  else tell(form, submitter, outcome.words);
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (event.defaultPrevented || !texts || !form.matches(FORMS)) return;
  const state = stateOf(form);
  if (state.isSure && !state.isGone) {
    state.isGone = true;
    return;
  }
  event.preventDefault();
  if (state.isGone) return;
  if (!state.isBusy) void send(form, event.submitter); // a second press must not send it twice
});

// Once there is a connection again, nothing is to be said of its loss.
for (const [target, name] of [[window, "online"], [document, "live:welcome"]] as const) {
  target.addEventListener(name, () => {
    for (const word of document.querySelectorAll("[data-submit-word]")) if (word.textContent === words.away) word.remove();
  });
}

window.addEventListener("pagehide", () => left.abort());

// The browser may show this very page again when someone goes back to it: its forms are new ones.
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  left = new AbortController();
  for (const form of document.querySelectorAll<HTMLFormElement>(FORMS)) {
    states.delete(form);
    for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
    form.removeAttribute("hx-morph-skip");
    delete form.dataset.sending;
    say(form, null, "");
    const field = keyField(form);
    if (field) field.value = keyOf(crypto.getRandomValues(new Uint8Array(16)));
  }
});
