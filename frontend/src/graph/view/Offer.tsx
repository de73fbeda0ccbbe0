// A list of node types at the place of a new node: where a line was dropped, after a node, on an
// edge.

import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from "react";
import { maySuit, type NodeKind, type Tie } from "../model/commands";
import type { Position } from "../model/document";
import { kindsFor } from "../model/menu";
import { t } from "../texts";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { Popover } from "./Popover";

interface Props {
  readonly at: Position;
  /** Where the new node is tied; types that cannot stand there are left out. */
  readonly tie: Tie | undefined;
  readonly onClose: () => void;
  readonly onKind: (kind: NodeKind) => void;
}

/** What is pressed takes no focus: the field keeps it, and with it the keys. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

export function Offer({ at, tie, onClose, onKind }: Props) {
  const { setup, store } = useDesk();
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const { document } = store.getState();
  const found = kindsFor(setup.kinds, search).filter(({ type }) => maySuit(document, tie, type));
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const press = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const kind = found[active];
    if (by && found.length) setActive((active + by + found.length) % found.length);
    else if (event.key === "Enter" && kind) onKind(kind);
    else return;
    event.preventDefault();
  };
  return (
    <Popover at={at} role="dialog" label={t("Add a node")} onClose={onClose} onKeyDown={press}>
      <input
        ref={field}
        type="search"
        className="form-control form-control-sm"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-kinds`}
        aria-activedescendant={found[active] && `${id}-${found[active].type}`}
        aria-label={t("Node type")}
        placeholder={t("Add a node")}
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setActive(0);
        }}
      />
      <div id={`${id}-kinds`} role="listbox" aria-label={t("Node types")} className="editor-menu-items" onMouseDown={keepFocus}>
        {found.map((kind, place) => (
          <div key={kind.type} id={`${id}-${kind.type}`} role="option" aria-selected={place === active} className={`tone-${kind.tone}`} onPointerMove={() => setActive(place)} onClick={() => onKind(kind)}>
            <span className="flow-card-type">
              <Icon name={kind.icon} />
            </span>
            <span>{kind.label}</span>
          </div>
        ))}
      </div>
      {!found.length && <p className="editor-none">{t("No node type is called that.")}</p>}
    </Popover>
  );
}
