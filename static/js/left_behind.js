// What is typed into the forms of a page that is fetched again stays in them. If a form is gone by
// then, or is one of another execution, it stays in a note until the reader closes that. The note
// tells of another execution also if nothing was typed: what decides now decides of that one.

const FIELDS = "#page-content :is(textarea, input:not([type]), input[type=text])[id]";

const link = document.getElementById("live-link");
const texts = link.dataset;
const place = document.getElementById("live-left");
const now = () => document.getElementById("live-now")?.dataset ?? {};

let before = null; // what the page showed, and what was typed in it
let count = 0;

/** Which form it is: the same one of another execution is another. */
function nameOf(form) {
  return [form?.getAttribute("action"), form?.elements.namedItem("execution")?.value].join(" ");
}

/** Also what came back with a refused decision: no fetch knows it. */
function isTyped(field) {
  return field.value && (field.matches("textarea") || field.value !== field.defaultValue);
}

function seen(field) {
  const { id, form, value } = field;
  const label = field.labels[0]?.firstChild.textContent.trim() ?? field.name;
  return { id, form, value, label, formName: nameOf(form), focused: field === document.activeElement };
}

document.addEventListener("htmx:before:swap", (event) => {
  if (event.defaultPrevented || event.detail.ctx.sourceElement !== link) return;
  before = { ...now(), typed: [...document.querySelectorAll(FIELDS)].filter(isTyped).map(seen) };
});

document.addEventListener("live:fetched", () => {
  if (!before) return;
  const { typed, execution, status } = before;
  before = null;
  const lost = typed.filter((each) => !isBack(each));
  const after = now();
  const isAnother = Boolean(execution && after.execution) && execution !== after.execution;
  const words = isAnother ? texts.swapped : status !== after.status ? ended(after.status) : texts.vanished;
  if (isAnother) tell(words, []);
  // Of a form that is being sent it is not known yet whether its page comes.
  const sent = lost.filter(({ form }) => form?.hasAttribute("data-sending"));
  const gone = lost.filter((each) => !sent.includes(each));
  if (gone.length) tell(words, gone);
  for (const each of sent) each.form.addEventListener("form:stays", () => tell(words, [each]), { once: true });
});

function isBack({ id, value, formName }) {
  const field = document.getElementById(id);
  if (!field) return false;
  if (nameOf(field.form) === formName) {
    if (!field.value) field.value = value;
    return true;
  }
  if (field.value === value) field.value = field.defaultValue; // it was put into the form of another
  return false;
}

function ended(status) {
  const name = status && link.getAttribute(`data-status-${status.toLowerCase()}`);
  return name ? texts.ended.replace("{status}", name) : texts.vanished;
}

/** Not under a pointer that is pressed; see still.js. */
function tell(words, fields) {
  const then = () => put(words, fields);
  document.dispatchEvent(new CustomEvent("page:still", { detail: { then } }));
}

function copyOf(template) {
  return document.getElementById(template).content.firstElementChild.cloneNode(true);
}

function put(words, fields) {
  const note = place.querySelector(".note") ?? copyOf("live-left-note");
  const sentence = note.querySelector(".live-left-words");
  if (sentence.textContent !== words) sentence.textContent = words;
  if (fields.length) note.querySelector(".live-left-stays").hidden = false;
  for (const { label, value } of fields) note.querySelector(".note-body").append(textOf(label, value));
  if (!note.isConnected) place.append(note);
  // Who was typing goes on in a field that takes nothing, and in no form and no key of the page.
  if (fields.some(({ focused }) => focused)) note.querySelector(".live-left-text:last-child textarea").focus();
}

function textOf(label, value) {
  const part = copyOf("live-left-text");
  const area = part.querySelector("textarea");
  area.id = `live-left-${(count += 1)}`;
  area.value = value;
  area.setSelectionRange(0, 0); // it is shown from its beginning
  part.querySelector("label").htmlFor = area.id;
  part.querySelector("label").textContent = texts.typed.replace("{field}", () => label);
  part.querySelector("button").dataset.copy = `#${area.id}`;
  return part;
}
