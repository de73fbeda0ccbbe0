import { describe, expect, it } from "vitest";
import { anchorOf, commentIn, heldAt, messageIn, pageWith, scrollTo, takenOver } from "../model";

describe("a place of the address", () => {
  it("names a message, or something else", () => {
    expect(["#m0", "#m123456789", "#m1234567890", "#m", "#m1x", "#history", ""].map(messageIn)).toEqual(["0", "123456789", null, null, null, null, null]);
  });

  it("names a comment", () => {
    expect(["#c0", "#c123456789012345678", "#c", "#c1x", "#m1"].map(commentIn)).toEqual(["0", "123456789012345678", null, null, null]);
    const page = "https://ctx.example/conversations/one/?at=5";
    expect([heldAt(`${page}&words=late#c7`), heldAt(`${page}&q=late#c7`)]).toEqual([
      { message: true, words: true, end: false },
      { message: true, words: false, end: false },
    ]);
  });

  it("that is not on the page is on one that is asked for once", () => {
    const url = pageWith("7", "https://ctx.example/conversations/one/?start=50&q=a#m7");
    expect(url).toBe("https://ctx.example/conversations/one/?q=a&at=7#m7");
    expect(pageWith("7", url as string)).toBeNull();
    expect(pageWith("8", url as string)).toContain("at=8");
    expect(pageWith("7", "https://ctx.example/?near=7#m7")).toBeNull();
    expect(pageWith("8", "https://ctx.example/?near=7#m8")).toBe("https://ctx.example/?at=8#m8");
  });
});

describe("the page", () => {
  it("stays at the message of its address until the reader takes over", () => {
    const [nothing, page] = [{ message: false, words: false, end: false }, "https://ctx.example/conversations/one/"];
    expect([heldAt(`${page}#m1`), heldAt(`${page}#find`), heldAt(page)]).toEqual([{ ...nothing, message: true }, nothing, nothing]);
    expect([takenOver({ key: "a" }, false), takenOver({}, false)]).toEqual([nothing, nothing]);
  });

  it("stays after a change where the first message that is left stood", () => {
    const places = ["m3", "m4", "m6"].map((id, at) => ({ id, top: at * 100 }));
    expect(anchorOf(places, (id) => id !== "m3")).toEqual({ id: "m4", top: 100 });
    expect(anchorOf(places, () => false)).toBeUndefined();
    expect(heldAt("https://ctx.example/conversations/one/", true).message).toBe(true);
  });

  it("scrolls as little as shows what is out of sight", () => {
    expect([scrollTo(10, 90, 100), scrollTo(-30, 20, 100), scrollTo(60, 130, 100), scrollTo(60, 400, 100)]).toEqual([0, -30, 30, 60]);
  });

  it("stays at the words that are looked for in that message", () => {
    const page = "https://ctx.example/conversations/one/?q=late";
    expect([heldAt(`${page}#m1`), heldAt(page)].map((hold) => hold.words)).toEqual([true, false]);
  });

  it("goes down to its real end with End, unless one selects or types", () => {
    const end = { key: "End" };
    expect([takenOver(end, false), takenOver({ ...end, shiftKey: true }, false), takenOver({ ...end, altKey: true }, false), takenOver(end, true)].map((hold) => hold.end)).toEqual([true, false, false, false]);
  });
});
