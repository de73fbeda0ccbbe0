import { describe, expect, it } from "vitest";

import { changedLines } from "../model/changed_lines";

function applied(before: string, after: string): string {
  let text = before;
  for (const { from, to, insert } of [...changedLines(before, after)].reverse()) {
    text = text.slice(0, from) + insert + text.slice(to);
  }
  return text;
}

describe("changed lines", () => {
  it("are none between a text and itself", () => {
    expect(changedLines("a\nb\n", "a\nb\n")).toEqual([]);
  });

  it("leave the lines between two changes where they are", () => {
    const before = "{\n  1\n  2\n  3\n  4\n}";
    const after = "{\n  one\n  2\n  3\n  four\n  five\n}";
    expect(changedLines(before, after)).toEqual([
      { from: 2, to: 6, insert: "  one\n" },
      { from: 14, to: 18, insert: "  four\n  five\n" },
    ]);
  });

  it("make the other text of any text", () => {
    let seed = 7;
    const next = (n: number): number => (seed = (seed * 48271) % 2147483647) % n;
    const random = (): string => Array.from({ length: next(12) }, () => "abc"[next(3)] + (next(9) ? "\n" : "")).join("");
    for (let round = 0; round < 500; round++) {
      const [before, after] = [random(), random()];
      expect(applied(before, after)).toBe(after);
    }
  });

  it("of texts without a line in common are one", () => {
    const before = "a\n".repeat(3000);
    const after = "b\n".repeat(3000);
    expect(changedLines(before, after)).toEqual([{ from: 0, to: 6000, insert: after }]);
  });
});
