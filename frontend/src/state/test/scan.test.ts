import { describe, expect, test } from "vitest";

import { CLOSED, OPEN, rowsOf, rowsWith, turned } from "../model/rows";
import { Kind, NotJson, nameOf, placeOf, pointerOf, scan, textOf, type Scanned } from "../model/scan";
import wrong from "./wrong_json.json";

/** The value again, built from the places alone. */
function built(scanned: Scanned, place = 0): unknown {
  const inside: number[] = [];
  for (let each = place + 1; each < scanned.next[place]!; each = scanned.next[each]!) inside.push(each);
  if (scanned.kind[place] === Kind.Object) {
    return Object.fromEntries(inside.map((each) => [nameOf(scanned, each), built(scanned, each)]));
  }
  if (scanned.kind[place] === Kind.Array) return inside.map((each) => built(scanned, each));
  return JSON.parse(textOf(scanned, place));
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function made(chance: () => number, depth: number): unknown {
  const which = Math.floor(chance() * (depth > 0 ? 8 : 6));
  const leaves = [null, true, -12.5e-3, 'a "quoted" \\ line\n\u0007', "", "键/~名😀"];
  if (which < 6) return leaves[which];
  const items = Array.from({ length: Math.floor(chance() * 4) }, () => made(chance, depth - 1));
  return which === 6 ? items : Object.fromEntries(items.map((item, at) => [`k/${at}~"`, item]));
}

describe("scan", () => {
  test.each(Array.from({ length: 200 }, (_, seed) => seed))("gives the same value as JSON.parse, seed %i", (seed) => {
    const value = made(random(seed), 5);
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), ` \n${JSON.stringify(value)}\t`]) {
      expect(built(scan(text))).toEqual(value);
    }
  });

  // The server says the same of these; tests/unit/checkpoints/test_wrong_json.py.
  test.each([
    ...(wrong as [text: string, reason: string, at: number][]),
    ["[".repeat(3000), "deep", 2000] as const,
  ])("says what is wrong with %j", (text, reason, at) => {
    let found: unknown;
    try {
      scan(text);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(NotJson);
    expect(found).toMatchObject({ reason, at });
  });

  test("keeps numbers that JavaScript would round", () => {
    const scanned = scan('{"n": 9007199254740993}');
    expect(textOf(scanned, 1)).toBe("9007199254740993");
  });

  test("tells pointers with their escapes", () => {
    const scanned = scan('{"a/b": [{"~": 1}]}');
    expect(pointerOf(scanned, 3)).toBe("/a~1b/0/~0");
  });
});

describe("rows", () => {
  const scanned = scan('{"a": {"b": [1, 2]}, "c": "needle", "d": {}}');
  const names = (rows: Int32Array): string[] => [...rows].map((place) => pointerOf(scanned, place));

  test("hide what is in a folded value", () => {
    expect(names(rowsOf(scanned, CLOSED))).toEqual(["/a", "/c", "/d"]);
    expect(names(rowsOf(scanned, turned(CLOSED, "/a")))).toEqual(["/a", "/a/b", "/c", "/d"]);
    expect(names(rowsOf(scanned, OPEN))).toEqual(["/a", "/a/b", "/a/b/0", "/a/b/1", "/c", "/d"]);
    expect(names(rowsOf(scanned, turned(OPEN, "/a/b")))).toEqual(["/a", "/a/b", "/c", "/d"]);
  });

  test("turned twice are as they were", () => {
    expect(names(rowsOf(scanned, turned(turned(CLOSED, "/a"), "/a")))).toEqual(names(rowsOf(scanned, CLOSED)));
  });

  test("with a word come with everything that they are in", () => {
    expect(names(rowsWith(scanned, "NEEDLE"))).toEqual(["/c"]);
    expect(names(rowsWith(scanned, "2"))).toEqual(["/a", "/a/b", "/a/b/1"]);
    expect(names(rowsWith(scanned, "nowhere"))).toEqual([]);
  });
});

test("a key of the whole is found, one inside a value or of a list is none", () => {
  const found = scan('{"a": {"large": 1}, "la\\u0072ge": [1, 2], "z": 0}');
  const place = placeOf(found, "large")!;
  expect(found.text.slice(found.start[place], found.end[place])).toBe("[1, 2]");
  expect(placeOf(found, "none")).toBeUndefined();
  expect(placeOf(scan('["a"]'), "0")).toBeUndefined();
});
