// Puts the input that suits a value into its row, when another type is chosen for it.
// What was typed comes along, and comes back if a type that has no place for it was only tried.

function made(kind, text) {
  if (kind === "boolean") {
    const select = document.createElement("select");
    select.className = "form-select";
    for (const value of ["true", "false"]) select.add(new Option(value, value));
    select.value = text.trim() === "true" ? "true" : "false";
    return select;
  }
  const long = kind !== "number" && kind !== "null";
  const field = document.createElement(long ? "textarea" : "input");
  field.className = `form-control${kind === "text" ? "" : " font-monospace"}`;
  field.value = kind === "null" ? "" : text;
  field.spellcheck = kind === "text";
  if (long) field.rows = kind === "text" ? 1 : 2;
  else field.type = "text";
  if (kind === "number") field.inputMode = "decimal";
  field.readOnly = kind === "null";
  field.placeholder = { list: "[ ]", object: "{ }", null: "null" }[kind] ?? "";
  return field;
}

/** A value for this type, made of the text of another; what cannot be made stays to be mended. */
function suited(kind, text, former) {
  if (kind === "list" && former !== "object") {
    const one = former === "text" ? JSON.stringify(text) : text.trim();
    return former === "list" || former === "json" ? text : text.trim() ? `[${one}]` : "[]";
  }
  return kind === "object" && !text.trim() ? "{}" : text;
}

document.addEventListener("change", (event) => {
  const choice = event.target;
  if (!choice.matches("select[data-kind]")) return;
  const place = choice.closest(".edit-key").querySelector("[data-value]");
  const before = place.querySelector("[name^=value-]");
  const former = place.dataset.kind ?? choice.querySelector("option[selected]")?.value ?? "text";
  // Only what holds a text tells what was typed; a choice or null forgets it.
  if (former !== "null" && former !== "boolean") Object.assign(place.dataset, { typed: before.value, typedAs: former });
  const { typed = before.value, typedAs = former } = place.dataset;
  const after = made(choice.value, choice.value === typedAs ? typed : suited(choice.value, typed, typedAs));
  after.id = before.id;
  after.name = before.name;
  before.replaceWith(after);
  place.dataset.kind = choice.value;
  after.form.dispatchEvent(new Event("input", { bubbles: true }));
});
