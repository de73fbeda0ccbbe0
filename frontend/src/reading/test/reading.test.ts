import { describe, expect, it } from "vitest";
import { atEdge, cookieOf, detailOf, isStale, moved, nextWanted } from "../model";

describe("moving between messages", () => {
  const places = [
    { top: -200, bottom: -50 },
    { top: -50, bottom: 90 },
    { top: 90, bottom: 300 },
  ];

  it("begins at the first message that is not above the edge", () => {
    expect(atEdge(places, 60)).toBe(1);
    expect(atEdge(places, 100)).toBe(2);
  });

  it("begins at the last message if all are above the edge", () => {
    expect(atEdge(places, 1000)).toBe(2);
  });

  it("goes to the message at the edge first, and from there one by one", () => {
    expect(moved(3, null, 1, 1)).toBe(1);
    expect(moved(3, 1, 0, 1)).toBe(2);
    expect(moved(3, 1, 0, -1)).toBe(0);
  });

  it("stays where there is nothing further", () => {
    expect(moved(3, 2, 0, 1)).toBeNull();
    expect(moved(3, 0, 0, -1)).toBeNull();
    expect(moved(0, null, -1, 1)).toBeNull();
  });

  it("finds the next that is wanted, never the one it is at", () => {
    expect(nextWanted([true, false, true], 0)).toBe(2);
    expect(nextWanted([true, false, false], 0)).toBeNull();
    expect(nextWanted([true, false], -1)).toBe(0);
  });
});

describe("how much is shown", () => {
  it("knows its three levels and nothing else", () => {
    expect(detailOf("talk")).toBe("talk");
    expect(detailOf("loud")).toBeNull();
    expect(detailOf(undefined)).toBeNull();
  });

  it("is kept for a year on this site only", () => {
    expect(cookieOf("tools", true)).toBe("detail=tools; Path=/; Max-Age=31536000; SameSite=Lax; Secure");
    expect(cookieOf("tools", false)).not.toContain("Secure");
  });
});

describe("the undo of a notice", () => {
  const undo = "/conversations/c/restore/0/?expected_revision=1&expected_count=9&shown=view%3Dall";

  it("is of use as long as the view is the one that it names", () => {
    expect(isStale(undo, "1", "9")).toBe(false);
  });

  it("is stale once someone has changed the view, or messages have come", () => {
    expect(isStale(undo, "2", "9")).toBe(true);
    expect(isStale(undo, "1", "10")).toBe(true);
    expect(isStale(undo, undefined, undefined)).toBe(true);
  });
});
