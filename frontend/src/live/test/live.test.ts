import { describe, expect, it } from "vitest";
import { advanced, closedBy, type Frame, movedTo, NOWHERE, type State, withKeys } from "../model";

// That frames are followed as the server does is held by tests/unit/sockets/test_following.py.
const state: State = { kind: "conversation", seq: 3, execution: "e1", version: 2, status: "RUNNING", revision: 0, count: 5 };
const changed: Frame = { v: 1, type: "changed", id: "one", what: "x", who: null, seq: 4, version: 3, status: "PAUSED", revision: 0, count: 6, keys: ["a"] };

describe("a frame", () => {
  it("that is the next one is taken, one that is known is not told", () => {
    expect(advanced(state, changed)).toEqual({ state: { ...state, seq: 4, version: 3, status: "PAUSED", count: 6 }, gap: false });
    expect(advanced(state, { ...changed, seq: 3 })).toBeNull();
  });

  it("after a gap tells where things stand, and nothing of its own change", () => {
    const after = advanced(state, { ...changed, seq: 7 });
    expect(after).toEqual({ state: { ...state, seq: 7, version: 3, status: "PAUSED", count: 6 }, gap: true });
  });
});

describe("a connection that was closed", () => {
  it("is opened again later and later, up to a quarter of a minute", () => {
    const waits = [0, 1, 2, 10].map((failures) => closedBy(1006, failures, 1).waitMs);
    expect(waits).toEqual([400, 800, 1_600, 15_000]);
    expect(closedBy(1006, 0, 0).waitMs).toBe(200);
    expect(closedBy(1006, 2, 1)).toMatchObject({ refused: false, final: false, failures: 3 });
  });

  it("is opened at once with other rights, late if there are too many, never if it is refused", () => {
    expect(closedBy(4403, 4, 1)).toMatchObject({ refused: true, final: false, waitMs: 0 });
    expect(closedBy(4429, 0, 1)).toMatchObject({ refused: true, final: false, failures: 6 });
    expect(closedBy(4503, 0, 1)).toMatchObject({ refused: false, final: false });
    for (const code of [4400, 4401, 4404]) expect(closedBy(code, 0, 1)).toMatchObject({ refused: true, final: true });
  });
});

describe("where a person is", () => {
  it("is told once, and not by a name that the server refuses", () => {
    const there = movedTo(NOWHERE, "key:a", true);
    expect(there).toEqual({ where: "key:a", editing: true, keys: [], kept: 0 });
    expect(movedTo(there, "key:a", true)).toBe(there);
    expect(movedTo(there, "k".repeat(201), true).where).toBe("");
    expect(movedTo(there)).toEqual(NOWHERE);
    const edited = withKeys(there, ["a", "k".repeat(201), "b"]);
    expect(edited).toEqual({ ...there, keys: ["a", "b"] });
    expect(withKeys(edited, ["a", "b"])).toBe(edited);
    expect(withKeys(NOWHERE, Array.from({ length: 30 }, (_, n) => `k${n}`)).keys).toHaveLength(20);
    expect(withKeys(NOWHERE, Array.from({ length: 9 }, (_, n) => `${n}`.repeat(180))).keys).toHaveLength(5);
  });
});
