// The state as a tree: only the rows in sight are in the page, however large the text is.

import { shown } from "../model/hidden";
import { CLOSED, OPEN, holds, rowsOf, rowsWith, turned, type Folds } from "../model/rows";
import { Kind, nameOf, pointerOf, textOf, type Scanned } from "../model/scan";
import { say, type Words } from "../texts";

const ROW = 28; // px, as .json-row in executions.css
const BEYOND = 12; // rows above and below what is in sight
const SHOWN = 300; // characters of a value in its row

interface Tree {
  readonly host: HTMLElement;
  show(scanned: Scanned): void;
  find(word: string): number;
  foldAll(open: boolean): void;
}

interface Wanted {
  readonly label: string;
  readonly words: Words;
  /** Another value was typed: `text` is the JSON that is to stand at `place`. */
  readonly edited: (place: number, text: string) => void;
  /** Show a value in the text. */
  readonly opened: (place: number) => void;
}

export function tree({ label, words, edited, opened }: Wanted): Tree {
  const host = element("div", "json-tree");
  host.setAttribute("role", "tree");
  host.setAttribute("aria-label", label);
  host.tabIndex = 0;
  const tall = element("div", "json-tall");
  host.append(tall);
  let scanned: Scanned | undefined;
  let folds: Folds = CLOSED;
  let word = "";
  let rows: Int32Array = new Int32Array();
  let focused = 0;

  function count(): void {
    rows = scanned === undefined ? new Int32Array() : word ? rowsWith(scanned, word) : rowsOf(scanned, folds);
    focused = Math.min(focused, Math.max(rows.length - 1, 0));
    tall.style.height = `${rows.length * ROW}px`;
    draw();
  }

  function draw(): void {
    if (scanned === undefined || host.querySelector("input") !== null) return;
    const first = Math.max(Math.floor(host.scrollTop / ROW) - BEYOND, 0);
    const last = Math.min(first + Math.ceil(host.clientHeight / ROW) + 2 * BEYOND, rows.length);
    const drawn: HTMLElement[] = [];
    for (let at = first; at < last; at++) drawn.push(rowAt(scanned, at));
    tall.replaceChildren(...drawn);
    const active = tall.querySelector<HTMLElement>("[data-focused]");
    if (active === null) host.removeAttribute("aria-activedescendant");
    else host.setAttribute("aria-activedescendant", active.id);
  }

  function rowAt(of: Scanned, at: number): HTMLElement {
    const place = rows[at]!;
    const row = element("div", "json-row");
    row.id = `json-row-${at}`;
    row.dataset.at = String(at);
    row.style.top = `${at * ROW}px`;
    row.style.paddingLeft = `${(of.depth[place]! - 1) * 1.1 + 0.25}rem`;
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", String(of.depth[place]!));
    row.setAttribute("aria-selected", String(at === focused));
    row.setAttribute("aria-setsize", String(of.count[of.parent[place]!]));
    row.setAttribute("aria-posinset", String(of.order[place]! + 1));
    if (at === focused) row.dataset.focused = "";
    const sign = element("span", "json-sign");
    if (holds(of, place) && of.count[place]) {
      const open = isOpen(of, at);
      row.setAttribute("aria-expanded", String(open));
      sign.textContent = open ? "▾" : "▸";
    }
    const name = element("span", "json-name");
    name.textContent = shown(nameOf(of, place));
    row.append(sign, name, valueOf(of, place));
    return row;
  }

  function valueOf(of: Scanned, place: number): HTMLElement {
    const kind = of.kind[place] as Kind;
    const value = element("span", "json-value");
    value.dataset.kind = String(kind);
    const n = of.count[place]!;
    if (kind === Kind.Object) value.textContent = `{ ${say(words, n === 1 ? "key" : "keys", { n })} }`;
    else if (kind === Kind.Array) value.textContent = `[ ${say(words, n === 1 ? "item" : "items", { n })} ]`;
    else value.textContent = shown(textOf(of, place, SHOWN));
    return value;
  }

  function isOpen(of: Scanned, at: number): boolean {
    return at + 1 < rows.length && of.parent[rows[at + 1]!] === rows[at];
  }

  function focusOn(at: number): void {
    if (!rows.length) return;
    focused = Math.max(0, Math.min(at, rows.length - 1));
    const top = focused * ROW;
    if (top < host.scrollTop) host.scrollTop = top;
    else if (top + ROW > host.scrollTop + host.clientHeight) host.scrollTop = top + ROW - host.clientHeight;
    draw();
  }

  function turn(at: number): void {
    const place = rows[at];
    if (scanned === undefined || place === undefined || word || !holds(scanned, place)) return;
    folds = turned(folds, pointerOf(scanned, place));
    count();
  }

  function edit(at: number): void {
    const place = rows[at];
    if (scanned === undefined || place === undefined) return;
    if (holds(scanned, place) || scanned.end[place]! - scanned.start[place]! > SHOWN) {
      opened(place);
      return;
    }
    const of = scanned;
    const cell = tall.querySelector<HTMLElement>(`[data-at="${at}"] .json-value`);
    if (cell === null) return;
    const field = document.createElement("input");
    field.className = "form-control form-control-sm json-field";
    field.value = textOf(of, place);
    field.setAttribute("aria-label", say(words, "value", { name: nameOf(of, place) }));
    cell.replaceChildren(field);
    field.focus();
    field.select();
    let ended = false; // removing a field that has the focus blurs it, too
    const end = (keep: boolean): void => {
      if (ended) return;
      ended = true;
      const typed = field.value.trim();
      field.remove();
      host.focus();
      if (keep && typed !== textOf(of, place)) edited(place, typed);
      draw();
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") event.preventDefault();
      if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter");
    });
    field.addEventListener("input", (event) => event.stopPropagation());
    field.addEventListener("blur", () => end(true));
  }

  host.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(host);
  host.addEventListener("click", (event) => {
    const at = placeOf(event);
    if (at === undefined || event.target instanceof HTMLInputElement) return;
    focusOn(at);
    turn(at);
  });
  host.addEventListener("dblclick", (event) => {
    const at = placeOf(event);
    if (at !== undefined && !(event.target instanceof HTMLInputElement)) edit(at);
  });
  host.addEventListener("keydown", (event) => {
    const open = scanned !== undefined && isOpen(scanned, focused);
    const page = Math.max(Math.floor(host.clientHeight / ROW) - 1, 1);
    const parent = scanned === undefined ? -1 : rows.indexOf(scanned.parent[rows[focused] ?? 0] ?? -1);
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusOn(focused + 1),
      ArrowUp: () => focusOn(focused - 1),
      PageDown: () => focusOn(focused + page),
      PageUp: () => focusOn(focused - page),
      Home: () => focusOn(0),
      End: () => focusOn(rows.length - 1),
      ArrowRight: () => (open ? focusOn(focused + 1) : turn(focused)),
      ArrowLeft: () => (open ? turn(focused) : parent >= 0 && focusOn(parent)),
      " ": () => turn(focused),
      Enter: () => edit(focused),
      F2: () => edit(focused),
    };
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (step === undefined || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    step();
  });

  return {
    host,
    show: (of) => {
      scanned = of;
      count();
    },
    find: (wanted) => {
      word = wanted;
      host.scrollTop = 0;
      count();
      return rows.length;
    },
    foldAll: (open) => {
      folds = open ? OPEN : CLOSED;
      count();
    },
  };
}

function placeOf(event: Event): number | undefined {
  const row = (event.target as Element).closest<HTMLElement>(".json-row");
  return row === null ? undefined : Number(row.dataset.at);
}

function element(tag: string, name: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}
