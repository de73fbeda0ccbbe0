import { describe, expect, it } from "vitest";
import { ago, countdown, isRelative, skewOf } from "../model";

describe("a time", () => {
  it("is said in the largest unit of which it is one", () => {
    expect(ago(-59)).toEqual({ value: 0, unit: "second" });
    expect(ago(-60)).toEqual({ value: -1, unit: "minute" });
    expect(ago(-3 * 3600 - 59)).toEqual({ value: -3, unit: "hour" });
    expect(ago(2 * 86_400 + 5)).toEqual({ value: 2, unit: "day" });
  });

  it("is said by how long ago it was within a week, or where that is asked for", () => {
    const day = 86_400;
    expect([isRelative("auto", -6 * day), isRelative("auto", -7 * day), isRelative("relative", -70 * day), isRelative("", -1)]).toEqual([true, false, true, false]);
  });

  it("is counted by the server's clock if the reader's is far off", () => {
    expect(skewOf(1_000_000, 1_059_000)).toBe(0);
    expect(skewOf(1_000_000, 1_060_000)).toBe(-60_000);
    expect(skewOf(1_000_000, 940_000)).toBe(60_000);
    const days = 3 * 86_400_000;
    expect([skewOf(2 * days, days), skewOf(days, 2 * days)]).toEqual([days, -days]);
    expect(skewOf(Number("") * 1000, 5_000_000)).toBe(0);
  });

  it("is counted down with its minutes in the last day, and with its seconds in the last hour", () => {
    expect(countdown(86_400)).toBeNull();
    expect(countdown(7199)).toEqual({ whole: 1, rest: "59", unit: "hour", isSoon: false });
    expect(countdown(3600)).toEqual({ whole: 1, rest: "00", unit: "hour", isSoon: false });
    expect(countdown(3599.2)).toEqual({ whole: 60, rest: "00", unit: "minute", isSoon: false });
    expect(countdown(304)).toEqual({ whole: 5, rest: "04", unit: "minute", isSoon: false });
    expect(countdown(59.1)).toEqual({ whole: 1, rest: "00", unit: "minute", isSoon: true });
    expect(countdown(0)).toBeNull();
  });
});
