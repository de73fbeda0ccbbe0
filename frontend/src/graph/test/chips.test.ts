import { describe, expect, it } from "vitest";
import { bound, heldOf } from "../model/chips";

const long = "only a_very_long_variable_name_that_goes_on.and_on.forever.*, short.*, 名称";

describe("the texts of an edge in a row that is too short for them", () => {
  it("are shortened from the long ones on", () => {
    expect([...heldOf([long, "not secret.*"])]).toEqual(["not secret.*"]);
    expect([...heldOf(["if ready", long, "not secret.*"])]).toEqual(["if ready", "not secret.*"]);
    expect([...heldOf([long, long.replace("only", "not")])]).toEqual([]);
  });

  it("count Chinese letters as two", () => {
    expect([...heldOf(["不含密钥", long])]).toEqual(["不含密钥"]);
    expect([...heldOf(["不含".repeat(10), long])]).toEqual([]);
  });

  it("keep their first word beside a long one", () => {
    expect(bound(long).startsWith("only\u00a0a_very")).toBe(true);
    expect(bound("over 8,000 tokens cut to 4,000")).toBe("over 8,000 tokens cut to 4,000");
  });
});
