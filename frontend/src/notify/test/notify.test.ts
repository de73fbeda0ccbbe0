import { describe, expect, it } from "vitest";
import { addressOf, newsIn, readTold } from "../model";

const piece = (id: string) => ({ id, said: id, link: `/${id}` });

describe("news", () => {
  it("are told once by all tabs together", () => {
    const first = newsIn([piece("b"), piece("a")], []);
    expect(first.news.map(({ id }) => id)).toEqual(["b", "a"]);
    const second = newsIn([piece("c"), piece("b")], first.told);
    expect(second.news.map(({ id }) => id)).toEqual(["c"]);
    expect(second.told).toEqual(["c", "b", "a"]);
  });

  it("that were told are remembered up to a hundred", () => {
    const many = Array.from({ length: 150 }, (_, number) => piece(`p${number}`));
    expect(newsIn(many, ["old"]).told).toHaveLength(100);
    expect(newsIn([], many.map(({ id }) => id)).told).toHaveLength(100);
  });

  it("are asked for from the last ones on, or from now on after a long time", () => {
    const now = Date.parse("2026-01-01T12:00:00Z");
    expect(addressOf("/news/", "2026-01-01T11:55:00+00:00", now)).toBe("/news/?after=2026-01-01T11%3A55%3A00%2B00%3A00");
    expect(addressOf("/news/", "2026-01-01T11:50:00Z", now)).toBe("/news/");
    expect([addressOf("/news/", "", now), addressOf("/news/", "no time", now)]).toEqual(["/news/", "/news/"]);
  });

  it("are told again rather than not if what a tab wrote down cannot be read", () => {
    expect(readTold('["a", 1, "b"]')).toEqual(["a", "b"]);
    expect([readTold(null), readTold("{"), readTold("5")]).toEqual([[], [], []]);
  });
});
