// The store and the setup, for every part of the editor.

import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { Reader } from "../io/form_reader";
import type { Server } from "../io/server";
import type { Trier } from "../io/what_if";
import type { Setup } from "../io/setup";
import type { Editor, EditorStore } from "../store";

export interface Desk {
  readonly store: EditorStore;
  readonly setup: Setup;
  readonly server: Server;
  readonly trier: Trier;
  readonly reader: Reader;
}

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error("outside of the editor");
  return desk;
}

export function useEditor<T>(selected: (state: Editor) => T): T {
  return useStore(useDesk().store, selected);
}
