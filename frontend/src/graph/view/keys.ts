// Keys with Ctrl, Delete and the clipboard; single letters are those of the page (keys.js).

import { type ReactFlowInstance, useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import { warn } from "../io/notice";
import type { Position } from "../model/document";
import { indexOf } from "../model/document";
import { t, tn } from "../texts";
import { type Desk, useDesk } from "./context";
import { clipOf, duplicateChosen, pasteText, removeChosen } from "./doing";

/** Whether a key or a copy belongs to a field, a dialog or a text that somebody marked. */
function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]")) return true;
  const element = target instanceof Element ? target : null;
  if (element?.closest("input:not([type=checkbox]), textarea, select, [contenteditable=true]")) return true;
  return !(element === document.body || element === null || element.closest(".editor-work"));
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
    const key = (event: KeyboardEvent): void => pressed(event, desk);
    const copy = (event: ClipboardEvent): void => copied(event, desk);
    const paste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (isElsewhere(event.target) || !desk.store.getState().mayChange) return;
      event.preventDefault();
      if (!pasteText(desk.store, text, middle(flow, pointer))) warn(t("What the clipboard has is no part of a workflow: copy cards of a canvas first. Nothing was pasted."));
    };
    const away = new AbortController();
    const { signal } = away;
    document.addEventListener("pointermove", follow, { signal, passive: true });
    document.addEventListener("keydown", key, { signal });
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

function pressed(event: KeyboardEvent, { store }: Desk): void {
  if (isElsewhere(event.target) || event.altKey || event.isComposing) return;
  const { undo, redo, choose, document, mayChange } = store.getState();
  const control = event.ctrlKey || event.metaKey;
  const letter = event.key.toLowerCase();
  let done = true;
  if (control && letter === "z") event.shiftKey ? redo() : undo();
  else if (control && letter === "y") redo();
  else if (control && letter === "d") duplicateChosen(store);
  else if (control && letter === "a") choose({ nodes: indexOf(document.nodes).keys });
  else if (!control && (event.key === "Delete" || event.key === "Backspace") && mayChange) removeChosen(store);
  else if (!control && event.key === "Escape") choose({});
  else done = false;
  if (done) event.preventDefault();
}

function copied(event: ClipboardEvent, { store }: Desk): void {
  if (isElsewhere(event.target) || !getSelection()?.isCollapsed) return;
  const text = clipOf(store);
  const { mayChange, chosen, say } = store.getState();
  if (text === null || !event.clipboardData) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  if (event.type === "cut" && mayChange) removeChosen(store);
  else say(tn("{n} node is copied", "{n} nodes are copied", chosen.nodes.length));
}
