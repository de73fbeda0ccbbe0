// Edits and forms under other ids: of elements that got another id after they were made.

import type { Element, Key } from "./document";
import type { Edit, Fields, Placed, Spots } from "./edits";

/** The new ids by the former ones, which were their keys. */
export interface NewIds {
  readonly nodes: ReadonlyMap<Key, string>;
  readonly edges: ReadonlyMap<Key, string>;
}

/** An edit that names elements by their new ids. */
export function rekeyed(edit: Edit, news: NewIds): Edit {
  const { nodes, edges } = news;
  switch (edit.kind) {
    case "together":
      return { ...edit, edits: edit.edits.map((part) => rekeyed(part, news)) };
    case "add":
      return { ...edit, nodes: edit.nodes.map((each) => placed(each, nodes, nodes)), edges: edit.edges.map((each) => placed(each, edges, nodes)) };
    case "remove":
      return { ...edit, nodes: edit.nodes.map((key) => nodes.get(key) ?? key), edges: edit.edges.map((key) => edges.get(key) ?? key) };
    case "change":
      return { ...edit, nodes: edit.nodes.map((each) => changed(each, nodes, nodes)), edges: edit.edges.map((each) => changed(each, edges, nodes)) };
    case "move":
      return { ...edit, to: spots(edit.to, nodes), ...(edit.over && { over: spots(edit.over, nodes) }) };
    default:
      return edit;
  }
}

type Ids = ReadonlyMap<Key, string>;

/** An element, or some of its fields, with the new id; an edge with those of its nodes. */
export function withNewIds<T extends object>(fields: T, own: Ids, ends: Ids): T {
  const found = fields as { readonly [name: string]: unknown };
  const news = ([["id", own], ["from", ends], ["to", ends]] as const).flatMap(([name, ids]) => {
    const id = ids.get(found[name] as string);
    return id === undefined ? [] : [[name, id] as const];
  });
  return news.length ? { ...fields, ...Object.fromEntries(news) } : fields;
}

function placed<T extends Element>(each: Placed<T>, own: Ids, ends: Ids): Placed<T> {
  return { ...each, element: withNewIds(each.element, own, ends) };
}

function changed<T extends { readonly key: Key; readonly fields: Fields; readonly over?: Fields }>(each: T, own: Ids, ends: Ids): T {
  const { key, fields, over } = each;
  return { ...each, key: own.get(key) ?? key, fields: withNewIds(fields, own, ends), ...(over && { over: withNewIds(over, own, ends) }) };
}

function spots(all: Spots, ids: Ids): Spots {
  return Object.fromEntries(Object.entries(all).map(([key, spot]) => [ids.get(key) ?? key, spot]));
}
