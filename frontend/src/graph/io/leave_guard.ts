// Saves everything before a link leaves the page, and before the draft is published.

import { chosenFor, onlyOne, type EditorStore } from "../store";
import { t } from "../texts";
import { warn } from "./notice";
import type { Reader } from "./form_reader";
import type { Saver } from "./autosave";

const PATIENCE_MS = 3_000;

export function startLeaving(store: EditorStore, reader: Reader, saver: Saver): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    if (!link || event.defaultPrevented || event.button || !leads(link)) return;
    const publishes = link.hasAttribute("data-editor-publish");
    const isHere = !(event.ctrlKey || event.metaKey || event.shiftKey);
    if (publishes && isHere) {
      event.preventDefault();
      return void (isSaved(store) ? Promise.resolve(true) : leave(store, reader, saver, true)).then((may) => may && store.getState().set({ publishing: true }));
    }
    if (isSaved(store)) return;
    // Into another tab: this page continues, and what is published there is looked at again.
    if (!isHere) return void saved(reader, saver);
    event.preventDefault();
    void leave(store, reader, saver, false).then(() => location.assign(link.href));
  });
}

function leads(link: HTMLAnchorElement): boolean {
  const isHere = link.origin === location.origin && link.pathname === location.pathname && link.search === location.search;
  return link.origin === location.origin && !isHere && !link.target && !link.download;
}

function isSaved(store: EditorStore): boolean {
  const { document, base, clash, typed, mayChange } = store.getState();
  return !mayChange || (document === base.document && !clash && !Object.keys(typed).length);
}

async function saved(reader: Reader, saver: Saver): Promise<boolean> {
  const isRead = await reader.finish();
  return (await saver.finish()) && isRead;
}

/**
 * Whether to go. Other pages are gone to in any case, after a moment: what could not be saved is
 * in the journal, and is offered when the editor opens again.
 */
async function leave(store: EditorStore, reader: Reader, saver: Saver, publishes: boolean): Promise<boolean> {
  if (!publishes) {
    await Promise.race([saved(reader, saver), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    return true;
  }
  if (await saved(reader, saver)) return true;
  const [waiting] = Object.values(store.getState().typed);
  const { chosen, choose } = store.getState();
  if (waiting && onlyOne(chosen)?.key !== waiting.key) choose(chosenFor(waiting));
  warn(t("Not published: some changes are not saved yet."));
  return false;
}
