// The palette: Ctrl+K opens a dialog with one field. Without this script its button leads to the page of results.

import { COLLECT, type Shortcut } from "../keys/model";
import { ACTIONS, completed, completions, type Group, groupsOf, type Hits, isNothing, isOfSame, type Item, itemsOf, keptActive, moved, needsNames, NOTHING, signInFirst, tabbed } from "./model";

const TYPED_MS = 120;
const dialog = document.getElementById("palette") as HTMLDialogElement | null;
if (dialog) start(dialog);

function start(palette: HTMLDialogElement): void {
  const form = palette.querySelector("form") as HTMLFormElement;
  const field = form.elements.namedItem("q") as HTMLInputElement;
  const list = document.getElementById("palette-list") as HTMLElement;
  const hints = document.getElementById("palette-hints") as HTMLElement;
  const said = document.getElementById("palette-said") as HTMLElement;
  const sprite = palette.dataset.sprite ?? "";
  const texts = palette.dataset;
  const places: readonly Item[] = [...palette.querySelectorAll<HTMLAnchorElement>("#palette-places a")].map((link) => ({
    label: link.textContent?.trim() ?? "",
    url: link.getAttribute("href") ?? "",
    icon: link.dataset.icon ?? "",
    names: link.dataset.names ?? "",
  }));
  let actions: readonly Item[] = []; // of the page, as it is when the palette opens
  let hits: Hits = NOTHING;
  let isSignedOut = false;
  let groups: readonly Group[] = [];
  let active = 0;
  let chosen: Item | null = null; // by the arrows: what is first stays first while hits arrive
  let timer = 0;
  let request: AbortController | null = null;
  let isAsking = false; // from the moment of typing until the answer

  function all(): Item {
    const words = field.value.trim();
    const label = ((hits.archived ? texts.allArchived : texts.all) ?? "").replace("{words}", () => words);
    const query = new URLSearchParams({ q: words, ...(hits.archived ? { archived: "also" } : {}) });
    return { label, url: `${form.action}?${query}`, icon: "search" };
  }

  function signIn(): Item {
    const next = location.pathname + location.search + location.hash;
    return { label: texts.signIn ?? "", url: `${document.body.dataset.signIn}?${new URLSearchParams({ next })}`, icon: "lock" };
  }

  function draw(): void {
    const found = groupsOf([...actions, ...places], field.value, hits, all());
    groups = isSignedOut ? signInFirst(found, signIn()) : found;
    active = keptActive(chosen, itemsOf(groups));
    list.replaceChildren(...drawnGroups());
    mark();
    hints.replaceChildren(...completions(field.value, hits.completions).map(hintOf));
  }

  function drawnGroups(): HTMLElement[] {
    let number = 0;
    return groups.map(({ name, items }) => {
      const group = made("div", "palette-group");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", texts[name] ?? name);
      const head = made("div", "palette-head", texts[name] ?? "");
      head.setAttribute("aria-hidden", "true");
      if (name !== "all") group.append(head);
      group.append(...items.map((item, at) => optionOf(item, number++, isOfSame(item, items[at - 1]))));
      return group;
    });
  }

  function optionOf(item: Item, number: number, isNamed: boolean): HTMLElement {
    const option = document.createElement("a");
    option.className = "palette-item";
    if (!item.run) option.href = item.url;
    option.id = `palette-${number}`;
    option.tabIndex = -1;
    option.setAttribute("role", "option");
    const line = made("span", "palette-line");
    const name = made("span", isNamed ? "visually-hidden" : "palette-label", item.label);
    line.append(name);
    if (item.place) line.append(made("span", "palette-place", item.place));
    if (item.status && item.status !== "IDLE") line.append(made("span", "palette-place", texts[`status${item.status[0]}${item.status.slice(1).toLowerCase()}`] ?? item.status));
    const text = made("span", "palette-text");
    text.append(line);
    if (item.passage?.length) text.append(passageOf(item));
    option.append(iconOf(item.icon), text);
    if (item.kind) option.append(made("span", "visually-hidden", item.kind));
    option.addEventListener("mousemove", () => {
      if (active !== number) choose(number);
    });
    return option;
  }

  function passageOf({ passage = [] }: Item): HTMLElement {
    const drawn = made("span", "palette-passage");
    drawn.dir = "auto";
    for (const [text, marked] of passage) drawn.append(marked ? made("mark", "", text) : text);
    return drawn;
  }

  function iconOf(name: string): SVGElement {
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    icon.setAttribute("class", "icon");
    icon.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${sprite}#${name}`);
    icon.append(use);
    return icon;
  }

  function hintOf(completion: string): HTMLElement {
    const hint = made("button", "palette-hint", completion) as HTMLButtonElement;
    hint.type = "button";
    hint.tabIndex = -1;
    hint.addEventListener("click", () => {
      change(completed(field.value, completion));
      field.focus();
    });
    return hint;
  }

  function mark(): void {
    const options = list.querySelectorAll<HTMLElement>("[role=option]");
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === active)));
    const now = options[active];
    now?.scrollIntoView({ block: "nearest" });
    if (now) field.setAttribute("aria-activedescendant", now.id);
    else field.removeAttribute("aria-activedescendant");
  }

  function choose(number: number): void {
    active = number;
    chosen = itemsOf(groups)[number] ?? null;
    mark();
  }

  function change(text: string): void {
    field.value = text;
    look();
  }

  function look(): void {
    chosen = null;
    clearTimeout(timer);
    request?.abort();
    hits = field.value.trim() ? { ...hits, archived: 0 } : NOTHING;
    draw();
    tell("");
    isAsking = Boolean(field.value.trim());
    if (isAsking) timer = window.setTimeout(() => void ask(), TYPED_MS);
  }

  async function ask(): Promise<void> {
    const mine = new AbortController();
    request = mine;
    tell(texts.busy ?? "");
    try {
      const answer = await fetch(`${texts.url}?${new URLSearchParams({ q: field.value })}`, { signal: mine.signal, headers: { Accept: "application/json" } });
      isSignedOut = answer.redirected && new URL(answer.url).pathname === document.body.dataset.signIn;
      if (answer.redirected || !answer.ok) throw new Error(String(answer.status));
      hits = (await answer.json()) as Hits;
      isAsking = false;
      draw();
      const [completion] = isNothing(groups) ? completions(field.value, hits.completions) : [];
      if (completion) return tell((texts.complete ?? "").replace("{filter}", () => completion));
      const none = isNothing(groups) ? (texts.none ?? "").replace("{words}", () => field.value.trim()) : "";
      const archived = hits.archived ? (texts.archived ?? "").replace("{n}", String(hits.archived)) : "";
      tell(hits.problem || archived || none || (hits.behind ? (texts.behind ?? "").replace("{n}", String(hits.behind)) : ""));
    } catch (error) {
      if (mine.signal.aborted) return;
      hits = NOTHING;
      isAsking = false;
      draw();
      tell((isSignedOut ? texts.signedOut : texts.away) ?? "");
    }
  }

  function tell(text: string): void {
    said.textContent = text;
    said.hidden = !text;
  }

  function open(): void {
    const menu = document.getElementById("sidebar");
    if (menu?.matches(":popover-open")) menu.hidePopover();
    if (palette.open) return;
    const offered: Item[] = [];
    document.dispatchEvent(new CustomEvent(ACTIONS, { detail: offered }));
    actions = offered;
    palette.showModal();
    field.select();
    look();
  }

  field.addEventListener("input", look);

  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (step && plain) {
      event.preventDefault();
      choose(moved(active, step, itemsOf(groups).length));
    } else if (event.key === "Escape") {
      event.preventDefault(); // a field of searches would empty itself first
      palette.close();
    } else if (event.key === "Tab" && plain) {
      const text = tabbed(field.value, hits.completions);
      if (text !== null || (isAsking && needsNames(field.value))) event.preventDefault();
      if (text !== null) change(text);
    } else if (event.key === "Enter" && !event.shiftKey) {
      const link = document.getElementById(`palette-${active}`);
      if (!link) return;
      event.preventDefault();
      if ((event.ctrlKey || event.metaKey) && !itemsOf(groups)[active]?.run) window.open((link as HTMLAnchorElement).href, "_blank", "noopener");
      else link.click();
    }
  });

  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
    const run = itemsOf(groups)[Number(option?.id.replace("palette-", ""))]?.run;
    if (option && run) {
      palette.close();
      return run();
    }
    const leaves = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    if (leaves && event.target instanceof Element && event.target.closest("a")) palette.close();
  });

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("[data-open-palette]") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });

  document.addEventListener(COLLECT, (event) => {
    const offered = (event as CustomEvent<Shortcut[]>).detail;
    offered.push({ keys: "Ctrl+K", label: texts.key ?? "", usable: true, run: open, group: "everywhere" });
  });

  // Also while someone types, or with another dialog open, where the keys of pages rest.
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
    if (event.key.toLowerCase() !== "k" || document.querySelector("dialog[open]:not(#palette)")) return;
    event.preventDefault();
    open();
  });
}

function made(tag: string, css: string, text = ""): HTMLElement {
  const element = document.createElement(tag);
  if (css) element.className = css;
  if (text) element.textContent = text;
  return element;
}
