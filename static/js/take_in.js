// Offers to take what others applied into the open JSON text of a state, and does it: the server puts
// it together with what was typed, which is kept first. What is typed stays; where somebody else
// changed the same keys it is said which, and decided when one looks at the changes.

const TRIES = 3;

const form = document.getElementById("state-form");
const bar = document.querySelector("[data-take-in]");
const [word, button] = [bar.querySelector("[data-take-in-word]"), bar.querySelector("button")];
const field = (name) => form.elements.namedItem(name);
let newest = 0;
let upTo = Number(form.querySelector("[data-json-editor]").dataset.upTo); // what others applied until then is in the text, or is said not to be
let typing = 0; // counts what is typed, to see that something was

function say(text, { offers = false, keys = "" } = {}) {
  const values = { a: upTo, b: newest, keys };
  word.textContent = text.replace(/\{(a|b|keys)\}/g, (whole, name) => values[name]);
  button.hidden = !offers;
  bar.hidden = !text;
}

function look(version, { status, execution } = {}) {
  newest = Math.max(newest, version ?? 0);
  const isOther = execution && execution !== field("execution").value; // its versions are others
  const isBehind = newest > upTo && (status ?? "PAUSED") === "PAUSED" && !isOther;
  document.dispatchEvent(
    new CustomEvent("page:still", { detail: { then: () => say(isBehind ? bar.dataset.behind : "", { offers: true }) } }),
  );
}

function settled() {
  return new Promise((then) => document.dispatchEvent(new CustomEvent("form:settle", { detail: { then } })));
}

/** The page of the text as it is now with what is kept, and its text; undefined if it moved on meanwhile. */
async function fetched() {
  const answer = await fetch(`${location.pathname}?raw=1&text=`, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("state-form");
  const area = fresh?.querySelector("[data-json-editor]");
  if (!area || page.body.dataset.person !== document.body.dataset.person) throw new Error("no text");
  const now = (name) => fresh.elements.namedItem(name).value;
  if (now("execution") !== field("execution").value) throw new Error("another execution");
  const { upTo: until, took, meets, jsonUrl } = area.dataset;
  const found = { page, fresh, until: Number(until), took: Number(took), meets };
  if (!jsonUrl) return { ...found, text: area.value };
  const whole = await fetch(jsonUrl);
  const same = whole.headers.get("X-State") === `${now("version")} ${now("seq")} ${until}`;
  return whole.ok && same ? { ...found, text: await whole.text() } : undefined;
}

function put({ page, fresh, text, until }) {
  for (const name of ["version", "seq", "given", "text-given"]) field(name).value = fresh.elements.namedItem(name).value;
  upTo = until;
  newest = Math.max(newest, until);
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
    put(found);
    if (!found.meets) return say(bar.dataset.taken);
    return say(found.took ? bar.dataset.some : bar.dataset.both, { keys: found.meets });
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
document.addEventListener("live:changed", ({ detail: { frame, state } }) => look(frame.version ?? state?.version, state ?? frame));
document.addEventListener("live:welcome", ({ detail: { state } }) => look(state?.version, state ?? {}));
