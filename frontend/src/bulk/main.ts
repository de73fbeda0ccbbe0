// Shows the bar of bulk actions while rows are selected; the box in the head selects the page.

import { counted, reach, whole } from "./model";

const form = document.getElementById("bulk") as HTMLFormElement | null;
const all = document.querySelector<HTMLInputElement>("[data-bulk-all]");
let anchor: number | null = null;

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>("[data-bulk-box]")];
}

function show(): void {
  const rows = boxes();
  const selected = rows.filter(({ checked }) => checked).length;
  const said = form?.querySelector("[data-count]");
  if (!form || !said) return;
  form.classList.toggle("bulk-bar-empty", selected === 0);
  document.documentElement.classList.toggle("has-selection", selected > 0);
  said.textContent = counted(selected, form.dataset.one ?? "", form.dataset.many ?? "", document.documentElement.lang);
  if (!all) return;
  const state = whole(selected, rows.length);
  all.checked = state === "all";
  all.indeterminate = state === "some";
}

document.addEventListener("click", (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || !box.matches("[data-bulk-box]")) return;
  const rows = boxes();
  const at = rows.indexOf(box);
  for (const place of reach(at, anchor, event.shiftKey)) {
    const row = rows[place];
    if (row) row.checked = box.checked;
  }
  anchor = at;
  show();
});

all?.addEventListener("change", () => {
  for (const box of boxes()) box.checked = all.checked;
  anchor = null;
  show();
});

window.addEventListener("pageshow", show);
show();
