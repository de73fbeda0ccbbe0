// The first field that says a value which the server would refuse: the form is not sent with it.

import { filled } from "./shallow_inputs";
import { focusFirst, wrongIn } from "./shallow";
import { fieldOf, rowsOf } from "./rows";

/** Goes to the first wrong field, and returns what is wrong with it; "" if none is. */
export function goToWrong(form: HTMLFormElement): string {
  for (const row of rowsOf(form)) {
    const said = row.querySelector("[data-wrong-number]");
    const list = wrongIn(row);
    const field = said?.id ? fieldOf(row, "value") : null; // a number by itself; it has no fields
    if (list === null && (field === null || field.getAttribute("aria-invalid") !== "true")) continue;
    reveal(form, row);
    if (field !== null) field.focus();
    else focusFirst(row);
    const words = said?.firstElementChild?.textContent ?? "";
    return field === null ? words : filled(form.dataset.field, { key: row.dataset.keyName ?? fieldOf(row, "name")?.value ?? "", name: words });
  }
  return "";
}

/** A link to the text area of a row leads to the fields that stand in its place. */
export function openLinks(form: HTMLFormElement): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="#value-"]') : null;
    const area = link && document.getElementById(link.hash.slice(1));
    const row = area?.hidden ? area.closest<HTMLElement>(".edit-key") : null;
    if (!row) return;
    event.preventDefault();
    reveal(form, row);
    focusFirst(row);
  });
}

/** Shows a row that a filter hides, or that is in a folded section. */
function reveal(form: HTMLFormElement, row: HTMLElement): void {
  const filter = document.querySelector<HTMLInputElement>("[data-filter-keys]");
  if (row.hidden && filter?.value) {
    filter.value = "";
    filter.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const heads = rowsOf(form).filter(({ dataset }) => dataset.section === row.dataset.section);
  heads[0]?.querySelector<HTMLElement>('[data-folds][aria-expanded="false"]')?.click();
}
