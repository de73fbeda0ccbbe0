// Shows only the rows of a form whose key contains what is typed; the server does so without scripts,
// and where it has more keys than the page. Folds sections. Hidden rows keep what was typed in them.

import { rowsOf } from "./rows";

/** Keys without a name, which are new ones, are always shown. */
function isShown(name: string | undefined, text: string): boolean {
  return !name || name.toLowerCase().includes(text.trim().toLowerCase());
}

/** Shows of a folded section its heading alone, at its first row. */
function foldRows(rows: readonly HTMLElement[], folded: ReadonlySet<string>): void {
  for (const row of rows) {
    const isFolded = folded.has(row.dataset.section ?? "");
    const button = row.querySelector(".edit-section > [data-folds]");
    button?.setAttribute("aria-expanded", String(!isFolded));
    row.classList.toggle("edit-key-folded", isFolded && button !== null);
    if (isFolded && button === null) row.hidden = true;
  }
}

/** Filters the rows with each letter, and folds them; the function that it returns does so again for new rows. */
export function beginFilter(form: HTMLFormElement): () => void {
  const folded = new Set<string>();
  const show = (): void => (form.classList.contains("edit-filtering") ? foldRows(rowsOf(form), new Set()) : foldRows(rowsOf(form), folded));
  const filterRows = beginTextFilter(form);

  function fold(section: string, isFolded: boolean): void {
    if (isFolded) folded.add(section);
    else folded.delete(section);
    filterRows();
    show();
  }

  form.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-folds]") : null;
    const section = button?.closest<HTMLElement>(".edit-key")?.dataset.section;
    if (section) fold(section, !folded.has(section));
  });
  // A link to a section opens it.
  document.querySelector(".edit-sections")?.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href^='#keys:']") : null;
    if (link) fold(decodeURIComponent(link.hash.slice("#keys:".length)), false);
  });
  document.querySelector("[data-filter-keys]")?.addEventListener("input", show);
  return () => {
    filterRows();
    show();
  };
}

/** Filters the rows with each letter; the function that it returns does so again for new rows. */
function beginTextFilter(form: HTMLFormElement): () => void {
  const field = document.querySelector<HTMLInputElement>("[data-filter-keys]");
  const said = document.querySelector<HTMLElement>("[data-filtered]");
  if (field === null) return () => rowsOf(form).forEach((row) => (row.hidden = false));
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
