// The notice of a change offers Undo only as long as the change is the last one.

import { isStale } from "./model";

/** Without its button the notice says whose the last change is. */
export function dropStaleUndo(): void {
  const { revision, count } = document.getElementById("live-now")?.dataset ?? {};
  const why = document.querySelector<HTMLElement>(".conversation")?.dataset.keysNoUndo ?? "";
  for (const form of document.querySelectorAll<HTMLFormElement>("#messages .note form[data-submit-once]:not([data-sending])")) {
    if (!isStale(form.action, revision, count)) continue;
    const body = form.closest(".note")?.querySelector(".note-body");
    const more = document.createElement("span");
    more.dataset.noUndo = "";
    body?.append(" ", more);
    form.remove();
  }
  for (const more of document.querySelectorAll<HTMLElement>("#messages [data-no-undo]")) more.textContent = why;
}
