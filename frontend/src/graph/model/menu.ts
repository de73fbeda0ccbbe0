// The entries of a menu on the canvas, by what it was opened on.

import { groupOf } from "./canvas_data";
import type { Chosen } from "./commands";
import type { Key, WorkflowDocument } from "./document";
import { find } from "./document";

export type MenuFor = { readonly kind: "node" | "edge"; readonly key: Key } | { readonly kind: "canvas" };

export type MenuAction =
  | "edit"
  | "add-after"
  | "connect"
  | "insert"
  | "add"
  | "duplicate"
  | "group"
  | "ungroup"
  | "delete"
  | "layout"
  | "select-all"
  | "show-selection"
  | "show-all";

/** The actions in the order of the menu; those that change nothing alone where nothing may be changed. */
export function menuActions(about: MenuFor, { document, chosen, mayChange }: { readonly document: WorkflowDocument; readonly chosen: Chosen; readonly mayChange: boolean }): MenuAction[] {
  if (about.kind === "canvas") {
    const some = document.nodes.length > 0;
    return [...(mayChange ? (["add"] as const) : []), ...(mayChange && some ? (["layout"] as const) : []), ...(some ? (["select-all", "show-all"] as const) : [])];
  }
  if (about.kind === "edge") return mayChange ? ["edit", "insert", "show-selection", "delete"] : ["show-selection"];
  const nodes = chosen.nodes.length ? chosen.nodes : [about.key];
  const grouped = nodes.some((key) => groupOf(find(document.nodes, key) ?? { id: "", type: "" }) !== "");
  const one: readonly MenuAction[] = nodes.length === 1 ? ["edit", "add-after", "connect"] : ["layout"];
  return mayChange ? [...one, "duplicate", "group", ...(grouped ? (["ungroup"] as const) : []), "show-selection", "delete"] : ["show-selection"];
}

/** What is selected once a menu is open: an element of the selection keeps it, another one takes its place. */
export function chosenBy(about: MenuFor, chosen: Chosen): Chosen {
  if (about.kind === "canvas") return chosen;
  const list = about.kind === "node" ? chosen.nodes : chosen.edges;
  if (list.includes(about.key)) return chosen;
  return about.kind === "node" ? { nodes: [about.key], edges: [] } : { nodes: [], edges: [about.key] };
}

/** The upper left corner of something of a size beside a point, all of it on the screen. */
export function corner(at: { readonly x: number; readonly y: number }, size: { readonly width: number; readonly height: number }, screen: { readonly width: number; readonly height: number }): { readonly x: number; readonly y: number } {
  const along = (point: number, length: number, room: number): number => Math.max(4, Math.min(point, room - length - 4));
  return { x: along(at.x, size.width, screen.width), y: along(at.y, size.height, screen.height) };
}

/** The node types whose name or id has all words of a search, in their order. */
export function kindsFor<T extends { readonly type: string; readonly label: string }>(kinds: readonly T[], search: string): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return kinds.filter(({ type, label }) => words.every((word) => `${label} ${type}`.toLowerCase().includes(word)));
}
