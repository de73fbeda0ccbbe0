// Sends the forms of an edit or an operation so that each press ends in a word: the next page, or that there is no
// connection. An error page of the browser in the place of the form would tell neither what is
// written nor that what was typed is there. `data-told` marks the form, `data-told-word` has the words.
//
// What writes (apply, approve) is sent by script, and the page of what came of it opened. Other steps
// write nothing: they look whether the server answers, and go on as any form does. So does a
// refusal: sent once more it is refused again, and its page says why.

const LONGEST_MS = 30_000;
const WRITES = new Set(["apply", "approve"]);

const form = document.querySelector("form[data-told]");
const word = form?.querySelector("[data-told-word]");
let busy = false;
let sure = false; // it goes to the server now, and a page comes

function say(text) {
  word.textContent = text;
}

/** True if it is written and its page is being opened; an error is thrown where nobody answers. */
async function written(fields) {
  const headers = { Accept: "application/json" };
  const signal = AbortSignal.timeout(LONGEST_MS);
  const answer = await fetch(form.action, { method: "POST", body: fields, headers, signal });
  if (answer.status >= 500) throw new Error(`not answered: ${answer.status}`);
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  const to = isJson && answer.ok && !answer.redirected ? (await answer.json()).to : "";
  if (!to) return false;
  document.dispatchEvent(new CustomEvent("form:kept", { detail: { form } }));
  location.assign(to);
  return true;
}

async function reach() {
  const answer = await fetch(word.dataset.reach, { cache: "no-store", signal: AbortSignal.timeout(LONGEST_MS) });
  if (answer.status >= 500) throw new Error(`not answered: ${answer.status}`);
}

async function send(submitter) {
  const fields = new FormData(form, submitter);
  const writes = WRITES.has(fields.get("step"));
  say("");
  try {
    if (writes ? await written(fields) : await reach()) return;
    sure = true;
    form.requestSubmit(submitter);
  } catch {
    say(writes ? word.dataset.unknown : word.dataset.away);
    busy = false;
    form.dispatchEvent(new CustomEvent("form:stays"));
  }
}

form?.addEventListener("submit", (event) => {
  if (event.defaultPrevented || sure) return;
  event.preventDefault();
  if (busy) return; // a second press must not send it twice
  busy = true;
  void send(event.submitter);
});
// The browser may show this very page again when somebody goes back to it.
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted || !form) return;
  busy = sure = false;
  say("");
});
