import { describe, expect, it } from "vitest";
import { changersOf, type ChangeTexts, editorsOf, editsOf, filled, isBehind, notesOf, othersOf, type Person, placeOf } from "../model";

const texts: ChangeTexts = {
  another: "another",
  moved: "now {status}",
  approved: "{who} approved. ",
  rejected: "{who} rejected. ",
  changed: "{who} changed this",
  changedKeys: "{who} changed {keys} ({version})",
  changedYou: "you changed this",
  changedKeysYou: "you changed {keys} ({version})",
  changedSeen: "this has changed",
  kept: ", kept",
};
const ada = { kind: "person", id: "1", name: "Ada" };
const change = { seq: 4, status: "PAUSED", version: 3, keys: ["a", "b"], who: ada };
const seen = { shown: "e1", execution: "e1", me: "2", isApplying: false, hasEdits: false };
const notes = (frame: object, more: object = {}) => notesOf({ ...change, ...frame }, { ...seen, ...more }, texts, (status) => status.toLowerCase());

describe("a change while one edits", () => {
  it("is told with who made it, of which keys", () => {
    expect(notes({})).toEqual({ moved: "", changed: "Ada changed a, b (3)" });
    expect(notes({ keys: [] })).toEqual({ moved: "", changed: "Ada changed this" });
  });

  it("is followed by what becomes of edits where there are some", () => {
    expect(notes({}, { hasEdits: true }).changed).toBe("Ada changed a, b (3), kept");
    expect(notes({ who: null }, { hasEdits: true }).changed).toBe("this has changed, kept");
  });

  it("of another tab is told as one's own, and of this page not at all", () => {
    expect(notes({}, { me: "1" }).changed).toBe("you changed a, b (3)");
    expect(notes({}, { me: "1", isApplying: true })).toEqual({ moved: "" });
    expect(notes({}, { isApplying: true }).changed).toBe("Ada changed a, b (3)");
    expect(notes({ who: { ...ada, kind: "token" } }, { me: "1" }).changed).toBe("Ada changed a, b (3)");
  });

  it("that nobody is known for is told as one", () => {
    expect(notes({ who: null })).toEqual({ moved: "", changed: "this has changed" });
  });

  it("of nothing of the state leaves what was told of it", () => {
    expect(notes({ version: null })).toEqual({ moved: "" });
    expect(notes({ version: undefined })).toEqual({ moved: "" });
    expect(notes({ version: 0 }).changed).toBe("Ada changed a, b (0)");
  });

  it("that ends the pause, or begins another execution, is told before all else", () => {
    expect(notes({ status: "RUNNING" })).toEqual({ moved: "now running", changed: "" });
    expect(notes({ status: "RUNNING", what: "execution.approve" }).moved).toBe("Ada approved. now running");
    expect(notes({ status: "CANCELLED", what: "execution.reject" }).moved).toBe("Ada rejected. now cancelled");
    expect(notes({ status: "RUNNING", what: "execution.approve" }, { me: "1" }).moved).toBe("now running");
    expect(notes({ status: "RUNNING" }, { execution: "e2" })).toEqual({ moved: "another", changed: "" });
    expect(notes({ status: undefined }).moved).toBe("");
  });
});

describe("a page that is connected again", () => {
  it("fetches what it missed, and nothing if it missed nothing", () => {
    expect([isBehind({ seq: 4 }, 3, true), isBehind({ seq: 3 }, 3, false)]).toEqual([true, false]);
    // A list has no numbers: what was missed is not known.
    expect([isBehind(null, 0, true), isBehind(null, 0, false)]).toEqual([false, true]);
  });
});

describe("people", () => {
  const person = (socket: string, id: string, where = "", editing = false, keys: readonly string[] = []): Person => ({ socket, id, name: `Name ${id}`, where, editing, keys });

  it("are named once for one place, without this very page", () => {
    const people = [person("a", "1"), person("b", "2", "key:x", true), person("c", "2", "key:x", true), person("d", "2")];
    expect(othersOf(people, "a").map(({ socket }) => socket)).toEqual(["c", "d"]);
  });

  it("who edit a key elsewhere are named, another tab of one's own as such", () => {
    const others = [person("b", "2", "key:x", true), person("c", "1", "key:x", true), person("d", "3", "key:x"), person("e", "4", "key:y", true)];
    expect(editorsOf("x", others, "1", "Your other tab")).toEqual(["Name 2", "Your other tab"]);
    expect(editorsOf("z", others, "1", "")).toEqual([]);
  });

  it("who edited a key and went on to another are named at it", () => {
    const others = [person("b", "2", "key:y", true, ["x", "y"]), person("c", "1", "", false, ["x"]), person("d", "3", "", false, ["x"])];
    expect(["x", "y", "z"].map((key) => changersOf(key, others, "1"))).toEqual([["Name 2", "Name 3"], [], []]);
  });

  it("who edit are said in words, each once", () => {
    const others = [person("b", "2", "key:x", true), person("c", "1", "", true), person("d", "3", "key:x"), person("e", "2", "key:x", true)];
    expect(editsOf(others, "1", { you: "Your other tab", edits: "edits", whole: "the state" })).toEqual(["Name 2 edits x", "Your other tab edits the state"]);
  });

  it("are at a key, a node, an edge, or anywhere", () => {
    expect(placeOf("key:a:b")).toEqual({ kind: "key", name: "a:b" });
    expect(placeOf("")).toEqual({ kind: "", name: null });
  });
});

describe("a text", () => {
  it("keeps the places for which there is nothing", () => {
    expect(filled("{who} and {what}", { who: 0 })).toBe("0 and {what}");
  });
});
