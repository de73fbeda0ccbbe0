// The state as one JSON text: its editor, and the offer to merge what others applied.

import type { JsonEditor } from "../../state/main";
import type { Server } from "../io/server";
import { contentOf } from "../model/content";
import type { Shown } from "../model/draft";
import { shownIn, textOf } from "./page";
import { whenStill } from "./deferred_updates";

const TRIES = 3;

interface Host {
  readonly form: HTMLFormElement;
  readonly server: Server;
  execution(): string;
  /** True when all that is typed is kept. */
  settled(): Promise<boolean>;
  typed(): number;
  edited(): void;
  /** The page has this now, and what was typed in it. */
  taken(page: Shown, document: Document): void;
}

export interface Whole {
  text(): string;
  /** A version that someone opened. */
  look(version: number | null | undefined, status: string | undefined, execution: string | undefined): void;
}

interface Found {
  readonly document: Document;
  readonly text: string;
  readonly until: number;
  readonly took: number;
  readonly meets: string;
  readonly of: string;
}

/** Puts the editor into the page; undefined if the text could not be loaded. */
export async function beginWhole(area: HTMLTextAreaElement, host: Host): Promise<Whole | undefined> {
  const { jsonUrl, editor: script } = area.dataset;
  const first = jsonUrl === undefined ? area.value : (await host.server.text(jsonUrl).catch(() => undefined))?.text;
  if (first === undefined || script === undefined) {
    area.insertAdjacentText("afterend", document.getElementById("json-words")?.dataset.wordFailed ?? "");
    return undefined;
  }
  // The page has loaded it before this script: the editor stands there with the page.
  const { begin } = (await import(script)) as typeof import("../../state/main");
  const editor = begin(area, first, host.edited);
  if (document.activeElement === document.body) editor.show(area.dataset.at ?? "");
  return { text: () => editor.text(), look: offer(area, editor, host) };
}

function offer(area: HTMLTextAreaElement, editor: JsonEditor, host: Host): Whole["look"] {
  const bar = document.querySelector<HTMLElement>("[data-take-in]")!;
  const words = bar.dataset;
  const word = bar.querySelector<HTMLElement>("[data-take-in-word]")!;
  const button = bar.querySelector("button")!;
  let newest = 0;
  let upTo = Number(area.dataset.upTo); // what others applied until then is in the text, or is said not to be

  function say(text: string | undefined, { offers = false, keys = "" } = {}): void {
    const values: Record<string, string> = { a: String(upTo), b: String(newest), keys };
    word.textContent = (text ?? "").replace(/\{(a|b|keys)\}/g, (whole, name: string) => values[name] ?? whole);
    button.hidden = !offers;
    bar.hidden = !text;
  }

  /** The page of the text as it is now with what is kept; undefined if it moved on meanwhile. */
  async function fetched(): Promise<Found | undefined> {
    const page = await host.server.page(`${location.pathname}?raw=1&text=`);
    const fresh = page.querySelector<HTMLTextAreaElement>("#state-form [data-json-editor]");
    if (fresh === null || page.body.dataset.person !== document.body.dataset.person) throw new Error("no text");
    const shown = shownIn(page)!;
    if (shown.execution !== host.execution()) throw new Error("another execution");
    const { upTo: until, took, meets, jsonUrl } = fresh.dataset;
    const found = { document: page, until: Number(until), took: Number(took), meets: meets ?? "" };
    if (jsonUrl === undefined) return { ...found, text: textOf(fresh), of: "" };
    const whole = await host.server.text(jsonUrl);
    return whole?.of === `${shown.version} ${shown.seq} ${until}` ? { ...found, ...whole } : undefined;
  }

  async function takeIn(): Promise<void> {
    for (let each = 0; each < TRIES; each += 1) {
      if (!(await host.settled())) return say(words.unkept, { offers: true });
      if (contentOf(editor.text()).text !== null) return say(words.unread, { offers: true });
      const before = host.typed();
      const found = await fetched();
      if (found === undefined || host.typed() !== before) continue;
      editor.take(found.text);
      upTo = found.until;
      newest = Math.max(newest, upTo);
      host.taken({ ...shownIn(found.document)!, content: contentOf(found.text) }, found.document);
      if (!found.meets) return say(words.taken);
      return say(found.took ? words.some : words.both, { keys: found.meets });
    }
    return say(words.behind, { offers: true });
  }

  button.addEventListener("click", () => {
    button.disabled = true;
    void takeIn()
      .catch(() => say(words.failed, { offers: true }))
      .finally(() => (button.disabled = false));
  });

  return (version, status, execution) => {
    newest = Math.max(newest, version ?? 0);
    const isOther = execution !== undefined && execution !== "" && execution !== host.execution();
    const isBehind = newest > upTo && (status ?? "PAUSED") === "PAUSED" && !isOther;
    whenStill(() => say(isBehind ? words.behind : "", { offers: true }));
  };
}
