// The menus of the canvas, by mouse and keys, and the keys of what is selected on it.

import { type KeyboardEvent, type MouseEvent, useCallback, useMemo } from "react";
import type { Position } from "../model/document";
import { chosenBy } from "../model/menu";
import type { TabStop } from "../model/tab_stops";
import { type EditorStore, onlyOne } from "../store";
import { NAME_FIELD, TYPE_FIELD } from "./actions";
import { useDesk } from "./context";
import { aboutOf, middleOf } from "./menu_target";
import type { Popup } from "./Popups";
import { focusNextStop } from "./tab_order";

/** The right button, the Menu key and Shift F10 open the menu of what they are pressed on, which is then selected. */
export function useMenus(onPopup: (popup: Popup | null) => void) {
  const { store } = useDesk();
  return useMemo(() => {
    const open = (target: EventTarget | null, at: Position): void => {
      const { chosen, choose } = store.getState();
      const pointed = aboutOf(target);
      const only = onlyOne(chosen);
      // Keys are pressed on what has the focus; that may be the canvas, with something selected.
      const about = pointed.kind === "canvas" && target instanceof HTMLElement && target.classList.contains("flow") && only ? only : pointed;
      choose(chosenBy(about, chosen));
      onPopup({ kind: "menu", about, at });
    };
    return {
      onContextMenu: (event: MouseEvent) => {
        event.preventDefault();
        open(event.target, event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : middleOf(event.target));
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key !== "ContextMenu" && !(event.key === "F10" && event.shiftKey)) return;
        event.preventDefault();
        open(event.target, middleOf(event.target));
      },
    };
  }, [onPopup, store]);
}

/** Before React Flow, which takes the focus from what Escape is pressed on and knows no order of its own for Tab. */
export function useElementKeys(): (event: KeyboardEvent) => void {
  const { store } = useDesk();
  return useCallback(
    (event) => {
      const about = event.target instanceof Element && event.target.matches(".react-flow__node, .react-flow__edge") ? aboutOf(event.target) : null;
      if (about === null || about.kind === "canvas" || !pressed(store, event, about)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    [store],
  );
}

/** Whether the key did something. */
function pressed(store: EditorStore, { key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent, on: TabStop): boolean {
  const { chosen, choose } = store.getState();
  const only = onlyOne(chosen);
  if (key === "Enter" && (ctrlKey || metaKey)) return pressedOnPage(ctrlKey, metaKey);
  if (ctrlKey || metaKey || altKey) return false;
  if (key === "Tab") return focusNextStop(store, on, shiftKey);
  if (key === "Enter" && on.kind === only?.kind && on.key === only.key) goToForm(store, on);
  else if (key === "Escape") choose({});
  else return false;
  return true;
}

/** A key of the page with which React Flow would add to the selection. */
function pressedOnPage(ctrlKey: boolean, metaKey: boolean): boolean {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey, metaKey, bubbles: true, cancelable: true }));
  return true;
}

/** To the first field of its form, or to the panel until that is here. */
function goToForm(store: EditorStore, { kind }: TabStop): void {
  document.querySelector<HTMLElement>(".editor-panel")?.focus();
  if (store.getState().mayChange) store.getState().set({ wanted: kind === "node" ? NAME_FIELD : TYPE_FIELD });
}
