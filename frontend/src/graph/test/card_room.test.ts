import { describe, expect, it } from "vitest";
import { boxOf, MOST_REACHING, type Named, reaches, widthIn } from "../model/card_room";
import { CARD } from "../model/places";

const LONG = "Draft the answer for the customer";
const card = (key: string, x: number, y: number, name = LONG): Named => ({ key, at: { x, y }, name, rows: 2, height: 80, least: 0, beside: 20 });
const around = (canvas = 2000, flow: "down" | "right" = "down") => ({ lines: [], flow, letter: 34, shown: { left: (CARD.width - canvas) / 2, right: (CARD.width + canvas) / 2 } });

describe("larger cards", () => {
  it("take the room on both sides that their names need, and none for short names", () => {
    const found = reaches([card("a", 0, 0), card("b", 0, 170, "Send")], around());
    const reach = found.get("a")!;
    expect(reach.left).toBeCloseTo(reach.right);
    expect(CARD.width + reach.left + reach.right).toBeCloseTo(widthIn(2, LONG, 34) + 20);
    expect(found.has("b")).toBe(false);
  });

  it("have a whole name in one row of large letters, as from far away", () => {
    const far = { ...around(4000), letter: 72 };
    const { left, right } = reaches([{ ...card("a", 0, 0, "Escalate pay 48"), rows: 1 }], far).get("a")!;
    expect(CARD.width + left + right).toBeCloseTo(widthIn(1, "Escalate pay 48", 72) + 20);
  });

  it("are as wide as the line below their name", () => {
    const { left, right } = reaches([{ ...card("a", 0, 0, "Send"), least: 300 }], around()).get("a")!;
    expect(CARD.width + left + right).toBe(300);
  });

  it("have a line below their name where this is whole in a row less, and never instead of it", () => {
    const below = { below: 300 };
    const found = reaches([{ ...card("a", 0, 0, "Send"), ...below }, { ...card("b", 0, 170, "Draft the answer"), ...below }], around());
    expect(found.get("a")).toMatchObject({ hasBelow: true, rows: 1 });
    expect(CARD.width + found.get("a")!.left + found.get("a")!.right).toBe(300);
    expect(found.get("b")).toMatchObject({ hasBelow: true, rows: 1 });
    const narrow = reaches([{ ...card("a", 0, 0, "Send"), ...below }, { ...card("b", 0, 170, "Draft the answer"), ...below }], around(CARD.width));
    expect(narrow.get("a")).toMatchObject({ hasBelow: true, left: 0, right: 0 });
    expect(narrow.get("b")?.hasBelow).toBeUndefined();
  });

  it("have the sign of their type beside a name that leaves it the room, and never instead of it", () => {
    const of = (name: string, canvas: number) => reaches([{ ...card("a", 0, 0, name), sign: 48 }], around(canvas)).get("a");
    expect(of("Send", CARD.width)).toMatchObject({ hasSign: true, left: 0, right: 0 });
    expect(of(LONG, 2000)?.hasSign).toBe(true);
    expect(of(LONG, CARD.width)?.hasSign).toBeUndefined();
    expect(reaches([{ ...card("a", 0, 0, "Send"), sign: 0 }], around()).has("a")).toBe(false);
  });

  it("cover no card beside them, and end with the canvas", () => {
    const [a, b] = [card("a", 0, 0), card("b", 260, 0)];
    const found = reaches([a, b], around());
    const [left, right] = [boxOf(a.at, found.get("a")), boxOf(b.at, found.get("b"))];
    expect(left.x + left.width).toBeLessThan(right.x);
    expect(reaches([card("a", 0, 0)], around(CARD.width)).get("a")).toMatchObject({ left: 0, right: 0 });
  });

  it("are longer where their name is not whole as wide as they can be, and leave room for the lines below", () => {
    const longer = (gap: number, said = 0) => reaches([{ ...card("a", 0, 0), said }, card("b", 0, CARD.height + gap, "Send")], around(CARD.width)).get("a");
    expect(longer(500)).toMatchObject({ up: 0, rows: 3 });
    expect(longer(100)?.rows).toBe(3);
    expect(longer(100)?.down).toBeLessThan(100 - 30);
    expect(longer(50)).toBeUndefined();
    expect(longer(100, 10)).toBeUndefined();
    expect(longer(200, 10)?.rows).toBe(3);
  });

  it("leave the line that leaves or reaches the card beside them below or above, or goes over them, in sight", () => {
    const [ask, long, end] = [card("ask", -260, 0, "Ask"), card("long", 0, 0), card("end", -260, 500, "Merge")];
    const longer = (lines: Parameters<typeof reaches>[1]["lines"]) => reaches([ask, long, end], { ...around(CARD.width), lines }).get("long");
    expect(longer([])?.down).toBeGreaterThan(10);
    const lane = { shape: "beside" as const, at: 300, under: CARD.height + 24 };
    expect(longer([{ from: ask.at, to: { x: -260, y: -200 }, lane }])?.down ?? 0).toBeLessThan(10);
    expect(longer([{ from: ask.at, to: { x: -260, y: -200 }, lane: { ...lane, at: -20 } }])?.down).toBeGreaterThan(10);
    const over = (lines: Parameters<typeof reaches>[1]["lines"]) => reaches([card("a", 0, 0)], { ...around(2000, "right"), letter: 31, lines }).get("a");
    expect(over([])?.up).toBeGreaterThan(10);
    expect(over([{ from: { x: 300, y: 0 }, to: { x: -300, y: 0 }, lane: { shape: "over", at: -12 } }])).toBeUndefined();
  });

  it("leave lines beside them in sight, and the side at which one arrives", () => {
    const [a, b, c] = [card("a", 0, 0), card("b", 0, 170), card("c", 0, 340)];
    const line = { from: c.at, to: a.at, lane: { shape: "beside" as const, at: 250 } };
    const found = reaches([a, b, c], { ...around(), lines: [line] });
    expect(found.get("a")?.right).toBe(0);
    expect(found.get("b")!.right).toBeLessThan(30);
  });

  it("are higher where the graph leads to the right", () => {
    const [a, b] = [card("a", 0, 0), card("b", 0, 124)];
    const found = reaches([a, b], { ...around(2000, "right"), letter: 31 });
    expect(found.get("a")?.rows).toBe(3);
    expect(found.get("a")?.left ?? 0).toBe(0);
    expect(boxOf(a.at, found.get("a")).y + boxOf(a.at, found.get("a")).height).toBeLessThan(boxOf(b.at, found.get("b")).y);
  });

  it("break names between words and Chinese letters", () => {
    expect(widthIn(2, "aaaa bbbb", 10)).toBeLessThan(widthIn(1, "aaaa bbbb", 10));
    expect(widthIn(2, "起草给客户的答复", 10)).toBeLessThan(widthIn(1, "起草给客户的答复", 10));
    expect(widthIn(3, "unbreakable", 10)).toBe(widthIn(1, "unbreakable", 10));
  });

  it("are as usual in graphs whose names nobody reads at once", () => {
    const many = Array.from({ length: MOST_REACHING + 1 }, (_, n) => card(String(n), 0, n * 170));
    expect(reaches(many, around()).size).toBe(0);
  });
});
