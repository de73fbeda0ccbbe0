// Keys of the canvas without a button, and the clipboard; keys of buttons are set at the buttons
// (data-key).

import { type ReactFlowInstance, useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import { COLLECT, type Shortcut } from "../../keys/model";
import { hint } from "../io/notice";
import type { Position } from "../model/document";
import { indexOf } from "../model/document";
import { t, tn } from "../texts";
import { type Desk, useDesk } from "./context";
import { clipOf, nextProblem, nudged, pasteText, removeChosen } from "./actions";

const ARROWS: { readonly [key: string]: Position } = { ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 }, ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 } };

/** Whether a copy belongs to a field, or a dialog. */
function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]")) return true;
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select, [contenteditable=true]") !== null;
}

export function useKeys(): void {
  const desk = useDesk();
  const flow = useReactFlow();
  useEffect(() => {
    let pointer: Position | null = null;
    const follow = (event: PointerEvent): void => {
      const over = event.target instanceof Element && event.target.closest(".flow");
      pointer = over ? { x: event.clientX, y: event.clientY } : null;
    };
    const offer = (event: Event): void => {
      (event as CustomEvent<Shortcut[]>).detail.push(...offers(desk));
    };
    const copy = (event: ClipboardEvent): void => copied(event, desk);
    const paste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (isElsewhere(event.target) || !desk.store.getState().mayChange) return;
      event.preventDefault();
      if (!pasteText(desk.store, text, middle(flow, pointer))) hint(t("Nothing was pasted: the clipboard holds no nodes. Copy nodes on a canvas first."));
    };
    const away = new AbortController();
    const { signal } = away;
    document.addEventListener("pointermove", follow, { signal, passive: true });
    document.addEventListener(COLLECT, offer, { signal });
    document.addEventListener("copy", copy, { signal });
    document.addEventListener("cut", copy, { signal });
    document.addEventListener("paste", paste, { signal });
    return () => away.abort();
  }, [desk, flow]);
}

/** Where the pointer is on the canvas, else the middle of it. */
export function middle(flow: ReactFlowInstance, pointer: Position | null): Position {
  const box = document.querySelector(".flow")?.getBoundingClientRect();
  const point = pointer ?? (box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : { x: 0, y: 0 });
  return flow.screenToFlowPosition(point);
}

/** What has no button: the page asks for it whenever a key is pressed or its keys are listed. */
function offers({ store }: Desk): Shortcut[] {
  const { choose, chosen, document: workflow, mayChange, words } = store.getState();
  const { keys } = indexOf(workflow.nodes);
  const nodes = chosen.nodes.length > 0;
  const anyProblem = Boolean(words?.problems.length);
  const move = (factor: number): Shortcut["run"] => (event) => nudged(store, ARROWS[event.key] as Position, factor);
  const listed: Shortcut[] = [
    // Also of none: the browser would mark the words of the page.
    { keys: "Ctrl+A", label: t("Select all nodes"), usable: true, run: () => choose({ nodes: keys }) },
    { keys: "Escape", label: t("Clear selection"), usable: nodes || chosen.edges.length > 0, run: () => choose({}) },
    { keys: "Ctrl+C", label: t("Copy"), usable: nodes, run: null },
    { keys: "ContextMenu | Shift+F10", label: t("Menu of the selection"), usable: true, run: null },
    { keys: "F8", label: t("Next problem"), usable: anyProblem, run: () => nextProblem(store, 1) },
    { keys: "Shift+F8", label: t("Previous problem"), usable: anyProblem, run: () => nextProblem(store, -1) },
  ];
  if (!mayChange) return listed;
  return [
    ...listed,
    { keys: "Ctrl+X", label: t("Cut"), usable: nodes, run: null },
    { keys: "Ctrl+V", label: t("Paste"), usable: true, run: null },
    { keys: Object.keys(ARROWS).join(" | "), label: t("Move the selected nodes"), usable: nodes, run: move(1) },
    { keys: Object.keys(ARROWS).map((arrow) => `Shift+${arrow}`).join(" | "), label: t("Move the selected nodes faster"), usable: nodes, run: move(4) },
  ];
}

function copied(event: ClipboardEvent, { store }: Desk): void {
  if (isElsewhere(event.target) || !getSelection()?.isCollapsed) return;
  const text = clipOf(store);
  const { mayChange, chosen, say } = store.getState();
  if (text === null || !event.clipboardData) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  if (event.type === "cut" && mayChange) removeChosen(store);
  else say(tn("{n} node copied", "{n} nodes copied", chosen.nodes.length));
}
