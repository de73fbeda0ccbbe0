import { expect, it } from "vitest";
import { inLines, withoutCanvas } from "../model/sides";

it("leaves what the canvas keeps to the canvas", () => {
  const found = withoutCanvas({ id: "a", type: "llm", position: { x: 1, y: 2 }, properties: { own: 1, canvas: { group: "G", note: { text: "N" } } } });
  expect(found).toEqual({ node: { id: "a", type: "llm", properties: { own: 1 } }, group: "G", note: "N" });
});

it("parts pieces at the ends of lines and keeps empty lines", () => {
  const found = inLines([{ kind: "same", text: "a\n\nb" }, { kind: "removed", text: " c\n" }, { kind: "added", text: " d" }]);
  expect(found).toEqual([
    [{ kind: "same", text: "a" }],
    [],
    [{ kind: "same", text: "b" }, { kind: "removed", text: " c" }],
    [{ kind: "added", text: " d" }],
  ]);
});
