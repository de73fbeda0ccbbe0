// What every page does: its address, the CSRF header, toasts, failed requests, the theme switch, copying,
// and the count of a text that is nearly too long.

const texts = document.getElementById("shell-texts")?.dataset ?? {};
const SUCCESS_STAYS_MS = 6000;

/** Show a short notice; `tone` is success, info, warning or error. Errors stay until closed. */
function toast(text, tone = "info") {
  const template = document.getElementById("toast-template");
  const stack = document.getElementById("toasts");
  if (!template || !stack || !text) return;
  const note = template.content.firstElementChild.cloneNode(true);
  note.classList.add(`toast-${tone}`);
  note.querySelector(".toast-text").textContent = text;
  // Said again it is one notice still.
  for (const before of stack.children) if (before.textContent === note.textContent) before.remove();
  stack.append(note);
  if (tone === "error" || tone === "warning") return;
  let timer = setTimeout(() => note.remove(), SUCCESS_STAYS_MS);
  for (const stay of ["mouseenter", "focusin"]) note.addEventListener(stay, () => clearTimeout(timer));
  note.addEventListener("mouseleave", () => {
    timer = setTimeout(() => note.remove(), SUCCESS_STAYS_MS);
  });
}

// HX-Trigger: {"toast": {"text": "...", "tone": "success"}}, or an event of a page's own script.
document.addEventListener("toast", (event) => toast(event.detail?.text, event.detail?.tone));

document.addEventListener("htmx:config:request", (event) => {
  const { request } = event.detail.ctx;
  if (request.method === "GET") return;
  const token = document.querySelector('meta[name="csrf-token"]')?.content;
  if (token) request.headers["X-CSRFToken"] = token;
});

// An expired session answers with the sign-in page: go there instead of showing it in a panel.
document.addEventListener("htmx:before:swap", (event) => {
  const signIn = document.body.dataset.signIn;
  const answer = event.detail.ctx.response?.raw;
  if (signIn && answer?.redirected && new URL(answer.url).pathname === signIn) {
    event.preventDefault();
    location.reload();
  }
});

// A form that was refused is shown at the address that it was sent to. Loading that again would
// ask to send it once more; the page says under which address it can be read.
const address = document.querySelector("[data-address]")?.dataset.address;
if (address && address !== location.pathname) history.replaceState(history.state, "", address);

const CARRIES_A_FORM = new Set([409, 422]);

document.addEventListener("htmx:response:error", (event) => {
  const status = event.detail.ctx.response.status;
  if (CARRIES_A_FORM.has(status)) return;
  const text = { 401: texts.forbidden, 403: texts.forbidden, 404: texts.missing, 413: texts.tooLarge };
  toast(text[status] ?? texts.error, "error");
});

document.addEventListener("htmx:error", () => toast(texts.offline, "error"));

// Once there is a connection again, nothing is to be said of its loss.
function forgetLoss() {
  for (const text of document.querySelectorAll("#toasts .toast-text")) if (text.textContent === texts.offline) text.closest(".toast-note").remove();
}
window.addEventListener("online", forgetLoss);
document.addEventListener("live:welcome", forgetLoss);

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-close-toast],[data-dismiss-note],[data-copy]");
  if (!target) return;
  if (target.matches("[data-close-toast]")) target.closest(".toast-note").remove();
  else if (target.matches("[data-dismiss-note]")) target.closest(".note").remove();
  else copy(target);
});

/** A text as it was before the server named the signs in it that cannot be seen. */
function textOf(source) {
  const whole = source.cloneNode(true);
  for (const mark of whole.querySelectorAll(".mark-char")) {
    const code = /^U\+([0-9A-F]{4,6})$/.exec(mark.textContent)?.[1];
    if (code) mark.replaceWith(String.fromCodePoint(parseInt(code, 16)));
  }
  return whole.textContent;
}

/** Copy the code of the button's block, or what `data-copy` names. */
async function copy(button) {
  const named = button.dataset.copy && document.querySelector(button.dataset.copy);
  const source = named || button.closest(".code-block")?.querySelector("pre");
  if (!source) return;
  try {
    // Over plain HTTP from another machine there is no clipboard to write to.
    await navigator.clipboard.writeText("value" in source ? source.value : textOf(source));
    toast(texts.copied, "success");
  } catch {
    if ("select" in source) source.select();
    else getSelection().selectAllChildren(source);
    toast(texts.selected);
  }
}

// A menu closes as those of the system do.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    const isInside = menu.contains(event.target);
    if (!isInside || event.target.closest(".menu-items :is(a, button)")) menu.open = false;
  }
});
document.addEventListener(
  "keydown",
  (event) => {
    const menu = event.key === "Escape" && document.querySelector(".menu[open]");
    if (!menu) return;
    event.preventDefault();
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  },
  { capture: true },
);

// Without this script the same form posts to the server, which sets the same cookie.
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".theme-switch")) return;
  const choice = event.submitter?.value;
  if (!choice) return;
  event.preventDefault();
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `theme=${choice}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  document.documentElement.dataset.themeChoice = choice;
  document.dispatchEvent(new CustomEvent("theme:choose"));
  for (const button of document.querySelectorAll(".theme-switch button")) {
    button.setAttribute("aria-pressed", String(button.value === choice));
  }
});

// Tables that are drawn as cards lose their roles in some browsers; say them.
function nameTables(root) {
  for (const table of root.querySelectorAll(".table-cards, .diff")) {
    table.setAttribute("role", "table");
    for (const part of table.querySelectorAll("thead, tbody")) part.setAttribute("role", "rowgroup");
    for (const row of table.rows) row.setAttribute("role", "row");
    for (const cell of table.querySelectorAll("td")) cell.setAttribute("role", "cell");
    for (const head of table.querySelectorAll("tbody th")) head.setAttribute("role", "rowheader");
    for (const head of table.querySelectorAll("thead th")) head.setAttribute("role", "columnheader");
  }
}
nameTables(document);
document.addEventListener("htmx:after:process", (event) => nameTables(event.target));

const COUNTED = ":is(textarea, input):is([name=reason], [name=text], [name=note])[maxlength]";
const NEARLY = 0.9;

/** A browser cuts what is typed or pasted at the limit and says nothing. */
document.addEventListener("input", ({ target }) => {
  if (!target.matches?.(COUNTED)) return;
  const { value, maxLength } = target;
  let count = target.parentElement.querySelector(":scope > .field-count");
  if (value.length < NEARLY * maxLength) {
    count?.remove();
    return;
  }
  if (!count) {
    count = Object.assign(document.createElement("p"), { className: "field-count" });
    count.setAttribute("role", "status");
    target.after(count);
  }
  const text = value.length < maxLength ? texts.count : texts.countFull;
  const [n, most] = [value.length, maxLength].map((each) => each.toLocaleString(document.documentElement.lang));
  count.textContent = text.replace("{n}", n).replace("{most}", most);
  count.classList.toggle("field-count-full", value.length >= maxLength);
});
