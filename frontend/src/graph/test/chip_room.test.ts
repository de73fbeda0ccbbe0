import { describe, expect, it } from "vitest";
import { MOST_SPOKEN, type Spoken, spotsNearby, spotsWithRoom, USUAL_LETTER } from "../model/chip_room";
import { CARD } from "../model/places";

const STEP = CARD.height + 86;
const cards = [0, 1, 2].map((row) => ({ x: 0, y: row * STEP, ...CARD }));
const said = (row: number, width: number, more: Partial<Spoken> = {}): Spoken => ({ key: `e${row}`, from: cards[row]!, to: cards[row + 1]!, lane: undefined, end: "middle", width, folded: width, signs: 40, ...more });
const seen = (letter: number, canvas = 1200) => ({ cards, flow: "down" as const, letter, shown: { left: (CARD.width - canvas) / 2, right: (CARD.width + canvas) / 2 } });

describe("the words of edges from further away", () => {
  it("are shown where they cover no card", () => {
    expect([...spotsWithRoom([said(0, 120), said(1, 120)], seen(28)).keys()]).toEqual(["e0", "e1"]);
    expect(spotsWithRoom([said(0, 120)], seen(70)).size).toBe(0);
  });

  it("give way to signs, so that no edge looks as if it said nothing", () => {
    expect(spotsWithRoom([said(0, 400)], seen(24, 600)).get("e0")).toMatchObject({ says: "signs", rows: 1 });
  });

  it("keep clear of both cards, nearer to the middle of their line than its end where that is close", () => {
    expect(spotsWithRoom([said(0, 120, { end: "end" })], seen(USUAL_LETTER)).get("e0")).toMatchObject({ end: "end", down: 0 });
    expect(spotsWithRoom([said(0, 120, { end: "end" })], seen(28)).get("e0")?.down).toBeLessThan(0);
  });

  it("take two rows where one has no room", () => {
    const long = said(0, 300, { folded: 160 });
    expect(spotsWithRoom([long], seen(USUAL_LETTER)).get("e0")?.rows).toBe(1);
    expect(spotsWithRoom([long], seen(USUAL_LETTER, 260)).get("e0")).toMatchObject({ rows: 2, width: 160 });
  });

  it("cover no other words: the shorter ones are shown", () => {
    const beside = { from: { x: 100, y: 0 }, to: { x: 100, y: STEP }, key: "other" };
    const spots = spotsWithRoom([said(0, 200, { signs: 200 }), said(0, 100, beside)], seen(24));
    expect([...spots.keys()]).toEqual(["other"]);
  });

  it("are not cut by the edge of the canvas when the whole graph is shown", () => {
    expect(spotsWithRoom([said(0, 400)], seen(24, 900)).get("e0")?.says).toBe("words");
    expect(spotsWithRoom([said(0, 400)], seen(24, 600)).get("e0")?.says).toBe("signs");
  });

  it("move aside on their line rather than being cut by the canvas", () => {
    const right = [0, 1].map((row) => ({ x: 400, y: row * STEP, ...CARD }));
    const spots = spotsWithRoom([said(0, 300, { from: right[0]!, to: right[1]! })], { ...seen(24), shown: { left: -40, right: 660 }, cards: [...cards, ...right] });
    expect(spots.get("e0")?.aside).toBeLessThan(0);
    expect(spotsWithRoom([said(0, 300)], seen(24)).get("e0")?.aside).toBe(0);
  });

  it("are left to signs where there are too many to be read", () => {
    const many = Array.from({ length: MOST_SPOKEN + 1 }, (_, n) => said(0, 10, { key: String(n) }));
    expect(spotsWithRoom(many, seen(20)).size).toBe(0);
    expect(spotsWithRoom([], { ...seen(20), cards: [] }).size).toBe(0);
  });

  it("give way to marks, however long these are", () => {
    const other = said(0, 100, { key: "other" });
    const spots = spotsWithRoom([said(0, 200, { isMarked: true }), other], seen(24));
    expect(spots.get("e0")?.says).toBe("words");
    expect(spots.get("other")?.says).not.toBe("words");
  });

  it("of marks are there as a sign where nothing has room, and beside more edges than can be read", () => {
    expect(spotsWithRoom([said(0, 120, { isMarked: true })], seen(70)).get("e0")).toMatchObject({ says: "signs" });
    const many = Array.from({ length: MOST_SPOKEN + 1 }, (_, n) => said(0, 10, { key: String(n) }));
    expect([...spotsWithRoom([...many, said(1, 120, { isMarked: true })], seen(20)).keys()]).toEqual(["e1"]);
  });

  it("are not written where no letter can be read; marks have their signs", () => {
    const far = { ...seen(40), isUnreadable: true };
    expect(spotsWithRoom([said(0, 20)], far).size).toBe(0);
    expect(spotsWithRoom([said(0, 20, { isMarked: true })], far).get("e0")).toMatchObject({ says: "signs" });
  });

  it("of marks move along a line around cards, clear of those on other lines", () => {
    const far = { from: cards[0]!, to: cards[2]!, isMarked: true };
    const lane = (at: number) => ({ shape: "beside" as const, at });
    const spots = spotsWithRoom([said(0, 120, { ...far, lane: lane(260) }), said(1, 120, { ...far, lane: lane(286) })], seen(USUAL_LETTER));
    expect([...spots.values()].map(({ says }) => says)).toEqual(["words", "words"]);
    expect(spots.get("e0")?.down).toBe(0);
    expect(Math.abs(spots.get("e1")?.down ?? 0)).toBeGreaterThan(20);
  });
});

describe("the words of edges from nearby", () => {
  const fork = (key: string, to: number, width: number, folded = width): Spoken => said(0, width, { key, folded, to: { x: to, y: STEP } });
  const around = { ...seen(USUAL_LETTER, 1600), cards: [cards[0]!, ...[-240, 240].map((x) => ({ x, y: STEP, ...CARD }))] };

  it("stay where their lines are while they cover no others", () => {
    expect(spotsNearby([fork("left", -400, 60), fork("right", 400, 60)], around).size).toBe(0);
  });

  it("make room for each other where one would cover another", () => {
    const [short, long] = [fork("left", -240, 100), fork("right", 240, 700, 380)];
    const spots = spotsNearby([short, long], around);
    expect([...spots.keys()].sort()).toEqual(["left", "right"]);
    expect(spots.get("left")?.says).toBe("words");
  });

  it("leave alone those that are far from both", () => {
    const spots = spotsNearby([fork("left", -240, 100), fork("right", 240, 700, 380), fork("far", 4000, 60)], around);
    expect(spots.has("far")).toBe(false);
  });
});

describe("the words of edges at full length", () => {
  const whole = { width: 400, folded: 210, rows: 3 };

  it("are shown where they have the room, from far and near", () => {
    for (const spotsOf of [spotsWithRoom, spotsNearby]) {
      expect(spotsOf([said(0, 200, { whole })], seen(USUAL_LETTER)).get("e0")).toMatchObject({ says: "whole", rows: 1 });
      expect(spotsOf([said(0, 200, { whole })], seen(USUAL_LETTER, 300)).get("e0")).toMatchObject({ says: "whole", rows: 2 });
      expect(spotsOf([said(0, 200, { whole })], seen(USUAL_LETTER, 205)).get("e0")?.says).not.toBe("whole");
    }
  });

  it("take no room from other words, and need none where nothing was left out", () => {
    const beside = { from: { x: 300, y: 0 }, to: { x: 300, y: STEP }, key: "other" };
    const all = { ...seen(USUAL_LETTER), cards: [...cards, { x: 300, y: 0, ...CARD }, { x: 300, y: STEP, ...CARD }] };
    const wide = { width: 1000, folded: 1000, rows: 5 };
    const spots = spotsNearby([said(0, 200, { whole: wide }), said(0, 180, beside)], all);
    expect([spots.get("e0"), spots.get("other")]).toEqual([undefined, undefined]);
    expect(spotsNearby([said(0, 200, { whole: { width: 200, folded: 120, rows: 2 } })], seen(USUAL_LETTER)).size).toBe(0);
  });

  it("are broken beside a line around cards where that is all the room", () => {
    const lane = { shape: "beside" as const, at: 260 };
    const back = said(0, 380, { from: cards[2]!, to: cards[0]!, lane, folded: 220, whole });
    const around = { ...seen(USUAL_LETTER), shown: { left: -20, right: 455 } };
    expect(spotsNearby([back], around).get("e0")).toMatchObject({ says: "whole", rows: 3 });
  });
});
