// Shows the warnings of an element below its fields; none of what stands above the focus moves while one types.

import type { Problem } from "../io/server";
import { below, fieldOf } from "./form_errors";
import { inLine } from "./accessible_names";
import { t } from "../texts";

const LIST = "editor-warnings";

/** Put warnings below the fields that they are about, and others at the end of the form. */
export function showWarnings(form: HTMLFormElement, warnings: readonly Problem[], icons: string): void {
  for (const list of form.querySelectorAll(`.${LIST}`)) list.remove();
  for (const field of form.querySelectorAll('[aria-describedby*="_warning"]')) {
    const kept = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && !id.endsWith("_warning"));
    if (kept.length) field.setAttribute("aria-describedby", kept.join(" "));
    else field.removeAttribute("aria-describedby");
  }
  const byField = new Map<HTMLElement | null, Problem[]>();
  for (const warning of warnings) {
    const field = fieldOf(form, warning.input ?? "");
    byField.set(field, [...(byField.get(field) ?? []), warning]);
  }
  for (const [field, found] of byField) {
    const list = listOf(found, icons, field === null);
    if (!field) {
      form.append(list);
      continue;
    }
    list.id = `${field.id}_warning`;
    field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), list.id].filter(Boolean).join(" "));
    below(field, list);
  }
}

function listOf(warnings: readonly Problem[], icons: string, isNamed: boolean): HTMLUListElement {
  const list = document.createElement("ul");
  list.className = `problem-list ${LIST}`;
  for (const { field, message } of warnings) {
    const item = document.createElement("li");
    item.className = "problem-warning";
    const kind = document.createElement("span");
    kind.className = "visually-hidden";
    kind.textContent = t("Warning");
    const words = document.createElement("span");
    words.textContent = [isNamed && field, inLine(message)].filter(Boolean).join(": ");
    item.append(sign("alert-triangle", icons), kind, words);
    list.append(item);
  }
  return list;
}

function sign(name: string, icons: string): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${icons}#${name}`);
  svg.append(use);
  return svg;
}
