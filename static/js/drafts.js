// Keeps what was typed while the server asks to sign in or finds the form out of date. In this
// tab only, until the next page that is no such question, and for the same person.
//
// `data-draft` on a form fills the same form in again; `data-draft="step=review"` sends what was
// typed once more with this in place of the button, which must be one that changes nothing.

const PREFIX = "draft:";
const TOKEN = "csrfmiddlewaretoken";
const person = document.body.dataset.person;

function pathOf(form) {
  return new URL(form.getAttribute("action") || "", location.href).pathname;
}

function isSecret(form, name) {
  const field = form.elements.namedItem(name);
  return name === TOKEN || field?.type === "password" || field?.type === "file";
}

function keep(form) {
  if (!form?.matches?.("form[data-draft]") || !person) return;
  const fields = [...new FormData(form)].filter(([name]) => !isSecret(form, name));
  const draft = { person, waits: false, again: form.dataset.draft, fields };
  try {
    sessionStorage.setItem(PREFIX + pathOf(form), JSON.stringify(draft));
  } catch {
    // A browser that keeps nothing, or a form that is too large: it is lost as it was before.
  }
}

/** Every draft that is kept, taken out of the store. */
function takeAll() {
  const found = new Map();
  try {
    for (const key of Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX))) {
      found.set(key.slice(PREFIX.length), JSON.parse(sessionStorage.getItem(key)));
      sessionStorage.removeItem(key);
    }
  } catch {
    found.clear();
  }
  return found;
}

function markAll() {
  for (const [path, draft] of takeAll()) {
    sessionStorage.setItem(PREFIX + path, JSON.stringify({ ...draft, waits: true }));
  }
}

function fill(form, fields) {
  for (const field of form.elements) {
    if (!field.name || ["hidden", "submit", "button", "password", "file"].includes(field.type)) continue;
    const sent = fields.filter(([name]) => name === field.name).map(([, value]) => value);
    if (["checkbox", "radio"].includes(field.type)) field.checked = sent.includes(field.value);
    else if (sent.length) field.value = sent[0];
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const text = document.getElementById("shell-texts")?.dataset.draftBack;
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
}

function sendAgain(path, { again, fields }) {
  const token = document.querySelector('meta[name="csrf-token"]')?.content;
  if (!token) return;
  const form = document.createElement("form");
  form.method = "post";
  form.action = path;
  form.hidden = true;
  for (const [name, value] of [...fields, again.split("="), [TOKEN, token]]) {
    const field = document.createElement("textarea"); // an input would lose the line breaks
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

function bringBack() {
  for (const [path, draft] of takeAll()) {
    if (!draft.waits || draft.person !== person) continue;
    const form = [...document.querySelectorAll("form[data-draft]")].find((each) => pathOf(each) === path);
    if (draft.again && location.pathname === path) sendAgain(path, draft);
    else if (form && !draft.again) fill(form, draft.fields);
  }
}

document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) keep(event.target);
});

// A row button sends its form by htmx; shell.js loads the page again if the answer is the sign-in.
document.addEventListener("htmx:before:swap", (event) => {
  const { sourceElement, response } = event.detail.ctx;
  const answer = response?.raw;
  const signIn = document.body.dataset.signIn;
  if (answer?.redirected && new URL(answer.url).pathname === signIn) keep(sourceElement?.form);
});

if (document.body.hasAttribute("data-keeps-drafts")) markAll();
else bringBack();
