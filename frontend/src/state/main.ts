// Puts an editor of JSON in the place of the text area of a whole state: as text, and as a tree.
//
// The page of the draft begins it, learns of each change and sends the text.

import { NotJson, placeOf, scan, type Scanned } from "./model/scan";
import { problemOf, say, wordsOf, type Words } from "./texts";
import { textEditor, type TextEditor } from "./view/text_editor";
import { tree } from "./view/tree";

const LOOK_MS = 250;

export interface JsonEditor {
  text(): string;
  /** Put another text in its place, of which undo knows nothing: it is what others wrote. */
  take(text: string): void;
  /** Put the cursor at a key of the state, if it has that. */
  show(key: string): void;
}

/** Puts the editor of `first` in the place of the area; `edited` is called when the text changes. */
export function begin(area: HTMLTextAreaElement, first: string, edited: () => void): JsonEditor {
  const words = wordsOf(document.getElementById("json-words")!);
  const label = area.labels?.[0]?.textContent ?? "";
  const dark = document.documentElement.dataset.bsTheme === "dark";
  const changed = (): void => {
    edited();
    look();
  };
  const text = textEditor({ text: first, label, words, dark, changed });
  const bar = toolbar(words);
  const branches = tree({
    label,
    words,
    edited: (place, json) => put(text, scanned, place, json, bar, words),
    opened: (place) => {
      if (scanned === undefined) return;
      bar.choose("text");
      text.show(scanned.start[place]!);
    },
  });
  let scanned: Scanned | undefined;
  let timer = 0;

  function read(): void {
    timer = 0;
    const now = text.text();
    try {
      scanned = scan(now);
      bar.problem.textContent = "";
      branches.show(scanned);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      scanned = undefined;
      bar.problem.textContent = problemOf(words, error, now);
    }
    bar.allowTree(scanned !== undefined);
  }

  function look(): void {
    clearTimeout(timer);
    timer = window.setTimeout(read, LOOK_MS);
  }

  area.hidden = true;
  area.disabled = false;
  branches.host.hidden = true;
  area.after(bar.host, text.host, branches.host);
  bar.chosen((which) => {
    if (timer) read();
    text.host.hidden = which !== "text";
    branches.host.hidden = which !== "tree";
    if (which === "tree" && scanned !== undefined) branches.show(scanned);
  });
  bar.search((word) => branches.find(word));
  bar.folds((open) => branches.foldAll(open));
  read();
  return {
    text: () => text.text(),
    take: (fresh) => text.take(fresh),
    show: (key) => {
      const place = scanned && placeOf(scanned, key);
      if (scanned && place !== undefined) text.show(scanned.keyStart[place]!);
    },
  };
}

/** Put a value into the text, if it is one. */
function put(
  text: TextEditor,
  scanned: Scanned | undefined,
  place: number,
  json: string,
  bar: Toolbar,
  words: Words,
): void {
  if (scanned === undefined || scanned.text !== text.text()) return;
  try {
    scan(json);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    bar.problem.textContent = say(words, "notValue", { text: json.slice(0, 60) });
    return;
  }
  text.replace(scanned.start[place]!, scanned.end[place]!, json);
}

interface Toolbar {
  readonly host: HTMLElement;
  readonly problem: HTMLElement;
  choose(which: "text" | "tree"): void;
  chosen(then: (which: "text" | "tree") => void): void;
  search(then: (word: string) => number): void;
  folds(then: (open: boolean) => void): void;
  allowTree(allowed: boolean): void;
}

function toolbar(words: Words): Toolbar {
  const host = document.createElement("div");
  host.className = "json-bar";
  const group = document.createElement("div");
  group.className = "btn-group";
  group.setAttribute("role", "group");
  const tabs = { text: button(say(words, "asText")), tree: button(say(words, "asTree")) };
  group.append(tabs.text, tabs.tree);
  const find = document.createElement("input");
  find.type = "search";
  find.className = "form-control form-control-sm json-find";
  find.placeholder = say(words, "find");
  find.setAttribute("aria-label", find.placeholder);
  const all = button(say(words, "openAll"));
  const none = button(say(words, "closeAll"));
  const found = document.createElement("span");
  found.className = "text-secondary";
  found.setAttribute("role", "status");
  const problem = document.createElement("span");
  problem.className = "json-problem text-danger";
  problem.setAttribute("role", "status");
  host.append(group, find, all, none, found, problem);
  let then: (which: "text" | "tree") => void = () => {};

  function choose(which: "text" | "tree"): void {
    for (const [name, tab] of Object.entries(tabs)) {
      tab.classList.toggle("active", name === which);
      tab.setAttribute("aria-pressed", String(name === which));
    }
    for (const each of [find, all, none, found]) each.hidden = which !== "tree";
    then(which);
  }

  for (const [name, tab] of Object.entries(tabs)) {
    tab.addEventListener("click", () => choose(name as "text" | "tree"));
  }
  choose("text");
  return {
    host,
    problem,
    choose,
    chosen: (next) => {
      then = next;
    },
    search: (next) => {
      find.addEventListener("input", (event) => {
        event.stopPropagation();
        const n = next(find.value.trim());
        found.textContent = find.value.trim() ? say(words, "rows", { n }) : "";
      });
      find.addEventListener("keydown", (event) => {
        if (event.key === "Enter") event.preventDefault();
      });
    },
    folds: (next) => {
      all.addEventListener("click", () => next(true));
      none.addEventListener("click", () => next(false));
    },
    allowTree: (allowed) => {
      tabs.tree.disabled = !allowed;
      if (!allowed) choose("text");
    },
  };
}

function button(text: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn btn-sm";
  made.textContent = text;
  return made;
}
