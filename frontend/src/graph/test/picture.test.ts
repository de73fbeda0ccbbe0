import { describe, expect, it } from "vitest";
import type { WorkflowDocument } from "../model/document";
import { editorStore } from "../store";
import { folded, pictureOf } from "../view/picture";

const kinds = [{ type: "llm", label: "Model", tone: "green", context_type: "filter_in" }] as unknown as Parameters<typeof pictureOf>[1]["kinds"];

function picture(document: Partial<WorkflowDocument>): string {
  const whole = { name: "w", nodes: [], edges: [], ...document };
  const state = editorStore({ document: whole, version: 1, places: {}, may_change: true, watched: null } as unknown as Parameters<typeof editorStore>[0]).getState();
  return pictureOf(state, { kinds });
}

const node = (id: string, x: number, note?: string) => ({ id, type: "llm", position: { x, y: 0 }, ...(note && { properties: { canvas: { note: { text: note, x: 0, y: -96 } } } }) });

describe("a picture", () => {
  it("calls kinds of nodes what the canvas calls them", () => {
    expect(picture({ nodes: [node("a", 0)] })).toMatch(/>Model</);
  });

  it("covers no card with what is said of an edge", () => {
    const chip = (condition: string): number => {
      const edges = [{ id: "e", type: "conditional", from: "a", to: "b", condition }];
      const [, y] = /y="([-\d.]+)"[^>]*>if /.exec(picture({ nodes: [node("a", 0), node("b", 320)], edges })) ?? [];
      return Number(y);
    };
    expect(chip("x")).toBe(46);
    expect(chip("context.missing.length > 0")).toBeGreaterThan(84);
  });

  it("shows a note in rows as far as the canvas does", () => {
    const svg = picture({ nodes: [node("a", 0, "one two three four five six seven\nsecond\u202e")] });
    expect(svg).toContain(">one two three four five six<");
    expect(svg).toContain(">seven<");
    expect(svg).toContain(">secondU+202E<");
  });
});

describe("a text folded into rows", () => {
  it("is broken between words, in a long word where it must be, and ends with a sign that there is more", () => {
    expect(folded("aa bb cc", 5, 4)).toEqual(["aa bb", "cc"]);
    expect(folded("abcdefgh", 5, 4)).toEqual(["abcde", "fgh"]);
    expect(folded("a\n\nb\nc", 5, 3)).toEqual(["a", "", "b…"]);
  });
});
