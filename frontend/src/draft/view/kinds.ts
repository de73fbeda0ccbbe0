// Replaces the input of a row when another type is selected for its value. What was typed comes
// along, and comes back if a type that has no place for it was only tried.

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const HOLDERS: Readonly<Record<string, string>> = { list: "[ ]", object: "{ }", null: "null" };

function made(kind: string, text: string): Field {
  if (kind === "boolean") {
    const select = document.createElement("select");
    select.className = "form-select";
    for (const value of ["true", "false"]) select.add(new Option(value, value));
    select.value = text.trim() === "true" ? "true" : "false";
    return select;
  }
  const area = kind === "number" || kind === "null" ? null : document.createElement("textarea");
  const field = area ?? document.createElement("input");
  field.className = `form-control${kind === "text" ? "" : " font-monospace"}`;
  field.value = kind === "null" ? "" : text;
  field.spellcheck = kind === "text";
  if (area !== null) area.rows = kind === "text" ? 1 : 2;
  else field.setAttribute("type", "text");
  if (kind === "number") field.inputMode = "decimal";
  field.readOnly = kind === "null";
  field.placeholder = HOLDERS[kind] ?? "";
  return field;
}

/** A value for this type, made of the text of another; what cannot be made stays to be fixed. */
function suited(kind: string, text: string, former: string): string {
  if (kind === "list" && former !== "object") {
    const one = former === "text" ? JSON.stringify(text) : text.trim();
    if (former === "list" || former === "json") return text;
    return text.trim() ? `[${one}]` : "[]";
  }
  return kind === "object" && !text.trim() ? "{}" : text;
}

export function chooseKind(choice: HTMLSelectElement): void {
  const place = choice.closest(".edit-key")?.querySelector<HTMLElement>("[data-value]");
  const before = place?.querySelector<Field>("[name^=value-]");
  if (!place || !before) return;
  const former = place.dataset.kind ?? choice.querySelector<HTMLOptionElement>("option[selected]")?.value ?? "text";
  // Only what holds a text tells what was typed; a choice or null forgets it.
  if (former !== "null" && former !== "boolean") Object.assign(place.dataset, { typed: before.value, typedAs: former });
  const { typed = before.value, typedAs = former } = place.dataset;
  const after = made(choice.value, choice.value === typedAs ? typed : suited(choice.value, typed, typedAs));
  after.id = before.id;
  after.name = before.name;
  before.replaceWith(after);
  place.dataset.kind = choice.value;
  after.form?.dispatchEvent(new Event("input", { bubbles: true }));
}
