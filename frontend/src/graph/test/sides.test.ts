import { describe, expect, it } from "vitest";
import { changed, differing, type Part, type Said, withoutCanvas } from "../model/sides";
import { Chance, SEEDS } from "./random";

const said = (label: string, ...lines: string[]): Said => ({ label, lines, is_json: false });
const text = (parts: readonly (readonly Part[])[], kind: Part["kind"]): string[] =>
  parts.map((line) => line.filter((part) => part.kind === "same" || part.kind === kind).map((part) => part.text)).flatMap((line) => (line.length ? [line.join("")] : []));

describe("the sides of a conflict", () => {
  it("shows the fields in which they differ and no others", () => {
    const base = [said("Name", "A"), said("Type", "llm")];
    const mine = [said("Name", "B"), said("Type", "llm"), said("Template", "Be short.")];
    const found = differing([base, mine, base]);
    expect(found).toEqual([
      { label: "Name", isJson: false, sides: [["A"], ["B"], ["A"]] },
      { label: "Template", isJson: false, sides: [[], ["Be short."], []] },
    ]);
  });

  it("compares a side with the one before, if the other is not there", () => {
    expect(differing([[said("Name", "A")], undefined, [said("Name", "B")]])).toEqual([{ label: "Name", isJson: false, sides: [["A"], [], ["B"]] }]);
    expect(differing([[said("Name", "A")], undefined, [said("Name", "A")]])).toEqual([]);
  });

  it("has no words if one side has none", () => {
    expect(differing([[said("Name", "A")], null, []])).toBeNull();
  });

  it("leaves what the canvas keeps to the canvas", () => {
    const found = withoutCanvas({ id: "a", type: "llm", position: { x: 1, y: 2 }, properties: { own: 1, canvas: { group: "G", note: { text: "N" } } } });
    expect(found).toEqual({ node: { id: "a", type: "llm", properties: { own: 1 } }, group: "G", note: "N" });
  });

  it("marks the words that changed in a line", () => {
    expect(changed(["keep the last: 6"], ["keep the last: 9"])).toEqual([
      [
        { kind: "same", text: "keep the last: " },
        { kind: "gone", text: "6" },
        { kind: "new", text: "9" },
      ],
    ]);
  });

  it("does not weave lines together that have no word in common", () => {
    expect(changed(["one"], ["two"])).toEqual([[{ kind: "gone", text: "one" }], [{ kind: "new", text: "two" }]]);
  });

  it("marks a row that was added and leaves those around it", () => {
    const found = changed(["rule a", "rule c"], ["rule a", "rule b", "rule c"]);
    expect(found.map((line) => line.map(({ kind }) => kind))).toEqual([["same"], ["new"], ["same"]]);
  });

  it.each(SEEDS)("loses no line of either side (seed %i)", (seed) => {
    const chance = new Chance(seed);
    const lines = (): string[] => Array.from({ length: chance.below(6) }, () => `${"ab 中"[chance.below(4)]}${"xy z"[chance.below(4)]} w`);
    const [before, after] = [lines(), lines()];
    const parts = changed(before, after);
    expect(text(parts, "gone").sort()).toEqual([...before].sort());
    expect(text(parts, "new").sort()).toEqual([...after].sort());
  });
});
