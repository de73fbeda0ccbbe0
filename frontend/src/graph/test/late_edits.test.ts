import { describe, expect, it } from "vitest";
import { addition, change } from "../model/commands";
import type { WorkflowDocument, WorkflowNode } from "../model/document";
import { find, indexOf } from "../model/document";
import { amend, NOTHING_DONE, redo, settle, type Stand, take, undo } from "../model/history";
import { Chance, SEEDS, someDocument, someEdit } from "./random";

const kind = (label: string) => ({ type: label.toLowerCase(), label, tone: "", icon: "", context_type: "", context_label: "" });
const fresh = (document: WorkflowDocument): Stand => ({ document, history: NOTHING_DONE });
const added = (stand: Stand, label: string, from?: string): Stand => take(stand, addition(stand.document, kind(label), { x: 0, y: 0 }, from ? { from } : undefined).edit, "Add");
const named = (stand: Stand, key: string, name: string): Stand => take(stand, { kind: "change", nodes: [{ key, fields: { name } }], edges: [] }, "Edit", `form ${key}`);
const left = ({ document, history }: Stand): Stand => ({ document, history: settle(history) });
const withId = (stand: Stand, key: string, id: string): Stand => {
  const node = find(stand.document.nodes, key) as WorkflowNode;
  return amend(stand, change(stand.document, "node", key, { ...node, id }), "Name", `form ${key}`);
};
const shown = ({ document }: Stand) => document.nodes.map(({ id, name }) => `${id}=${name}`).join(" ");

describe("the id of a new node, made of its name while the next one is added", () => {
  // As people type: the id of the first node comes when the second has a letter already.
  const typed = (): Stand => {
    let stand = left(named(named(added(fresh({ name: "w", nodes: [], edges: [] }), "Model"), "model", "W"), "model", "Write it"));
    stand = named(added(stand, "Tool", "model"), "tool", "L");
    stand = withId(stand, "model", "write-it");
    return withId(left(named(stand, "tool", "Look it up")), "tool", "look-it-up");
  };

  it("is undone with the name in one step, and the node in the next", () => {
    let stand = typed();
    const seen = [shown(stand)];
    for (let step = 0; step < 4; step += 1) {
      stand = undo(stand);
      seen.push(shown(stand));
    }
    expect(seen).toEqual(["write-it=Write it look-it-up=Look it up", "write-it=Write it tool=Tool", "write-it=Write it", "model=Model", ""]);
  });

  it("is followed by edges in both directions", () => {
    const stand = typed();
    const ends = ({ document }: Stand) => document.edges.map(({ from, to }) => `${from}>${to}`).join();
    expect(ends(stand)).toBe("write-it>look-it-up");
    let back = stand;
    for (let step = 0; step < 4; step += 1) back = undo(back);
    for (let step = 0; step < 4; step += 1) back = redo(back);
    expect(back.document).toEqual(stand.document);
  });
});

it("an edit that comes late leaves undo and redo as they are, whatever was done meanwhile", () => {
  let early = 0;
  for (const seed of SEEDS) {
    const chance = new Chance(seed);
    const before = someDocument(chance, true);
    const key = indexOf(before.nodes).keys[0];
    if (key === undefined) continue;
    const first = named(fresh(before), key, "Name");
    let stand = left(first);
    for (let step = chance.below(3); step >= 0; step -= 1) stand = take(stand, someEdit(chance, stand.document), "step");
    const node = find(stand.document.nodes, key);
    if (!node) continue;
    const steps = stand.history.past.length;
    stand = withId(stand, key, chance.one(["other", "n1", key]));
    const after = stand.document;
    if (stand.history.past.length === steps) early += 1;
    while (stand.history.past.length) stand = undo(stand);
    expect(stand.document, `seed ${seed}`).toEqual(before);
    while (stand.history.future.length) stand = redo(stand);
    expect(stand.document, `seed ${seed}`).toEqual(after);
  }
  expect(early).toBeGreaterThan(100);
});
