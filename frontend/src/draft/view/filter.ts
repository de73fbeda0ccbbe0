// Shows only the rows of a form whose key contains what is typed; the server does so without scripts,
// and where it has more keys than the page. Hidden rows keep what was typed in them.

import { rowsOf } from "./rows";

/** Keys without a name, which are new ones, are always shown. */
function isShown(name: string | undefined, text: string): boolean {
  return !name || name.toLowerCase().includes(text.trim().toLowerCase());
}

/** Filters the rows with each letter; the function that it returns does so again for new rows. */
export function beginFilter(form: HTMLFormElement): () => void {
  const field = document.querySelector<HTMLInputElement>("[data-filter-keys]");
  const said = document.querySelector<HTMLElement>("[data-filtered]");
  if (field === null) return () => undefined;
  const asked = field.value; // the server has filtered by it

  function filter(): void {
    const text = field!.value === asked ? "" : field!.value;
    const rows = rowsOf(form);
    for (const row of rows) row.hidden = !isShown(row.dataset.keyName, text);
    form.classList.toggle("edit-filtering", text.trim() !== "");
    const named = rows.filter(({ dataset }) => dataset.keyName);
    const words = field!.dataset.filterKeys!.replace("{n}", String(named.filter(({ hidden }) => !hidden).length)).replace("{t}", String(named.length));
    if (said !== null) said.textContent = text.trim() ? words : "";
  }

  field.addEventListener("input", filter);
  return filter;
}
