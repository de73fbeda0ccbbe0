// Finds elements by the text on them.

import type { Json, Key, WorkflowDocument } from "./document";
import { indexOf } from "./document";

export interface Found {
  readonly kind: "node" | "edge";
  readonly key: Key;
  readonly title: string;
  readonly detail: string;
}

const MOST = 50;

/** The elements that have all words of `text`; those whose name or id begins with it come first. */
export function search(document: WorkflowDocument, text: string, more: (kind: "node" | "edge", key: Key) => string = () => ""): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const begins: Found[] = [];
  const holds: Found[] = [];
  const look = (found: Found, texts: readonly (Json | undefined)[]): void => {
    const all = texts.filter((each) => each !== undefined).map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join(" ");
    const whole = `${found.title} ${all} ${more(found.kind, found.key)}`.toLowerCase();
    if (!words.every((word) => whole.includes(word))) return;
    const first = [found.title, found.key].some((each) => each.toLowerCase().startsWith(words.join(" ")));
    (first ? begins : holds).push(found);
  };
  const nodeKeys = indexOf(document.nodes).keys;
  document.nodes.forEach((node, place) => {
    const found: Found = { kind: "node", key: nodeKeys[place] as Key, title: node.name ?? node.id, detail: node.type };
    look(found, [node.id, node.type, node.description, node.context_type, node.context_filter, node.config]);
  });
  const edgeKeys = indexOf(document.edges).keys;
  document.edges.forEach((edge, place) => {
    const found: Found = { kind: "edge", key: edgeKeys[place] as Key, title: edge.id, detail: `${edge.from} → ${edge.to}` };
    look(found, [edge.from, edge.to, edge.condition, edge.context_filter]);
  });
  return [...begins, ...holds].slice(0, MOST);
}
