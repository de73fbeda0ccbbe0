// Offers to take what others applied into the open JSON text of a state, and does it: the server puts
// it together with what was typed, which is kept first. What is typed stays; where somebody else
// changed the same keys it is decided when one looks at the changes.

const TRIES = 3;

const form = document.getElementById("state-form");
const bar = document.querySelector("[data-take-in]");
const [word, button] = [bar.querySelector("[data-take-in-word]"), bar.querySelector("button")];
let newest = 0;
let typing = 0; // counts what is typed, to see that something was

const field = (name) => form.elements.namedItem(name);

function say(text, { offers = false } = {}) {
  word.textContent = text.replace("{a}", field("version").value).replace("{b}", newest);
  button.hidden = !offers;
  bar.hidden = !text;
}

function look(version, status) {
  newest = Math.max(newest, version ?? 0);
  const isBehind = newest > Number(field("version").value) && (status ?? "PAUSED") === "PAUSED";
  document.dispatchEvent(
    new CustomEvent("page:still", { detail: { then: () => say(isBehind ? bar.dataset.behind : "", { offers: true }) } }),
  );
}

function settled() {
  return new Promise((then) => document.dispatchEvent(new CustomEvent("form:settle", { detail: { then } })));
}

/** The page of the text as it is now with what is kept, and its text; undefined if it moved on meanwhile. */
async function fetched() {
  const answer = await fetch(`${location.pathname}?raw=1`, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("state-form");
  const area = fresh?.querySelector("[data-json-editor]");
  if (!area || page.body.dataset.person !== document.body.dataset.person) throw new Error("no text");
  if (fresh.elements.namedItem("execution").value !== field("execution").value) throw new Error("another execution");
  if (!area.dataset.jsonUrl) return { page, fresh, text: area.value };
  const whole = await fetch(area.dataset.jsonUrl);
  const same = whole.headers.get("X-State") === `${fresh.elements.namedItem("version").value} ${fresh.elements.namedItem("seq").value}`;
  return whole.ok && same ? { page, fresh, text: await whole.text() } : undefined;
}

function put({ page, fresh, text }) {
  for (const name of ["version", "seq", "given", "text-given"]) field(name).value = fresh.elements.namedItem(name).value;
  document.dispatchEvent(new CustomEvent("json:take", { detail: { text } }));
  const subtitle = "#page-head .page-subtitle";
  document.querySelector(subtitle).replaceWith(document.importNode(page.querySelector(subtitle), true));
  document.querySelector('#live-notes [data-note="changed"]')?.remove();
  document.dispatchEvent(new CustomEvent("form:news"));
}

async function takeIn() {
  for (let each = 0; each < TRIES; each += 1) {
    if (!(await settled())) return say(bar.dataset.unkept, { offers: true });
    if (field("text-given").value) return say(bar.dataset.unread, { offers: true });
    const before = typing;
    const found = await fetched();
    if (!found || typing !== before) continue;
    if (found.fresh.elements.namedItem("version").value === field("version").value) return say(bar.dataset.both);
    put(found);
    return say(bar.dataset.taken);
  }
  return say(bar.dataset.behind, { offers: true });
}

form.addEventListener("input", () => (typing += 1));
button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    await takeIn();
  } catch {
    say(bar.dataset.failed, { offers: true });
  } finally {
    button.disabled = false;
  }
});
document.addEventListener("live:changed", ({ detail: { frame, state } }) => look(frame.version ?? state?.version, state?.status));
document.addEventListener("live:welcome", ({ detail: { state } }) => look(state?.version, state?.status));
