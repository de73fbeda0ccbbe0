// The form of a paused state: keeps on the server what is typed while it is typed, shows what others
// and other tabs of the same person changed, marks what is changed here. It outlives the page, the
// session and the connection. What it does is decided in model/draft.ts; without it the form is a form.

import { serverOf } from "./io/server";
import * as tab from "./io/tab";
import { contentOf, keyOf, type Content } from "./model/content";
import { begun, isUnkept, LARGE, step, unsent, type Effect, type Event, type Model } from "./model/draft";
import { chooseKind } from "./view/kinds";
import { beginFilter } from "./view/filter";
import { goToWrong, openLinks } from "./view/first_wrong";
import { fieldIn, put, replacePart, shownIn } from "./view/page";
import { editsOf, markRows, openNewRow, replaceRows, revertRow, valuesOf } from "./view/rows";
import { drawShallow, keepingField, noteTyping } from "./view/shallow";
import { still } from "./view/deferred_updates";
import { showWantedKey } from "./view/wanted_key";
import { beginWhole, type Whole } from "./view/whole";

const READ_MS = 250;

interface Frame {
  readonly version?: number | null;
  readonly who?: unknown;
  readonly status?: string;
  readonly execution?: string;
}

interface Numbers {
  readonly seq?: number;
  readonly version?: number;
  readonly status?: string;
  readonly execution?: string;
}

interface Person {
  readonly id: string;
  readonly socket: string;
  readonly kept: number;
}

function listen<T>(name: string, heard: (detail: T) => void): void {
  document.addEventListener(name, (event) => heard((event as CustomEvent<T>).detail));
}

function tellPage(name: string, detail: unknown): void {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** The key of a line of the panel; one of a new key stands as it was typed. */
function nameOf({ dataset: { of = "" } }: HTMLElement): string {
  try {
    return decodeURIComponent(of);
  } catch {
    return of;
  }
}

/** What a button does with the form; Enter in a field reviews the changes. */
function stepOf(submitter: HTMLElement | null): string {
  if (!(submitter instanceof HTMLButtonElement)) return "review";
  return submitter.name === "step" ? submitter.value : submitter.name;
}

function beginDraft(form: HTMLFormElement): void {
  const url = form.dataset.draftUrl!;
  const server = serverOf(form, url);
  const area = form.querySelector<HTMLTextAreaElement>("[data-json-editor]");
  const word = form.querySelector<HTMLElement>("[data-kept-word]")!;
  const counted = form.querySelector<HTMLElement>("[data-draft-count]");
  const discard = form.querySelector<HTMLElement>("[data-draft-discard]");
  const line = form.querySelector<HTMLElement>("[data-draft-line]");
  const link = document.getElementById("live-link");
  const { person = "" } = document.body.dataset;
  const tabs = "BroadcastChannel" in window ? new BroadcastChannel(`${location.pathname} ${person}`) : null;
  const seed = [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const heardOf = new Map<string, number>(); // by socket
  const settling: ((isSettled: boolean) => void)[] = [];
  let model: Model = begun(shownIn(document)!, area !== null, seed);
  const left = tab.read(url, person);
  let whole: Whole | undefined;
  let submitter: HTMLElement | null = null;
  let leaving = false; // the form is being sent
  let stoppedBy = ""; // the wrong field at which the form was not sent
  let timer = 0;
  const filterRows = beginFilter(form);

  function content(): Content {
    if (area === null) return { values: valuesOf(form), text: null };
    return whole === undefined ? model.now : contentOf(whole.text());
  }

  // What happens while something is done, as a field that changes when it loses the focus to another
  // row, is looked at when that is done.
  const waiting: (() => Event)[] = [];
  let busy = false;

  function happen(event: Event | (() => Event)): void {
    waiting.push(typeof event === "function" ? event : () => event);
    if (busy) return;
    busy = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) take(next());
    busy = false;
    if ((whole?.text().length ?? 0) <= LARGE) keepInTab();
    show();
  }

  /** Until the server has it, what is typed stays with this tab; also what the server refuses. */
  function keepInTab(): void {
    const patch = unsent(model);
    if (patch !== null) tab.write(url, { person, url, patch, refused: model.line === "refused" });
    else if (model.line !== "refused") tab.write(url, null);
  }

  function take(event: Event): void {
    const may = link?.dataset.editing !== "ended";
    const events: Event[] = may === model.may || event.is === "may" ? [event] : [{ is: "may", may }, event];
    for (const each of events) {
      const [after, effects] = step(model, each, Date.now());
      model = after;
      for (const effect of effects) run(effect, each);
    }
  }

  function run(effect: Effect, event: Event): void {
    switch (effect.do) {
      case "send":
        if (event.is === "leave") return server.leave(effect.patch);
        void server.send(effect.patch).then((answer) => happen({ is: "answered", answer }));
        return;
      case "wake":
        clearTimeout(timer);
        timer = window.setTimeout(() => happen({ is: "tick" }), Math.max(effect.at - Date.now(), 0));
        return;
      case "tell":
        fieldIn(form, "seq")!.value = String(effect.seq);
        tabs?.postMessage(effect.seq);
        return tellPage("live:kept", { kept: effect.seq });
      case "kept":
        return tellPage("form:kept", { form });
      case "submit":
        leaving = true; // a second click must not send it twice
        return form.requestSubmit(submitter);
      case "take":
      case "unkept":
        return settling.splice(0).forEach((then) => then(effect.do === "take"));
      case "note": {
        const text = form.dataset.elsewhere!.replace("{keys}", () => effect.keys.join(", "));
        return tellPage("live:note", { name: "elsewhere", text });
      }
      case "fetch":
        void fetchPage();
        return;
      case "show":
        keepingField(form, () => replaceRows(form, fresh!.querySelector("#state-form")!));
        put(form, fresh!, ["version", "seq", "given"]);
        replacePart("#page-head .page-subtitle", fresh!, form);
        return putPanel(fresh!);
      case "panel":
        return putPanel(fresh!);
      case "reload":
        leaving = true;
        return location.assign(`?${new URLSearchParams([...new URLSearchParams(location.search), ["raw", "1"]])}`);
    }
  }

  let fresh: Document | null = null; // the page that was fetched last

  async function fetchPage(): Promise<void> {
    try {
      const page = await server.page(location.pathname + location.search);
      await still();
      fresh = page;
      const isMine = page.body.dataset.person === person;
      happen({ is: "fetched", page: isMine ? shownIn(page) : null });
    } catch {
      happen({ is: "fetched", page: null }); // the socket opens again when there is a line
    }
  }

  function putPanel(page: Document): void {
    replacePart(".pending", page, form);
    replacePart("#live-now", page, form);
    if (counted !== null) counted.dataset.count = page.querySelector<HTMLElement>("[data-draft-count]")?.dataset.count ?? "0";
  }

  function show(): void {
    const words = word.dataset;
    const { line: now, words: said } = model;
    const text = { "": "", saved: words.keptSaved, told: said, refused: said, waits: words.keptWaits, unsent: words.keptUnsent, out: words.keptSignedOut, foreign: words.keptForeign };
    const shown = stoppedBy || (text[now] ?? "");
    if (word.textContent !== shown) word.textContent = shown;
    word.classList.toggle("text-danger", stoppedBy !== "" || (now !== "" && now !== "saved"));
    if (line !== null) line.hidden = now === "waits" || now === "unsent"; // the socket may not know yet
    const changed = area === null ? showRows() : 0;
    if (counted === null) return;
    if (model.count !== null) counted.dataset.count = String(model.count);
    const count = Math.max(Number(counted.dataset.count), isUnkept(model) ? changed : 0); // also what is not saved yet
    counted.textContent = (count === 1 ? counted.dataset.one : counted.dataset.many)!.replace("{n}", String(count));
    for (const each of [counted, discard]) if (each !== null) each.hidden = count === 0;
    hideSaid();
  }

  /** Returns the number of rows that differ from the state. */
  function showRows(): number {
    const changed = markRows(form);
    drawShallow(form);
    filterRows();
    return changed;
  }

  /** The rows say themselves what was typed in them; the panel has what came from elsewhere. */
  function hideSaid(): void {
    const said = new Set([...model.mine.keys()].map((place) => encodeURIComponent(keyOf(place))));
    const panel = document.querySelector<HTMLElement>(".pending");
    if (panel === null || area !== null) return;
    for (const each of panel.querySelectorAll<HTMLElement>("[data-of]")) each.hidden = said.has(encodeURIComponent(nameOf(each)));
    const number = panel.querySelector(".tab-count");
    if (number !== null) number.textContent = counted?.dataset.count ?? number.textContent;
    panel.hidden = panel.querySelector(":is(.pending-line, .pending-text):not([hidden])") === null;
  }

  function heard(): void {
    happen(() => ({ is: "typed", content: content(), size: whole?.text().length ?? 0 }));
  }

  // A text of megabytes is not read with every key.
  let reading = 0;
  let edits = 0;

  function edited(): void {
    edits += 1;
    clearTimeout(reading);
    reading = window.setTimeout(read, READ_MS);
  }

  function read(): void {
    if (reading) heard();
    clearTimeout(reading);
    reading = 0;
  }

  // --- The form ------------------------------------------------------------------------------------

  form.addEventListener("input", ({ target }) => {
    stoppedBy = "";
    noteTyping(target);
    heard();
  });
  form.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement && event.target.matches("select[data-kind]")) chooseKind(event.target);
    heard();
  });
  form.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest("[data-adds]") && openNewRow(form)) return event.preventDefault();
    const button = target?.closest(".edit-key-revert");
    const row = button?.closest<HTMLElement>(".edit-key");
    if (!row) return;
    event.preventDefault();
    revertRow(row);
    const theirs = button?.closest(".edit-key-theirs");
    if (!theirs) return;
    theirs.remove();
    happen({ is: "news" }); // the row then shows what they applied
  });
  // A form of which all is kept says only which draft it is of; what is unkept goes with it.
  form.addEventListener("formdata", ({ formData }) => {
    read();
    if (isUnkept(model)) {
      if (whole !== undefined) formData.set("raw", whole.text());
      return;
    }
    for (const name of [...formData.keys()]) if (name === "raw" || /^(name|kind|value|old|gone|offered)-\d+$/.test(name)) formData.delete(name);
    formData.set("text-given", model.mark);
  });
  form.addEventListener("submit", (event) => {
    read();
    if (leaving) return; // what is typed while it leaves goes with the form
    const wrong = stepOf(event.submitter) === "review" ? goToWrong(form) : "";
    if (wrong) {
      event.preventDefault();
      stoppedBy = wrong;
      return show();
    }
    if (!isUnkept(model)) return;
    event.preventDefault();
    submitter = event.submitter;
    happen({ is: "press", then: "submit" });
  });
  form.addEventListener("form:stays", () => (leaving = false));

  // --- What others do ------------------------------------------------------------------------------

  // Other tabs tell when they keep something, and when they are loaded, which is after something was
  // taken back in them; another device is heard of by the socket.
  tabs?.addEventListener("message", ({ data }) => happen({ is: "heard", seq: Number(data) }));
  listen<{ people: readonly Person[]; you: string; person: string }>("live:people", ({ people, you, person: me }) => {
    for (const { id, socket, kept } of people) {
      if (!kept || id !== me || socket === you || heardOf.get(socket) === kept) continue;
      heardOf.set(socket, kept);
      happen({ is: "heard", seq: kept });
    }
  });
  listen<{ frame: Frame; state: Numbers | null }>("live:changed", ({ frame, state }) => {
    whole?.look(frame.version ?? state?.version, state?.status ?? frame.status, state?.execution ?? frame.execution);
    if (frame.version != null || !frame.who) happen({ is: "news" });
  });
  listen<{ state: Numbers | null }>("live:welcome", ({ state }) => {
    whole?.look(state?.version, state?.status, state?.execution);
    if ((state?.seq ?? 0) > Number(document.getElementById("live-now")?.dataset.seq)) happen({ is: "news" });
  });
  listen<{ open: boolean }>("live:open", ({ open }) => {
    if (line !== null) line.textContent = (open ? line.dataset.open : line.dataset.closed) ?? "";
  });
  listen("form:editable", () => happen({ is: "may", may: true }));
  // What can no longer be applied is copied as it is now.
  document.addEventListener(
    "click",
    ({ target }) => {
      const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy="#own-edits"]') : null;
      if (!button) return;
      const shown = document.getElementById("own-edits") ?? Object.assign(document.createElement("textarea"), { id: "own-edits", className: "form-control", readOnly: true, rows: 2 });
      shown.setAttribute("aria-label", button.dataset.label ?? "");
      (shown as HTMLTextAreaElement).value = whole?.text() ?? editsOf(form);
      button.after(shown); // where there is no clipboard it is selected
    },
    { capture: true },
  );
  // Someone who comes back from signing in in another tab need not wait, nor what waits for the line.
  window.addEventListener("focus", () => ["out", "foreign", "waits", "unsent"].includes(model.line) && happen({ is: "hurry" }));
  window.addEventListener("online", () => happen({ is: "hurry" }));
  window.addEventListener("pagehide", () => {
    read();
    if (!leaving) happen({ is: "leave" });
    keepInTab();
  });
  // The browser may show this very page again when someone goes back to it.
  window.addEventListener("pageshow", () => (leaving = false));

  if (area !== null) {
    const host = {
      form,
      server,
      execution: () => model.shown.execution,
      typed: () => edits,
      edited,
      settled: () =>
        new Promise<boolean>((then) => {
          settling.push(then);
          read();
          happen({ is: "press", then: "take" });
        }),
      taken: (page: Model["shown"], document_: Document) => {
        put(form, document_, ["version", "seq", "given", "text-given"]);
        replacePart("#page-head .page-subtitle", document_, form);
        document.querySelector('#live-notes [data-note="changed"]')?.remove();
        happen({ is: "taken", page });
        happen({ is: "news" });
      },
    };
    void beginWhole(area, host).then((found) => {
      whole = found;
      if (found === undefined) return;
      if (area.dataset.jsonUrl === undefined) heard();
      else model = { ...model, now: contentOf(found.text()), known: contentOf(found.text()) };
    });
  }
  tabs?.postMessage(model.seq);
  happen({ is: "begin", left });
  if (area === null) heard(); // what was typed before this began
}

const form = document.querySelector<HTMLFormElement>("form[data-draft-url]");
if (form !== null) {
  beginDraft(form);
  openLinks(form);
  showWantedKey(form);
}
