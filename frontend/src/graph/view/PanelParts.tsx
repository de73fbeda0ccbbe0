// Buttons that lead to the parts of a node's panel; the form is long, and none of it is hidden.

import { t } from "../texts";

const PARTS: readonly (readonly [() => string, string])[] = [
  [() => t("Settings"), ".panel-title"],
  [() => t("Input"), '.editor-form [name^="node-context_filters"], .editor-form [name="node-context_type"]'],
  [() => t("Output"), '.editor-form [name^="node-outgoing_filters"]'],
  [() => t("Preview"), ".editor-preview"],
];

const GAP = 8;

export function PanelParts() {
  const go = (panel: Element | null, selector: string): void => {
    const found = panel?.querySelector<HTMLElement>(selector);
    const shut = found?.querySelector<HTMLElement>(".editor-shut[aria-expanded='false']");
    if (shut) {
      shut.click();
      return shut.focus();
    }
    const place = found?.closest<HTMLElement>("fieldset, .field") ?? found;
    const room = place?.closest<HTMLElement>(".editor-panel-top");
    // Only the panel scrolls: scrollIntoView would also move the frame around it.
    if (room && place) room.scrollTop += place.getBoundingClientRect().top - room.getBoundingClientRect().top - GAP;
    const target = place?.matches(".panel-title") ? place : place?.querySelector<HTMLElement>("button:not([tabindex='-1']), input:not([type='hidden']), select, textarea, summary");
    target?.focus({ preventScroll: true });
  };
  return (
    <nav className="editor-parts" aria-label={t("Parts of the panel")}>
      {PARTS.map(([label, selector]) => (
        <button key={selector} type="button" className="btn btn-sm btn-ghost" onClick={({ currentTarget }) => go(currentTarget.closest(".editor-panel"), selector)}>
          {label()}
        </button>
      ))}
    </nav>
  );
}
