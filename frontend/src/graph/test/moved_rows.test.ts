import { describe, expect, it } from "vitest";
import { movedName } from "../model/moved_rows";

const fields = (...patterns: string[]): [string, string][] => patterns.map((pattern, place) => [`node-context_filters-0-rules-${place}-pattern`, pattern]);
const first = "node-context_filters-0-rules-0-pattern";

describe("a field in which someone types when its form is drawn again", () => {
  it("is followed where a row of someone else came before its own", () => {
    expect(movedName(first, "mine", fields("theirs", "mine"))).toBe("node-context_filters-0-rules-1-pattern");
  });

  it("stays where it is, and where no other or more than one says its text", () => {
    expect(movedName(first, "mine", fields("mine", "mine"))).toBe(first);
    expect(movedName(first, "mine", fields("theirs", "other"))).toBe(first);
    expect(movedName(first, "mine", fields("theirs", "mine", "mine"))).toBe(first);
    expect(movedName("node-name", "mine", [["node-name", "theirs"], ...fields("mine")])).toBe("node-name");
    expect(movedName(first, "", fields("theirs", ""))).toBe(first);
  });
});
