import { describe, expect, it } from "vitest";
import { canKeep } from "../io/json";
import { faultOfNote, groupOf, noteOf, withGroup, withNote, withNoteAt } from "../model/canvas_data";
import { clipIn, copied, everything, pasted } from "../model/clipboard";
import { addition, change, freeGroup, grouping, idOfName, namedNode, removal } from "../model/commands";
import { asFirst, find, freeId, indexOf, normalised, type WorkflowDocument, type WorkflowNode } from "../model/document";
import { apply } from "../model/edits";
import { isPlainName } from "../model/form_edits";
import { NOTHING_DONE, take, undo } from "../model/history";
import { CARD, frames, freeSpot, isSeen, placesOf, shownNear, shownToo, shownWhole } from "../model/places";
import { search } from "../model/search";
import { Chance, SEEDS, someDocument } from "./random";

const draft: WorkflowDocument = {
  name: "w",
  nodes: [
    { id: "ask", type: "user_interaction", name: "Ask" },
    { id: "answer", type: "llm", name: "Answer", config: { template: "Be short" } },
  ],
  edges: [{ id: "ask-answer", type: "conditional", from: "ask", to: "answer", condition: "context.ready" }],
};

const kind = { type: "llm", label: "Model", tone: "green", icon: "sparkles", context_type: "llm_context", context_label: "what a model needs" };

describe("elements", () => {
  it("with one id are told apart by how often it came before", () => {
    const nodes = [{ id: "a", type: "x" }, { id: "a", type: "y" }, { id: "b", type: "z" }];
    expect(indexOf(nodes).keys).toEqual(["a", "a~2", "b"]);
    expect(find(nodes, "a~2")?.type).toBe("y");
  });

  it("get ids that are free and no longer than the contract allows", () => {
    expect(freeId("a", new Set())).toBe("a");
    expect(freeId("a", new Set(["a", "a-2"]))).toBe("a-3");
    expect(freeId("a-2", new Set(["a-2"]))).toBe("a-3");
    expect(freeId("x".repeat(64), new Set(["x".repeat(64)]))).toHaveLength(64);
    expect(freeId("what is this?", new Set())).toBe("what-is-this-");
  });

  it("lose what is null, which means missing", () => {
    const given = { name: "w", nodes: [{ id: "a", type: "x", name: null, config: { kept: null } } as unknown as WorkflowNode], edges: [] };
    expect(normalised(given).nodes).toEqual([{ id: "a", type: "x", config: { kept: null } }]);
  });

  it("take their edges along when they go or get another id", () => {
    expect(apply(draft, removal(draft, { nodes: ["ask"], edges: [] })).document.edges).toEqual([]);
    const renamed = apply(draft, change(draft, "node", "ask", { ...draft.nodes[0]!, id: "begin" })).document;
    expect(renamed.edges[0]?.from).toBe("begin");
  });

  it("are added behind the node that they follow", () => {
    const { edit, key } = addition(draft, kind, { x: 14, y: 16 }, { from: "answer" });
    const { document } = apply(draft, edit);
    expect(find(document.nodes, key)).toEqual({ id: "model", type: "llm", name: "Model", position: { x: 10, y: 20 } });
    expect(document.edges.at(-1)).toEqual({ id: "answer-model", type: "sequence", from: "answer", to: "model" });
  });

  it("are called what the palette says, with a number after the first, and have ids of that", () => {
    const first = apply(draft, addition(draft, kind, { x: 0, y: 0 }).edit).document;
    const { edit, key } = addition(first, kind, { x: 0, y: 0 });
    expect(find(apply(first, edit).document.nodes, key)).toMatchObject({ id: "model-2", name: "Model 2" });
    expect(addition(draft, { ...kind, label: "模型" }, { x: 0, y: 0 }).key).toBe("llm");
  });

  it("are undone in one step with the edge that ties them", () => {
    const made = addition(draft, kind, { x: 0, y: 0 }, { from: "answer" });
    const { document, history } = take({ document: draft, history: NOTHING_DONE }, made.edit, "Add");
    expect(undo({ document, history }).document).toEqual(draft);
  });

  it("are added before the node that they lead to, and on the edge between two", () => {
    const before = apply(draft, addition(draft, kind, { x: 0, y: 0 }, { to: "ask" }).edit).document;
    expect(before.edges.at(-1)).toEqual({ id: "model-ask", type: "sequence", from: "model", to: "ask" });
    const { edit } = addition(draft, kind, { x: 0, y: 0 }, { edge: "ask-answer" });
    const { document, inverse } = apply(draft, edit);
    expect(document.edges).toEqual([
      { ...draft.edges[0], to: "model" },
      { id: "model-answer", type: "sequence", from: "model", to: "answer" },
    ]);
    expect(apply(document, inverse).document).toEqual(draft);
  });
});

describe("the clipboard", () => {
  it("pastes with ids of its own, and with the edges between", () => {
    const clip = clipIn(JSON.stringify(copied(draft, everything(draft), new Map())));
    const { edit, keys } = pasted(draft, clip!, { x: 20, y: 20 });
    const { document } = apply(draft, edit);
    expect(keys).toEqual(["ask-2", "answer-2"]);
    expect(document.edges.at(-1)).toMatchObject({ id: "ask-2-answer-2", from: "ask-2", to: "answer-2", condition: "context.ready" });
  });

  it("never takes an id that is there, in any document", () => {
    for (const seed of SEEDS) {
      const document = someDocument(new Chance(seed));
      const { edit, keys } = pasted(document, copied(document, everything(document), new Map()), { x: 1, y: 1 });
      const after = apply(document, edit).document;
      for (const key of keys) expect(after.nodes.filter((node) => node.id === key)).toHaveLength(1);
    }
  });

  it("takes no other text for elements", () => {
    for (const text of ["", "ctxadmin-elements", "{}", '{"format":"ctxadmin-elements","nodes":[1],"edges":[]}', "null"]) {
      expect(clipIn(text)).toBeNull();
    }
  });
});

describe("groups and notes", () => {
  it("stand in the free properties and leave the others as they are", () => {
    const node = { id: "a", type: "llm", properties: { owner: "me" } };
    const dressed = withNote(withGroup(node, "Look-ups"), "Mind the cost");
    expect(dressed.properties).toMatchObject({ owner: "me" });
    expect([groupOf(dressed), noteOf(dressed)?.text]).toEqual(["Look-ups", "Mind the cost"]);
    expect(noteOf(withNoteAt(dressed, 5.4, 7))).toEqual({ text: "Mind the cost", x: 5, y: 7 });
    expect(withNote(withGroup(dressed, ""), "")).toEqual(node);
    expect(withNote(withGroup({ id: "a", type: "llm" }, ""), "")).toEqual({ id: "a", type: "llm" });
  });

  it("survive properties of another shape", () => {
    const node = { id: "a", type: "llm", properties: { canvas: [1] } };
    expect([groupOf(node), noteOf(node)]).toEqual(["", null]);
  });

  it("have a frame around their nodes", () => {
    const grouped = apply(draft, grouping(draft, ["ask", "answer"], freeGroup(draft, "Group"))).document;
    const places = placesOf(grouped, { ask: { x: 0, y: 0 }, answer: { x: 400, y: 50 } });
    const frame = frames(grouped, places).get("Group 1");
    expect(frame).toMatchObject({ x: -28, y: -28 });
    expect(frame!.width).toBeGreaterThan(620);
  });
});

describe("places", () => {
  it("are those of the document, then those of the server, then below all", () => {
    const nodes = [{ id: "a", type: "x", position: { x: 1, y: 1 } }, { id: "b", type: "x" }, { id: "c", type: "x" }];
    const places = placesOf({ name: "w", nodes, edges: [] }, { b: { x: 5, y: 500 } });
    expect(places.get("a")).toEqual({ x: 1, y: 1 });
    expect(places.get("b")).toEqual({ x: 5, y: 500 });
    expect(places.get("c")!.y).toBeGreaterThan(500);
  });

  it("of new cards cover no other", () => {
    const places = new Map([["a", { x: 0, y: 0 }]]);
    expect(freeSpot(places, { x: 0, y: 0 }).y).toBeGreaterThanOrEqual(CARD.height + 60);
    expect(freeSpot(places, { x: 0, y: 0 }, "down").x).toBeGreaterThanOrEqual(CARD.width + 40);
    expect(freeSpot(places, { x: 900, y: 0 })).toEqual({ x: 900, y: 0 });
  });
});

describe("the search", () => {
  it("looks at names, ids, types, conditions and settings", () => {
    expect(search(draft, "answer").map(({ key }) => key)).toEqual(["answer", "ask-answer"]);
    expect(search(draft, "context.ready").map(({ key }) => key)).toEqual(["ask-answer"]);
    expect(search(draft, "be short").map(({ key }) => key)).toEqual(["answer"]);
    expect(search(draft, "  ")).toEqual([]);
    expect(search(draft, "nobody")).toEqual([]);
  });
});

describe("elements of one id", () => {
  const twins: WorkflowDocument = { name: "w", nodes: [{ id: "x", type: "start" }, { id: "a", type: "llm" }, { id: "b", type: "llm" }, { id: "a", type: "tool" }], edges: [] };

  it("are found by whoever looks the id up in the order that is wanted", () => {
    expect(asFirst(twins, "node", "a~2").nodes.map(({ type }) => type)).toEqual(["start", "tool", "llm", "llm"]);
    expect(asFirst(twins, "node", "a")).toBe(twins);
    expect(asFirst(twins, "node", "gone~2")).toBe(twins);
    expect(asFirst(twins, "reducers", "")).toBe(twins);
  });
});

describe("a clip from anywhere", () => {
  const clip = (nodes: unknown[], edges: unknown[] = []): string => JSON.stringify({ format: "ctxadmin-elements", nodes, edges });
  const node = { id: "a", type: "llm" };
  const edge = { id: "e", type: "sequence", from: "a", to: "a" };

  it("is taken if it can be drawn", () => {
    expect(clipIn(clip([{ ...node, name: null, position: { x: 1, y: 2 } }], [edge]))?.nodes).toEqual([{ ...node, position: { x: 1, y: 2 } }]);
  });

  it("keeps numbers that JavaScript would round", () => {
    const text = clip([{ ...node, config: {} }]).replace('"config":{}', '"config":{"seed":9223372036854775807}');
    if (canKeep(text)) expect(JSON.stringify(clipIn(text)?.nodes[0]?.config)).toBe('{"seed":9223372036854775807}');
  });

  it.each([
    clip([{ ...node, name: 5 }]),
    clip([{ ...node, position: 7 }]),
    clip([{ ...node, position: { x: "1", y: 2 } }]),
    clip([{ ...node, config: "x" }]),
    clip([{ ...node, properties: [] }]),
    clip([null]),
    clip([node], [{ ...edge, condition: 5 }]),
    clip([node], [{ ...edge, weight: "heavy" }]),
    clip([node], [{ ...edge, to: 1 }]),
    '{"format":"ctxadmin-elements"}',
  ])("is no clip if it would break the page: %s", (text) => {
    expect(clipIn(text)).toBeNull();
  });
});

describe("what was added", () => {
  const size = { width: 800, height: 600 };
  const card = (x: number, y: number) => ({ x, y, width: CARD.width, height: CARD.height });

  it("moves the view by nothing while all of it is seen", () => {
    expect(shownWhole({ x: 0, y: 0, zoom: 1 }, size, card(100, 100))).toBeNull();
  });

  it("moves the view as little as shows all of it, at any zoom", () => {
    expect(shownWhole({ x: 0, y: 0, zoom: 1 }, size, card(800, 100))).toEqual({ x: -244, y: 0, zoom: 1 });
    expect(shownWhole({ x: 0, y: 0, zoom: 0.5 }, size, card(100, -200))).toEqual({ x: 0, y: 124, zoom: 0.5 });
  });

  it("keeps in sight what was, smaller, and moves away from it only where names could not be read", () => {
    const start = { x: 50, y: 50 };
    const view = { x: 0, y: 0, zoom: 1 };
    const { x, y, zoom } = shownToo(view, size, card(900, 50), [start], 0.4)!;
    expect(zoom).toBeLessThan(1);
    for (const spot of [start, { x: 900, y: 50 }]) expect(isSeen({ x, y, zoom }, size, { ...spot, ...CARD })).toBe(true);
    expect(shownToo(view, size, card(5_000, 50), [start], 0.4)!.zoom).toBe(1);
    expect(shownToo(view, size, card(575, 500), [start], 0.4)).toBeNull();
  });

  it("comes nearer to what is sought where names cannot be read, and not otherwise", () => {
    const view = shownNear({ x: 0, y: 0, zoom: 0.1 }, size, card(900, 2_000), 0.5)!;
    expect(view.zoom).toBe(0.5);
    expect([(900 + CARD.width / 2) * 0.5 + view.x, (2_000 + CARD.height / 2) * 0.5 + view.y]).toEqual([400, 300]);
    expect(shownNear({ x: 0, y: 0, zoom: 0.5 }, size, card(900, 50), 0.5)).toBeNull();
    // Both ends of a long edge.
    expect(shownNear({ x: 0, y: 0, zoom: 0.1 }, size, { x: 0, y: 0, width: 3_760, height: 100 }, 0.5)!.zoom).toBe(0.2);
    expect(shownNear({ x: 0, y: 0, zoom: 0.1 }, size, { x: 0, y: 0, width: 9_000, height: 100 }, 0.5)).toBeNull();
  });

  it("shows its start if it is larger than the view", () => {
    expect(shownWhole({ x: 0, y: 0, zoom: 1 }, size, { x: 0, y: 0, width: 2000, height: 50 })).toEqual({ x: 24, y: 24, zoom: 1 });
  });
});

describe("the id of a node that is named first", () => {
  const document = { name: "", nodes: [{ id: "llm", type: "llm" }, { id: "draft", type: "llm" }], edges: [] };
  const named = (name: string | undefined) => idOfName(document, { id: "llm", ...(name === undefined ? {} : { name }) });

  it("has the letters and digits of its name", () => {
    expect(named("Check the *answer*, 2nd")).toBe("check-the-answer-2nd");
  });

  it("has base letters for accented ones and no markup", () => {
    expect(named("Ünïcode & <b>Straße</b>")).toBe("unicode-strasse");
  });

  it("is one that no other node has", () => {
    expect(named("Draft")).toBe("draft-2");
  });

  it("stays as it is without a name that ids can have", () => {
    expect([named(undefined), named("回答"), named("LLM")]).toEqual([null, null, null]);
  });
});

describe("the name of a copy", () => {
  const named = (...names: string[]): WorkflowDocument => ({ name: "w", nodes: names.map((name, place) => ({ id: `n${place}`, type: "llm", name })), edges: [] });
  const copyOf = (document: WorkflowDocument): unknown => {
    const { edit } = pasted(document, copied(document, { nodes: ["n0"], edges: [] }, new Map()), { x: 0, y: 0 });
    return apply(document, edit).document.nodes.at(-1)?.name;
  };

  it("has the next free number", () => {
    expect(copyOf(named("Draft"))).toBe("Draft 2");
    expect(copyOf(named("Draft 2"))).toBe("Draft 3");
    expect(copyOf(named("Draft", "Draft 2", "Draft 3"))).toBe("Draft 4");
    expect(copyOf(named("Shop 2024", "Draft"))).toBe("Shop 2025");
  });
});

describe("a node that is meant by words", () => {
  const nodes = [{ id: "a", type: "llm", name: "Plan" }, { id: "plan", type: "llm", name: "Twin" }, { id: "c", type: "llm", name: "Twin" }];

  it("has this id, or alone this name", () => {
    expect(namedNode(nodes, "plan")).toBe("plan");
    expect(namedNode(nodes, "PLAN")).toBe("a");
    expect(namedNode(nodes, "Twin")).toBeNull();
    expect(namedNode(nodes, "")).toBeNull();
  });

  it("or is the only one that begins so", () => {
    expect(namedNode(nodes, "C")).toBe("c");
    expect(namedNode(nodes, "tw")).toBeNull();
    expect(namedNode(nodes, "lan")).toBeNull();
  });
});

describe("the name of a node", () => {
  it("is none that the server refuses: too long, or with control characters", () => {
    expect(["", "Draft the answer", "起草 🙂", "🙂".repeat(200)].map(isPlainName)).toEqual([true, true, true, true]);
    expect(["a".repeat(201), "a\0b", "a\x07c", "a\ud800", "\u202e\u200b"].map(isPlainName)).toEqual([false, false, false, false, false]);
  });
});

describe("a note", () => {
  it("is not taken if it is too long or has control characters", () => {
    expect(["", "Mind the cost\n\t- of calls", "n".repeat(2000), "🚲".repeat(2000)].map(faultOfNote)).toEqual(["", "", "", ""]);
    expect(faultOfNote("n".repeat(2001))).toBe("Not saved. A note has at most 2,000 characters, this one has 2,001.");
    expect(faultOfNote("a\u0000b")).toBe("Not saved. A note has no control characters.");
  });
});
