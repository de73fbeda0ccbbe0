// What the canvas adds to the palette of the page (Ctrl-K).

import { useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import { ACTIONS, type Item } from "../../palette/model";
import { warn } from "../io/notice";
import { t } from "../texts";
import { centred, layOut, showProblems } from "./actions";
import { useDesk } from "./context";
import { useShowAll } from "./fitted_view";
import { middle } from "./keys";
import { middleOf } from "./menu_target";
import type { Popup } from "./Popups";

export function usePaletteActions(onPopup: (popup: Popup) => void): void {
  const { store, setup } = useDesk();
  const flow = useReactFlow();
  const showAll = useShowAll();
  useEffect(() => {
    const offer = (event: Event): void => {
      const { mayChange } = store.getState();
      const { publish, versions } = setup.urls;
      const add = (): void => onPopup({ kind: "offer", at: middleOf(document.querySelector(".flow")), spot: centred(middle(flow, null)) });
      const items: (Item | false)[] = [
        mayChange && publish !== "" && { label: t("Publish"), url: "", icon: "rocket", run: () => store.getState().set({ publishing: true }) },
        versions !== "" && { label: t("Compare versions"), url: versions, icon: "git-compare" },
        { label: t("Fit all nodes"), url: "", icon: "maximize", run: showAll },
        mayChange && { label: t("Add a node…"), url: "", icon: "plus", run: add },
        mayChange && { label: t("Auto layout"), url: "", icon: "hierarchy-2", run: () => void layOut(store, setup).catch(() => warn(t("Auto layout failed"))) },
        !setup.watched && { label: t("Problems"), url: "", icon: "alert-circle", run: () => showProblems(store) },
      ];
      (event as CustomEvent<Item[]>).detail.push(...items.filter((item) => item !== false));
    };
    document.addEventListener(ACTIONS, offer);
    return () => document.removeEventListener(ACTIONS, offer);
  }, [flow, onPopup, setup, showAll, store]);
}
