// Puts what somebody else wrote, and what another tab of the same person keeps, into the open form of a
// state: into every row that has another value now. What is typed here is kept first; a row in which
// somebody types meanwhile stays, and so does the row that has the focus, if its value is the same.
// What was typed here and another tab put something else in the place of is kept beside it, and told.

const form = document.getElementById("state-form");
const PLACE = /-([0-9]+)(?=$|-error$)/;

let running = false;
let again = false;
let typing = 0; // counts what is typed, to see that something was
let before = given(form); // the marks of the changes that this page was made of or took in
const told = new Map(); // by place, the marks of what was said to stand for what was typed here

form.addEventListener("input", () => (typing += 1));

function given(page) {
  return JSON.parse(page.elements.namedItem("given").value);
}

/** The places of what was typed here and of which another page says something else by now. */
function writtenOver(fresh) {
  const [mine, theirs] = [given(form), given(fresh)];
  return Object.keys(mine).filter(
    (place) => mine[place] !== before[place] && theirs[place] && theirs[place] !== mine[place] && told.get(place) !== theirs[place],
  );
}

/** If that fails, nothing is put in its place. */
async function keepBeside(places, fresh) {
  const kept = await new Promise((then) => document.dispatchEvent(new CustomEvent("form:beside", { detail: { places, then } })));
  if (!kept) return;
  for (const place of places) told.set(place, given(fresh)[place]);
  const keys = [...told.keys()].map((place) => place.slice(place.indexOf(":") + 1)).join(", ");
  const text = form.dataset.elsewhere.replace("{keys}", () => keys);
  document.dispatchEvent(new CustomEvent("live:note", { detail: { name: "elsewhere", text } }));
  again = true;
}

function rowsOf(parent) {
  return [...parent.querySelectorAll(":scope > .edit-key")];
}

function valueOf(row, name) {
  return row.querySelector(`[name^="${name}-"]`)?.value ?? "";
}

function keyOf(row) {
  return row.dataset.keyName === undefined ? `new ${valueOf(row, "name")}` : `old ${row.dataset.keyName}`;
}

function shows(row) {
  const gone = row.querySelector('[name^="gone-"]')?.checked ?? false;
  const meta = row.querySelector(".state-key-meta")?.textContent ?? "";
  return JSON.stringify([valueOf(row, "kind"), valueOf(row, "value"), gone, meta, Boolean(row.querySelector(".field-errors"))]);
}

/** The rows of a form are counted: `name-3` and `value-3` are of one row. */
function number(row, place) {
  for (const part of row.querySelectorAll("[name], [id], [for], [aria-describedby]")) {
    for (const name of ["name", "id", "for", "aria-describedby"]) {
      if (part.hasAttribute(name)) part.setAttribute(name, part.getAttribute(name).replace(PLACE, `-${place}`));
    }
  }
}

function replaceRows(fresh) {
  const there = new Map(rowsOf(form).map((row) => [keyOf(row), row]));
  const focused = document.activeElement?.closest?.(".edit-key");
  const focusedKey = focused && form.contains(focused) ? keyOf(focused) : null;
  const focusedName = document.activeElement?.name?.replace(PLACE, "");
  const wanted = rowsOf(fresh).map((row) => {
    const mine = there.get(keyOf(row));
    there.delete(keyOf(row)); // two empty rows have one name
    return mine && shows(mine) === shows(row) ? mine : document.importNode(row, true);
  });
  for (const row of rowsOf(form)) if (!wanted.includes(row)) row.remove();
  let next = rowsOf(form)[0] ?? form.querySelector(":scope > .card-footer"); // what stays is not moved
  wanted.forEach((row, place) => {
    number(row, place);
    if (row === next) next = row.nextElementSibling;
    else form.insertBefore(row, next);
  });
  if (focusedKey === null || wanted.includes(focused)) return;
  const row = wanted.find((each) => keyOf(each) === focusedKey);
  row?.querySelector(`[name^="${focusedName}-"]`)?.focus();
}

function replacePart(selector, page, before) {
  const old = document.querySelector(selector);
  const fresh = page.querySelector(selector);
  if (old && fresh) old.replaceWith(document.importNode(fresh, true));
  else if (old) old.remove();
  else if (fresh) before.before(document.importNode(fresh, true));
}

async function take(page) {
  const fresh = page.getElementById("state-form");
  const same = (name) => fresh?.elements.namedItem(name)?.value === form.elements.namedItem(name).value;
  if (!fresh || page.body.dataset.person !== document.body.dataset.person || !same("execution")) return;
  const places = same("mode") ? writtenOver(fresh) : [];
  if (places.length) {
    await keepBeside(places, fresh);
    return;
  }
  if (form.elements.namedItem("mode").value === "rows" && same("mode")) {
    replaceRows(fresh);
    for (const name of ["version", "seq", "given"]) form.elements.namedItem(name).value = fresh.elements.namedItem(name).value;
    replacePart("#page-head .page-subtitle", page, form);
    before = given(form);
  }
  replacePart(".pending", page, form);
  replacePart("#live-now", page, form);
}

async function refresh() {
  again = running;
  if (running || document.getElementById("live-link").dataset.editing === "ended") return;
  running = true;
  try {
    const settled = await new Promise((then) => {
      document.dispatchEvent(new CustomEvent("form:settle", { detail: { then } }));
    });
    if (!settled) return;
    const typedBefore = typing;
    const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    await new Promise((then) => document.dispatchEvent(new CustomEvent("page:still", { detail: { then } })));
    if (typing === typedBefore) await take(page);
    else again = true;
  } catch {
    // Without a line there is no news; the socket opens again when there is one.
  } finally {
    running = false;
    if (again) void refresh();
  }
}

document.addEventListener("form:news", () => void refresh());
document.addEventListener("json:take", () => (before = given(form)));
document.addEventListener("live:welcome", ({ detail: { state } }) => {
  if ((state?.seq ?? 0) > Number(document.getElementById("live-now").dataset.seq)) void refresh();
});
document.addEventListener("live:changed", ({ detail: { frame } }) => {
  if (frame.version != null || !frame.who) void refresh();
});
