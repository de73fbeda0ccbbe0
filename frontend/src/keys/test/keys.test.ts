import { describe, expect, it } from "vitest";
import { capsOf, grouped, type Line, nameOf, type Shortcut, step, tableOf, typesNothing } from "../model";

const pressed = { ctrlKey: false, metaKey: false, shiftKey: false };
const offer = (keys: string, usable = true): Shortcut => ({ keys, label: keys, usable, run: () => undefined });
const listed = (table: readonly Line[]): string[] => table.flatMap(({ ways }) => ways.map((way) => way.join(" ")));

function press(table: readonly Line[], ...keys: string[]): string[] {
  const done: string[] = [];
  let typed: readonly string[] = [];
  for (const key of keys) {
    const found = step(table, typed, key);
    typed = found.typed;
    if (found.line) done.push(found.line.label);
  }
  return done;
}

describe("the keys of a page", () => {
  it("names the space bar, which a list of keys could not show", () => {
    expect(nameOf({ ...pressed, key: " " })).toBe("Space");
  });

  it("names a key with what is held beside it", () => {
    expect(nameOf({ ...pressed, key: "z", ctrlKey: true })).toBe("Ctrl+Z");
    expect(nameOf({ ...pressed, key: "Z", metaKey: true, shiftKey: true })).toBe("Ctrl+Shift+Z");
    expect(nameOf({ ...pressed, key: "G", shiftKey: true })).toBe("G");
    expect(nameOf({ ...pressed, key: "ArrowUp", shiftKey: true })).toBe("Shift+ArrowUp");
  });

  it("does one thing for a sequence, and nothing for its first key", () => {
    const table = tableOf([offer("g"), offer("w"), offer("g w")], true);
    expect(press(table, "g", "w")).toEqual(["g w"]);
    expect(press(table, "w")).toEqual(["w"]);
    expect(listed(table)).toEqual(["w", "g w"]);
  });

  it("are listed by what they are about, those of all pages first", () => {
    const table = tableOf([{ ...offer("x"), group: "message" }, offer("e"), { ...offer("?"), group: "everywhere" }], true);
    const lines = grouped(table).map(([name, of]) => [name, ...of.map(({ label }) => label)]);
    expect(lines).toEqual([["everywhere", "?"], ["page", "e"], ["message", "x"]]);
  });

  it("swallows the key that ends no sequence", () => {
    expect(press(tableOf([offer("x"), offer("g w")], true), "g", "x", "x")).toEqual(["x"]);
  });

  it("gives keys that are wanted twice to the first that can be used, and lists no other", () => {
    expect(listed(tableOf([offer("/"), offer("/")], true))).toEqual(["/"]);
    const table = tableOf([offer("/", false), { ...offer("/"), label: "second" }], true);
    expect(table.map(({ label }) => label)).toEqual(["second"]);
    expect(press(table, "/")).toEqual(["second"]);
  });

  it("lists what cannot be used now, and does not do it", () => {
    const table = tableOf([offer("Ctrl+Z", false)], true);
    expect(table.map(({ usable }) => usable)).toEqual([false]);
    expect(press(table, "Ctrl+Z")).toEqual([]);
  });

  it("has several ways to press one thing", () => {
    const table = tableOf([offer("Delete | Backspace")], true);
    expect(press(table, "Delete", "Backspace")).toHaveLength(2);
  });

  it("loses its letters, and no others, when they are switched off", () => {
    const table = tableOf([offer("?"), offer("g w"), offer("Ctrl+Z"), offer("Delete"), offer("+ | Ctrl++")], false);
    expect(listed(table)).toEqual(["Ctrl+Z", "Delete", "Ctrl++"]);
    expect(press(table, "?", "g", "w")).toEqual([]);
  });

  it("draws a cap for each key", () => {
    expect(["Ctrl+Shift+Z", "+", "Ctrl++", "Delete", "/"].map(capsOf)).toEqual([["Ctrl", "Shift", "Z"], ["+"], ["Ctrl", "+"], ["Del"], ["/"]]);
  });
});

it("obeys function keys in fields, too, where letters are typed", () => {
  expect(["F8", "F10", "F", "f", "Enter"].map((key) => typesNothing({ ...pressed, key }))).toEqual([true, true, false, false, false]);
  expect(typesNothing({ ...pressed, key: "Enter", ctrlKey: true })).toBe(true);
});
