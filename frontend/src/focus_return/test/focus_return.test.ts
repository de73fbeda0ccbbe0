import { expect, test } from "vitest";
import { controlFor, readPlace } from "../model";

const PLACE = { path: "/reviews/", action: "/conversations/a/claim/", number: 0, name: "do", value: "claim", peers: 1, byKeys: true, reports: false, at: 1000 };

test("the place of the page before is read once it is whole", () => {
  expect(readPlace(JSON.stringify(PLACE), 2000)).toEqual(PLACE);
  expect(readPlace(null, 2000)).toBeNull();
  expect(readPlace("null", 2000)).toBeNull();
  expect(readPlace(JSON.stringify({ ...PLACE, number: "0" }), 2000)).toBeNull();
});

test("a place of long ago is not of the last form", () => {
  expect(readPlace(JSON.stringify(PLACE), 60_000)).toBeNull();
});

test("the same control has the focus again", () => {
  const controls = [
    { name: "do", value: "release" },
    { name: "do", value: "claim" },
  ];
  expect(controlFor(PLACE, controls)).toBe(1);
});

test("what took the place of the only button has its focus", () => {
  expect(controlFor(PLACE, [{ name: "q", value: "" }, { name: "do", value: "release" }])).toBe(1);
});

test("one of several buttons is not taken for another", () => {
  expect(controlFor({ ...PLACE, peers: 3 }, [{ name: "do", value: "pause" }])).toBe(-1);
  expect(controlFor(PLACE, [{ name: "do", value: "pause" }, { name: "do", value: "resume" }])).toBe(-1);
});
