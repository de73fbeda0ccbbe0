import { describe, expect, it } from "vitest";
import { afterKey, fitting, isPreviewOpen, isSideBySide, PANEL_WIDTH, PREVIEW_HEIGHT, remember, rememberPreview, remembered } from "../io/panel_size";

function storage() {
  const kept = new Map<string, string>();
  return { kept, getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => void kept.set(name, value) };
}

describe("the sizes of the panel and of its preview", () => {
  it("leave room for the canvas and the form", () => {
    expect(fitting(PANEL_WIDTH, 500, 1_000)).toBe(500);
    expect(fitting(PANEL_WIDTH, 5_000, 2_000)).toBe(1_400);
    expect(fitting(PANEL_WIDTH, 5_000, 1_000)).toBe(540);
    expect(fitting(PANEL_WIDTH, 10, 1_000)).toBe(PANEL_WIDTH.least);
    expect(fitting(PREVIEW_HEIGHT, 5_000, 500)).toBe(400);
  });

  it("follow the arrow keys towards the edge that they name", () => {
    expect(afterKey(PANEL_WIDTH, "ArrowLeft", 420, 1_000)).toBeGreaterThan(420);
    expect(afterKey(PANEL_WIDTH, "ArrowRight", 420, 1_000)).toBeLessThan(420);
    expect(afterKey(PANEL_WIDTH, "ArrowUp", 420, 1_000)).toBeNull();
    expect(afterKey(PREVIEW_HEIGHT, "ArrowUp", 300, 1_000)).toBeGreaterThan(300);
    expect(afterKey(PREVIEW_HEIGHT, "ArrowDown", 300, 1_000)).toBeLessThan(300);
    expect(afterKey(PANEL_WIDTH, "Home", 420, 1_000)).toBe(540);
    expect(afterKey(PANEL_WIDTH, "End", 420, 1_000)).toBe(PANEL_WIDTH.least);
    expect(afterKey(PANEL_WIDTH, "x", 420, 1_000)).toBeNull();
  });

  it("are remembered each, and only if they are sensible", () => {
    const place = storage();
    expect(remembered(PANEL_WIDTH, place)).toBeNull();
    remember(PANEL_WIDTH, place, 512);
    expect(remembered(PANEL_WIDTH, place)).toBe(512);
    expect(remembered(PREVIEW_HEIGHT, place)).toBeNull();
    for (const wrong of ["", "wide", "-7", "NaN"]) {
      place.kept.set(PANEL_WIDTH.name, wrong);
      expect(remembered(PANEL_WIDTH, place)).toBeNull();
    }
  });
});

describe("the preview", () => {
  it("has a third of the panel, and more of a low one", () => {
    expect(PREVIEW_HEIGHT.usual(900)).toBe(300);
    expect(PREVIEW_HEIGHT.usual(420)).toBe(200);
  });

  it("is in sight until somebody closes it, but leaves a small window to the form", () => {
    const place = storage();
    const [usual, phone, low] = [{ width: 1_280, height: 800 }, { width: 390, height: 844 }, { width: 1_280, height: 500 }];
    expect([usual, phone, low].map((window) => isPreviewOpen(place, window))).toEqual([true, false, false]);
    rememberPreview(place, true);
    expect(isPreviewOpen(place, phone)).toBe(true);
    rememberPreview(place, false);
    expect(isPreviewOpen(place, usual)).toBe(false);
  });

  it("stands beside the form where both have room", () => {
    expect(isSideBySide(PANEL_WIDTH.usual(1_280))).toBe(false);
    expect(isSideBySide(760)).toBe(true);
  });
});
