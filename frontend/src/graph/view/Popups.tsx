// What the menu and the palette at a point do.

import { useReactFlow } from "@xyflow/react";
import { warn } from "../io/notice";
import type { Tie } from "../model/commands";
import type { Key, Position } from "../model/document";
import { find, indexOf } from "../model/document";
import { type MenuAction, type MenuFor } from "../model/menu";
import { t } from "../texts";
import { useDesk } from "./context";
import { addKind, centred, duplicateChosen, groupChosen, layOut, NAME_FIELD, nextSpot, removeChosen, spotOn, ungroupChosen } from "./actions";
import { useShowAll } from "./fitted_view";
import { Menu } from "./Menu";
import { Offer } from "./Offer";
import { showChosen } from "./ViewTools";

/** `at` is a point on the screen, `spot` the place of a new card. */
export type Popup =
  | { readonly kind: "menu"; readonly about: MenuFor; readonly at: Position }
  | { readonly kind: "offer"; readonly at: Position; readonly spot: Position; readonly tie?: Tie };

interface Props {
  readonly popup: Popup;
  readonly onPopup: (popup: Popup | null) => void;
  readonly onConnect: (key: Key) => void;
  readonly onEdit: (kind: "node" | "edge", key: Key) => void;
}

export function Popups({ popup, onPopup, onConnect, onEdit }: Props) {
  const { store } = useDesk();
  const act = useActions(popup, { onPopup, onConnect, onEdit });
  const close = (): void => onPopup(null);
  if (popup.kind === "menu") return <Menu about={popup.about} at={popup.at} onClose={close} onAction={act} />;
  return (
    <Offer
      at={popup.at}
      tie={popup.tie}
      onClose={close}
      onKind={(kind) => {
        close();
        addKind(store, kind, popup.spot, popup.tie);
        // The name is typed next, and none of its letters is a key of the canvas.
        store.getState().set({ wanted: NAME_FIELD });
      }}
    />
  );
}

function useActions(popup: Popup, { onPopup, onConnect, onEdit }: Omit<Props, "popup">): (action: MenuAction) => void {
  const { store, setup } = useDesk();
  const flow = useReactFlow();
  const showAll = useShowAll();
  return (action) => {
    onPopup(null);
    if (popup.kind !== "menu") return;
    const { about, at } = popup;
    const here = flow.screenToFlowPosition(at);
    const key = about.kind === "canvas" ? "" : about.key;
    switch (action) {
      case "edit":
        return about.kind === "canvas" ? undefined : onEdit(about.kind, key);
      case "add-after":
        return onPopup({ kind: "offer", at, ...nextSpot(store, here, key) });
      case "insert":
        return onPopup({ kind: "offer", at, spot: spotOn(store, key, here), tie: { edge: key } });
      case "add":
        return onPopup({ kind: "offer", at, spot: centred(here) });
      case "connect": {
        const node = find(store.getState().document.nodes, key);
        return node && onConnect(node.id);
      }
      case "duplicate":
        return duplicateChosen(store);
      case "group":
        return groupChosen(store);
      case "ungroup":
        return ungroupChosen(store);
      case "delete":
        return removeChosen(store);
      case "layout":
        return void layOut(store, setup).catch(() => warn(t("Auto layout failed")));
      case "select-all":
        return store.getState().choose({ nodes: indexOf(store.getState().document.nodes).keys });
      case "show-selection":
        return showChosen(flow, store.getState());
      case "show-all":
        return showAll();
    }
  };
}
