// The menu of a node, an edge or the canvas: by the right button, the Menu key or Shift F10.

import { type KeyboardEvent, useEffect, useRef } from "react";
import { capsOf } from "../../keys/model";
import type { Position } from "../model/document";
import { find } from "../model/document";
import { type MenuAction, menuActions, type MenuFor } from "../model/menu";
import { t } from "../texts";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { Popover } from "./Popover";
import { endsOf, titleOf } from "../model/element_names";

interface Props {
  readonly about: MenuFor;
  readonly at: Position;
  readonly onClose: () => void;
  readonly onAction: (action: MenuAction) => void;
}

interface Words {
  readonly icon: string;
  readonly label: string;
  readonly keys?: string;
}

function wordsOf(action: MenuAction): Words {
  switch (action) {
    case "edit":
      return { icon: "pencil", label: t("Edit") };
    case "add-after":
      return { icon: "plus", label: t("Add the next node…") };
    case "connect":
      return { icon: "arrow-right", label: t("Connect…"), keys: "c" };
    case "insert":
      return { icon: "row-insert-bottom", label: t("Insert a node…") };
    case "add":
      return { icon: "plus", label: t("Add a node here…") };
    case "duplicate":
      return { icon: "copy-plus", label: t("Duplicate"), keys: "Ctrl+D" };
    case "group":
      return { icon: "box-multiple", label: t("Group"), keys: "Ctrl+G" };
    case "ungroup":
      return { icon: "box-off", label: t("Ungroup"), keys: "Ctrl+Shift+G" };
    case "delete":
      return { icon: "trash", label: t("Delete"), keys: "Delete" };
    case "layout":
      return { icon: "hierarchy-2", label: t("Auto layout"), keys: "l" };
    case "select-all":
      return { icon: "marquee-2", label: t("Select all nodes"), keys: "Ctrl+A" };
    case "show-selection":
      return { icon: "focus-2", label: t("Zoom to selection"), keys: "z" };
    case "show-all":
      return { icon: "maximize", label: t("Show all"), keys: "f" };
  }
}

const STEPS: { readonly [key: string]: (now: number, count: number) => number } = {
  ArrowDown: (now, count) => (now + 1) % count,
  ArrowUp: (now, count) => (now - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export function Menu({ about, at, onClose, onAction }: Props) {
  const { store } = useDesk();
  const list = useRef<HTMLDivElement>(null);
  const actions = menuActions(about, store.getState());
  useEffect(() => list.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus({ preventScroll: true }), []);
  const step = (event: KeyboardEvent): void => {
    if (event.key === "Tab") onClose();
    const next = STEPS[event.key];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    const items = [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    items[next(items.indexOf(document.activeElement as HTMLElement), items.length)]?.focus();
  };
  if (!actions.length) return null;
  return (
    <Popover at={at} role="menu" label={nameOf(about, store.getState().document)} onClose={onClose} onKeyDown={step}>
      <div ref={list} role="none" className="editor-menu-items">
        {actions.map((action) => {
          const { icon, label, keys } = wordsOf(action);
          return (
            <button key={action} type="button" role="menuitem" tabIndex={-1} onClick={() => onAction(action)}>
              <Icon name={icon} />
              <span>{label}</span>
              {keys && <kbd>{capsOf(keys).join(" ")}</kbd>}
            </button>
          );
        })}
      </div>
    </Popover>
  );
}

function nameOf(about: MenuFor, { nodes, edges }: Parameters<typeof menuActions>[1]["document"]): string {
  if (about.kind === "canvas") return t("Canvas");
  const node = about.kind === "node" ? find(nodes, about.key) : undefined;
  const edge = about.kind === "edge" ? find(edges, about.key) : undefined;
  return node ? titleOf(node) : edge ? endsOf(nodes, edge) : about.key;
}
