// Forms: what depends on a choice, rows without a page load, sending on change, dropped files.

/** Show and hide what depends on the field that has just changed. */
function follow(field) {
  if (!field.form || !field.name) return;
  for (const part of field.form.querySelectorAll("[data-shown-by]")) {
    if (part.dataset.shownBy !== field.name) continue;
    const shown = part.dataset.shownFor.split(" ").includes(field.value);
    part.toggleAttribute("data-shown-not", !shown);
  }
}

document.addEventListener("change", (event) => {
  follow(event.target);
  if (event.target.matches("[data-submit-on-change]")) event.target.form.requestSubmit();
});

// An address that is shared names the filters that are set, and no others.
document.addEventListener("formdata", ({ target, formData }) => {
  if (!target.matches("form.filter-bar[role=search]")) return;
  for (const name of new Set(formData.keys())) if (formData.getAll(name).every((value) => value === "")) formData.delete(name);
});

// What is typed into a field that stands for a choice is chosen.
document.addEventListener("input", (event) => {
  const choice = document.getElementById(event.target.dataset.chooses ?? "");
  if (!choice || choice.checked) return;
  choice.checked = true;
  choice.dispatchEvent(new Event("change", { bubbles: true }));
});

// Choices with icons: a button opens all of them, a choice leaves one.
document.addEventListener("click", (event) => {
  const tiles = event.target.closest?.(".tiles");
  if (!tiles) return;
  if (event.target.closest("[data-open-tiles]")) {
    tiles.toggleAttribute("data-open", true);
    tiles.querySelector(":checked")?.focus();
    return;
  }
  // Arrow keys click, too, and go on.
  if (!event.detail || !event.target.closest(".tile")) return;
  tiles.removeAttribute("data-open");
  const other = event.target.closest(".tile:last-of-type") && tiles.parentElement.querySelector(".tile-other");
  if (other) requestAnimationFrame(() => other.focus());
});
document.addEventListener(
  "keydown",
  (event) => {
    const tiles = ["Enter", "Escape"].includes(event.key) && event.target.closest?.(".tiles[data-open]");
    if (!tiles) return;
    event.preventDefault();
    tiles.removeAttribute("data-open");
  },
  true,
);
// A press on a tile takes the focus to what is around it first: only another field counts.
document.addEventListener("focusout", ({ target, relatedTarget }) => {
  const tiles = target.closest?.(".tiles[data-open]");
  const next = relatedTarget?.closest("input, select, textarea, button, a, summary");
  if (tiles && next && !tiles.contains(next)) tiles.removeAttribute("data-open");
});

// A row button sends the form; the answer is the page with the form as it is now. Everything
// that was typed comes back with it, so the form is replaced whole and keeps the focus.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-edit-rows]");
  const form = button?.form;
  const id = form?.getAttribute("id"); // a field named id would hide the property
  if (!id || !window.htmx) return;
  event.preventDefault();
  const target = `#${CSS.escape(id)}`;
  window.htmx.ajax("POST", form.action, { source: button, target, swap: "outerHTML", select: target });
});

// Ctrl+Enter sends a form with one way to answer, also from a text of several lines, where Enter
// begins a new line. In a sheet and a question it is the first button.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const form = event.target.closest?.("textarea, input")?.form;
  const buttons = form?.querySelectorAll("button[type=submit], button:not([type])") ?? [];
  if (!buttons.length || (buttons.length > 1 && !form.matches(".confirm"))) return;
  event.preventDefault();
  if (!buttons[0].disabled) form.requestSubmit(buttons[0]);
});

// Leaving with unsaved input asks first, where the form says so.
let unsaved = false;
document.addEventListener("input", (event) => {
  if (event.target.form?.matches("[data-guard]")) unsaved = true;
});
document.addEventListener("form:kept", () => (unsaved = false));
document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented && event.target.matches("[data-guard]")) unsaved = false;
});
window.addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});

for (const type of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(type, (event) => {
    const area = event.target.closest?.(".file-drop");
    if (!area) return;
    event.preventDefault();
    area.classList.toggle("is-over", type === "dragover");
    const input = area.querySelector("input[type=file]");
    if (type === "drop" && input && event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}

// The server found a field empty: once something is typed there, that is no longer so. What it said
// of a value stands until the form is sent again.
document.addEventListener("input", ({ target }) => {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (!isField || target.getAttribute("aria-invalid") !== "true" || target.defaultValue || !target.value.trim()) return;
  const list = document.getElementById(`${target.id}_error`);
  if (!list || !target.form?.contains(list)) return;
  list.remove();
  target.removeAttribute("aria-invalid");
  target.classList.remove("is-invalid");
  target.closest(".field")?.classList.remove("field-wrong");
  const described = (target.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== list.id);
  target.setAttribute("aria-describedby", described.join(" "));
  const line = target.form.querySelector(`.form-errors a[href="#${CSS.escape(target.id)}"]`)?.closest("li");
  const all = line?.closest(".form-errors");
  line?.remove();
  if (all && !all.querySelector("li")) all.remove();
});
