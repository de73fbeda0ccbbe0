// Random documents and edits for the laws, the same for the same seed.

import { everything, pasted, copied } from "../model/clipboard";
import { addition, type Tie, change, connection, grouping, removal } from "../model/commands";
import type { Key, WorkflowDocument, WorkflowNode } from "../model/document";
import { find, indexOf } from "../model/document";
import type { Edit } from "../model/edits";
import { apply } from "../model/edits";

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2654435761 + 1;
  }

  below(most: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.below(3) === 0);
  }
}

/** With edges that hang in the air and, unless ids shall be `distinct`, elements of one id. */
export function someDocument(chance: Chance, distinct = false): WorkflowDocument {
  const nodes = Array.from({ length: chance.below(9) }, (_, number): WorkflowNode => ({
    id: chance.below(8) || distinct ? `n${number}` : "n0",
    type: chance.one(["llm", "tool", "context_processor"]),
    ...(chance.below(2) ? { position: { x: chance.below(900), y: chance.below(900) } } : {}),
    ...(chance.below(2) ? { properties: { owner: "a" } } : {}),
  }));
  const ends = [...nodes.map((node) => node.id), "nowhere"];
  const edges = Array.from({ length: chance.below(12) }, (_, number) => ({
    id: chance.below(8) || distinct ? `e${number}` : "e0",
    type: "sequence",
    from: chance.one(ends),
    to: chance.one(ends),
  }));
  return { name: "w", nodes, edges, ...(chance.below(2) ? { reducers: { a: "append" } } : {}) };
}

function someTie(chance: Chance, document: WorkflowDocument): Tie | undefined {
  const { nodes, edges } = everything(document);
  const node = nodes.length ? find(document.nodes, chance.one(nodes)) : undefined;
  const kind = chance.below(4);
  if (kind === 0 && edges.length) return { edge: chance.one(edges) };
  if (kind > 2 || !node) return undefined;
  return kind === 1 ? { from: node.id } : { to: node.id };
}

export function someEdit(chance: Chance, document: WorkflowDocument): Edit {
  const all = everything(document);
  const chosen = { nodes: chance.some(all.nodes), edges: chance.some(all.edges) };
  const number = chance.below(1_000_000);
  const kinds: (() => Edit)[] = [
    () => addition(document, { type: "llm", label: "", tone: "", icon: "", context_type: "", context_label: "" }, { x: number, y: 1 }, someTie(chance, document)).edit,
    () => removal(document, chosen),
    () => ({ kind: "move", to: Object.fromEntries(chosen.nodes.map((key) => [key, chance.below(5) ? { x: number, y: number } : null])) }),
    () => ({ kind: "reducers", to: chance.below(3) ? { [`key${chance.below(3)}`]: chance.one(["append", "max"]) } : null }),
    () => ({ kind: "rename", to: `w${number}` }),
    () => pasted(document, copied(document, chosen, new Map()), { x: 9, y: 9 }).edit,
    () => grouping(document, chosen.nodes, `group ${number}`),
    () => {
      const first = someChange(chance, document, number);
      return { kind: "together", edits: [first, someEdit(chance, apply(document, first).document)] };
    },
    () => someChange(chance, document, number),
  ];
  return chance.one(kinds)();
}

function someChange(chance: Chance, document: WorkflowDocument, number: number): Edit {
  const { nodes, edges } = everything(document);
  if (nodes.length && chance.below(2)) {
    const key: Key = chance.one(nodes);
    const node = find(document.nodes, key) as WorkflowNode;
    const to = chance.one([{ ...node, name: `name ${number}` }, { ...node, id: `id${number}` }, { ...node, config: { a: number } }]);
    return change(document, "node", key, to);
  }
  if (edges.length && nodes.length && chance.below(2)) {
    const key = chance.one(edges);
    const edge = document.edges[indexOf(document.edges).at.get(key) as number];
    return change(document, "edge", key, { ...edge!, condition: `context.a > ${number}` });
  }
  const ends = [...document.nodes.map((node) => node.id), "nowhere"];
  return connection(document, chance.one(ends), chance.one(ends)).edit;
}

export function edited(chance: Chance, document: WorkflowDocument, most = 4): WorkflowDocument {
  let now = document;
  for (let count = chance.below(most) + 1; count > 0; count -= 1) now = apply(now, someEdit(chance, now)).document;
  return now;
}

export const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);
