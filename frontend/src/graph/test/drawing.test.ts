import { describe, expect, it } from "vitest";
import { boxSize, CHIP_HEIGHT, lettersOf, roomOf, widthOf } from "../model/chips";
import type { Position } from "../model/document";
import { layered } from "../model/layered";
import { layerSizes, wantedFlow } from "../model/layers";
import { anchorOf, chipSpot, endsOf, type Flow, flowOf, lanesOf, shapeOf, wayOf } from "../model/lines";
import { CARD, isSeen } from "../model/places";
import { hasWords, letterAt, levelOf, NAME, nameLetterAt, rowsAt, stepOf, withinBorder } from "../view/zoom";

const at = (x: number, y: number): Position => ({ x, y });
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${n}`);
const chain = (count: number) => names(count - 1).map((from, n) => [from, `n${n + 1}`] as const);
const edge = (from: string, to: string) => ({ id: `${from}-${to}`, type: "sequence", from, to });

describe("a layout", () => {
  it("leads to the right where cards are large, else where they are larger", () => {
    expect(wantedFlow(names(2), chain(2))).toBe("right");
    expect(wantedFlow(names(12), chain(12))).toBe("down");
    const fan = names(13).slice(1).map((to) => ["n0", to] as const);
    expect(wantedFlow(names(13), fan)).toBe("right");
  });

  it("has layers by the longest way, whatever circles there are", () => {
    expect(layerSizes(["c", "b", "a"], [["a", "b"], ["b", "c"], ["a", "c"]])).toEqual([1, 1, 1]);
    expect(layerSizes(names(3), [...chain(3), ["n2", "n0"]])).toEqual([1, 1, 1]);
    expect(layerSizes([], [])).toEqual([]);
  });

  it("has room for what edges say, above the cards that they lead to alone", () => {
    const nodes = ["a", "b", "c"];
    const edges = (chips: number) => [{ from: "a", to: "b", chips }, { from: "a", to: "c", chips }];
    const apart = (spots: Record<string, Position>) => Math.abs(spots.b!.x - spots.c!.x);
    expect(apart(layered({ nodes, edges: edges(0), flow: "down" }))).toBe(CARD.width + 40);
    expect(apart(layered({ nodes, edges: edges(400), flow: "down" }))).toBeGreaterThanOrEqual(400);
    const [before, after] = [0, 400].map((chips) => layered({ nodes, edges: edges(chips), flow: "right" }));
    expect(after!.b!.x - after!.a!.x).toBeGreaterThanOrEqual(before!.b!.x - before!.a!.x + 300);
  });

  it("keeps all cards on the grid, and none on another", () => {
    const spots = Object.values(layered({ nodes: names(40), edges: names(40).slice(1).map((to, n) => ({ from: `n${n >> 1}`, to, chips: 0 })), flow: "down" }));
    expect(spots.every(({ x, y }) => x % 10 === 0 && y % 10 === 0)).toBe(true);
    expect(spots.some((a, place) => spots.slice(place + 1).some((b) => Math.abs(a.x - b.x) < CARD.width && Math.abs(a.y - b.y) < CARD.height))).toBe(false);
  });
});

describe("a graph", () => {
  const edges = [edge("a", "b"), edge("b", "c"), edge("a", "c")];
  it("leads where its neighbours do", () => {
    expect(flowOf({ edges }, new Map([["a", at(0, 0)], ["b", at(20, 150)], ["c", at(0, 300)]]))).toBe("down");
    expect(flowOf({ edges }, new Map([["a", at(0, 0)], ["b", at(300, 20)], ["c", at(600, 0)]]))).toBe("right");
    expect(flowOf({ edges: [] }, new Map())).toBe("right");
  });
});

describe("a line", () => {
  it("goes by the sides that face each other", () => {
    expect(shapeOf(at(0, 0), at(300, 0), "right")).toBe("right");
    expect(shapeOf(at(0, 0), at(0, 150), "right")).toBe("down");
    expect(shapeOf(at(0, 0), at(300, 150), "right")).toBe("right");
    expect(shapeOf(at(0, 0), at(300, 150), "down")).toBe("down");
    expect(shapeOf(at(0, 300), at(0, 0), "down")).toBe("beside");
    expect(shapeOf(at(0, 900), at(400, 0), "down")).toBe("up");
    expect(shapeOf(at(600, 0), at(0, 0), "right")).toBe("over");
    expect(shapeOf(at(600, 0), at(0, 300), "right")).toBe("down");
    expect(shapeOf(at(300, 40), at(0, 0), "down")).toBe("left");
    expect(shapeOf(at(300, 0), at(0, CARD.height + 10), "down")).toBe("left");
  });

  it("back in its row leaves by the left, and around a card in its way", () => {
    const [from, to] = [at(600, 40), at(0, 0)];
    expect(wayOf(from, to, "down").path).toMatch(new RegExp(`^M600 ${40 + CARD.height / 2}C.* ${CARD.width + 2} ${CARD.height / 2}$`));
    const places = new Map([["a", from], ["b", to]]);
    expect(lanesOf({ edges: [edge("a", "b")] }, places, "down").size).toBe(0);
    places.set("between", at(300, 20));
    expect(lanesOf({ edges: [edge("a", "b")] }, places, "down").get("a-b")?.shape).toBe("beside");
  });

  it("to the card itself, or back, keeps clear of both cards", () => {
    expect(wayOf(at(0, 0), at(0, 0), "right").y).toBeLessThan(0);
    expect(wayOf(at(0, 300), at(40, 0), "down").x).toBeGreaterThan(40 + CARD.width);
    expect(wayOf(at(600, 0), at(0, 50), "right").y).toBeLessThan(0);
  });

  it("goes around a card in its way, and lines that go around stand apart", () => {
    const places = new Map([["a", at(0, 0)], ["b", at(0, 150)], ["c", at(0, 300)], ["d", at(0, 450)]]);
    const edges = [edge("a", "b"), edge("a", "c"), edge("c", "a"), edge("d", "a"), edge("c", "d")];
    const lanes = lanesOf({ edges }, places, "down");
    expect([...lanes.keys()].sort()).toEqual(["a-c", "c-a", "d-a"]);
    const ats = [...lanes.values()].map((lane) => lane.at).sort((a, b) => a - b);
    expect(ats[0]).toBeGreaterThan(CARD.width);
    expect(ats[1]! - ats[0]!).toBeGreaterThanOrEqual(24);
    expect(ats[2]! - ats[1]!).toBeGreaterThanOrEqual(24);
  });

  it("leads up to the next column between the two", () => {
    const places = new Map([["a", at(0, 900)], ["b", at(600, 0)], ["wide", at(400, 300)]]);
    const lane = lanesOf({ edges: [edge("a", "b")] }, places, "down").get("a-b");
    expect(lane?.shape).toBe("up");
    expect(lane!.at).toBeGreaterThan(CARD.width);
    expect(lane!.at).toBeLessThan(400);
  });

  it("leads up around cards that leave no room between the two", () => {
    const places = new Map([["a", at(630, 500)], ["over", at(820, 330)], ["b", at(920, 0)]]);
    expect(lanesOf({ edges: [edge("a", "b")] }, places, "down").get("a-b")).toMatchObject({ shape: "beside", at: 920 + CARD.width + 28 });
  });

  it("shares a lane where too many lines lead up, rather than to run through cards", () => {
    const from = Array.from({ length: 6 }, (_, n) => [`a${n}`, at(0, 600 + n * 150)] as const);
    const column = [150, 300, 450].map((y, n) => [`m${n}`, at(300, y)] as const);
    const places = new Map([...from, ...column, ["b", at(300, 0)]]);
    const lanes = lanesOf({ edges: from.map(([key]) => edge(key, "b")) }, places, "down");
    for (const { at: lane } of lanes.values()) expect(lane > CARD.width && lane < 300).toBe(true);
  });

  it("leads up through the widest room, so that no card beside it loses its room for a name", () => {
    const column = [0, 150, 300, 450].map((y, n) => [`m${n}`, at(900, y)] as const);
    const places = new Map([["a", at(0, 600)], ["beside", at(240, 450)], ["b", at(1200, 0)], ...column]);
    const lane = lanesOf({ edges: [edge("a", "b")] }, places, "down").get("a-b");
    expect(lane!.at).toBeGreaterThan(240 + CARD.width);
    expect(lane!.at).toBeLessThan(900);
  });

  it("leaves and reaches a card in a row of others by the room between the rows", () => {
    const places = new Map([["a", at(0, 900)], ["x", at(230, 900)], ["b", at(0, 0)], ["y", at(230, 0)]]);
    const lane = lanesOf({ edges: [edge("a", "b")] }, places, "down").get("a-b");
    expect(lane).toMatchObject({ shape: "beside", under: 900 + CARD.height + 40, above: true });
    const { path } = wayOf(at(0, 900), at(0, 0), "down", lane);
    const ends = [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, , y]) => Number(y));
    expect([ends[0], ends.at(-1)! < 0]).toEqual([900 + CARD.height, true]);
    // Alone in its row it goes by its side, and where cards stand close below too.
    const close = new Map([...places, ["below", at(200, 900 + CARD.height + 10)] as const]);
    expect(lanesOf({ edges: [edge("a", "b")] }, close, "down").get("a-b")?.under).toBeUndefined();
    places.delete("x");
    expect(lanesOf({ edges: [edge("a", "b")] }, places, "down").get("a-b")).toMatchObject({ above: true });
    expect(lanesOf({ edges: [edge("a", "b")] }, places, "down").get("a-b")?.under).toBeUndefined();
  });

  it("leads aside and then down where that is free, rather than around all cards in its way", () => {
    const column = [0, 160, 320, 480].map((y, n) => [`m${n}`, at(0, y)] as const);
    const places = new Map([...column, ["tool", at(-300, 480)]]);
    const lane = lanesOf({ edges: [edge("m0", "tool")] }, places, "down").get("m0-tool");
    expect(lane).toEqual({ shape: "aside", at: -300 + CARD.width / 2 });
    const { path } = wayOf(at(0, 0), at(-300, 480), "down", lane);
    expect(path.startsWith(`M0 ${CARD.height / 2}L`)).toBe(true);
    expect(path.endsWith(`L${-300 + CARD.width / 2} 478`)).toBe(true);
    places.set("above", at(-300, 300));
    expect(lanesOf({ edges: [edge("m0", "tool")] }, places, "down").get("m0-tool")?.shape).toBe("beside");
  });

  it("has its chips at the end at which it is alone", () => {
    const endOf = endsOf([edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d"), edge("d", "e")]);
    expect(["a-b", "b-d", "d-e"].map((id) => endOf(edge(...(id.split("-") as [string, string]))))).toEqual(["end", "start", "middle"]);
  });
});

describe("the words of an edge", () => {
  it("take the room of their letters, wide ones twice", () => {
    expect(lettersOf("ab")).toBe(2);
    expect(lettersOf("条件")).toBe(4);
    expect(widthOf([])).toBe(0);
    expect(widthOf(["only prompt.*"])).toBeGreaterThan(13 * 6);
    expect(roomOf({ ...edge("a", "b"), condition: "context.a" }, undefined)).toBe(widthOf(["if a"]));
    expect(roomOf({ ...edge("a", "b"), context_filter: {} }, undefined)).toBeGreaterThan(0);
    expect(roomOf({ ...edge("a", "b"), context_filter: {} }, [])).toBe(0);
    expect(boxSize(widthOf(["a short one"]))).toEqual({ width: widthOf(["a short one"]), height: CHIP_HEIGHT });
    // A condition of 150 letters is cut after two rows.
    expect(boxSize(150 * 7)).toEqual({ width: 420, height: CHIP_HEIGHT + 16 });
  });

  it("cover neither card: below or above both where the gap is too narrow", () => {
    const [from, to] = [at(0, 0), at(300, 0)];
    const way = wayOf(from, to, "right");
    expect(chipSpot(way, from, to, 60).y).toBe(CARD.height / 2);
    expect(chipSpot(way, from, to, 200).y).toBeGreaterThan(CARD.height);
    expect(chipSpot(wayOf(from, at(300, -30), "right"), from, at(300, -30), 200).y).toBeLessThan(-30);
  });

  it("lead away from the cards that their line goes around, so that no size covers one", () => {
    const leftOf = (from: Position, to: Position, flow: Flow) => {
      const way = wayOf(from, to, flow);
      const { x, y } = chipSpot(way, from, to, 400);
      const { across, down } = anchorOf(way);
      return { left: x - across * 400, bottom: y + (1 - down) * 60 };
    };
    expect(leftOf(at(0, 300), at(40, 0), "down").left).toBeGreaterThan(40 + CARD.width);
    expect(leftOf(at(600, 0), at(0, 50), "right").bottom).toBeLessThan(0);
  });
});

describe("seen from any distance", () => {
  it("no letter is smaller than 11 px on the screen, and few steps are styled", () => {
    const steps = new Set<number>();
    for (let zoom = 0.1; zoom <= 2; zoom += 0.001) {
      const step = stepOf(zoom);
      steps.add(step);
      expect(step).toBeLessThanOrEqual(zoom + 1e-6);
      expect(Math.max(letterAt(step), 13) * zoom).toBeGreaterThanOrEqual(11);
    }
    expect(steps.size).toBeLessThan(40);
  });

  it("a card says less from further away", () => {
    expect([1, 0.62, 0.5, 0.3].map((zoom) => levelOf(stepOf(zoom)))).toEqual(["near", "middle", "brief", "far"]);
    expect([hasWords(stepOf(0.8)), hasWords(stepOf(0.5))]).toEqual([true, false]);
    expect([rowsAt(stepOf(0.4)), rowsAt(stepOf(0.15))]).toEqual([2, 1]);
    const steps = Array.from({ length: 90 }, (_, n) => stepOf(0.15 + n / 100)).filter((step) => rowsAt(step) > 1 && ["brief", "far"].includes(levelOf(step)));
    for (const step of steps) expect((rowsAt(step) - 1) * NAME.row * nameLetterAt(step) + nameLetterAt(step), String(step)).toBeLessThanOrEqual(withinBorder(step));
  });

  it("a map is of use where not all is seen", () => {
    const box = { x: 0, y: 0, width: 400, height: 300 };
    expect(isSeen({ x: 0, y: 0, zoom: 1 }, { width: 400, height: 300 }, box)).toBe(true);
    expect(isSeen({ x: -1, y: 0, zoom: 1 }, { width: 400, height: 300 }, box)).toBe(false);
    expect(isSeen({ x: 0, y: 0, zoom: 1.1 }, { width: 400, height: 300 }, box)).toBe(false);
  });
});
