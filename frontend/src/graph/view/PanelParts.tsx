// Buttons that lead to the parts of the panel of a node or an edge; the form is long, and none of it is hidden.

import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { t } from "../texts";

const PARTS: readonly (readonly [() => string, string])[] = [
  [() => t("Settings"), ".panel-title"],
  [() => t("Input"), '.editor-form [name^="node-context_filters"], .editor-form [name="node-context_type"]'],
  [() => t("Output"), '.editor-form [name^="node-outgoing_filters"]'],
  [() => t("Preview"), ".editor-preview"],
];

/** What a node is given and gives, an edge does not have. */
const OF_EDGES = PARTS.filter((_, place) => place === 0 || place === PARTS.length - 1);

const GAP = 8;

/** The part of the panel that is read: the last one that begins above the middle of what is shown. */
function partShown(room: Element): string {
  const middle = room.getBoundingClientRect().top + room.clientHeight / 2;
  const above = PARTS.filter(([, selector]) => {
    const found = room.querySelector<HTMLElement>(selector);
    return found !== null && (found.closest("fieldset, .field") ?? found).getBoundingClientRect().top <= middle;
  });
  return above.at(-1)?.[1] ?? "";
}

interface Props {
  readonly kind: "node" | "edge";
  readonly hasPreview: boolean;
  /** The preview has all of the panel. */
  readonly isPreview: boolean;
  readonly onPreview: (isPreview: boolean) => void;
}

export function PanelParts({ kind, hasPreview, isPreview, onPreview }: Props) {
  const nav = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(PARTS[0]?.[1] ?? "");
  useEffect(() => {
    const room = nav.current?.closest(".editor-panel")?.querySelector(".editor-panel-top");
    if (!room) return undefined;
    const follow = (): void => setShown(room.scrollTop > GAP ? partShown(room) : (PARTS[0]?.[1] ?? ""));
    room.addEventListener("scroll", follow, { passive: true });
    return () => room.removeEventListener("scroll", follow);
  }, []);
  const last = PARTS.at(-1)?.[1];
  const current = isPreview ? last : shown;
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
    <nav ref={nav} className="editor-parts" aria-label={t("Parts of the panel")}>
      {(kind === "edge" ? OF_EDGES : PARTS).slice(0, hasPreview ? undefined : -1).map(([label, selector]) => (
        <button key={selector} type="button" className="btn btn-sm btn-ghost"
          aria-current={current === selector || undefined}
          onClick={({ currentTarget }) => {
            const panel = currentTarget.closest(".editor-panel");
            // What is hidden behind the preview has no place yet.
            flushSync(() => onPreview(selector === last));
            go(panel, selector);
            setShown(selector);
          }}
        >
          {label()}
        </button>
      ))}
    </nav>
  );
}
