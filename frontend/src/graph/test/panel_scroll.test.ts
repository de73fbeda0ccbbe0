import { describe, expect, it } from "vitest";
import { scrollBy } from "../view/panel_scroll";

const room = { top: 100, bottom: 400 };

describe("the panel", () => {
  it("stays where a field is in sight as a whole", () => {
    expect(scrollBy({ top: 120, bottom: 380 }, room)).toBe(0);
  });

  it("moves no further than a field below or above needs", () => {
    expect(scrollBy({ top: 380, bottom: 420 }, room)).toBe(28);
    expect(scrollBy({ top: 50, bottom: 90 }, room)).toBe(-58);
  });

  it("shows the beginning of a field that is higher than the panel", () => {
    expect(scrollBy({ top: 350, bottom: 900 }, room)).toBe(242);
  });
});
