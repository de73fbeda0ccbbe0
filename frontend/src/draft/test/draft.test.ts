import { describe, expect, test } from "vitest";

import { contentOf, type Content, type Value } from "../model/content";
import { outcomeOf, readUnsent, type Unsent } from "../model/unsent";
import { begun, isUnkept, LARGE, LARGE_QUIET_MS, LONGEST_WAIT_MS, QUIET_MS, step, unsent, type Effect, type Event, type Model, type Shown } from "../model/draft";
import type { Answer, Operation, Patch } from "../model/protocol";

function value(text: string, gone = false): Value {
  return { kind: "text", text, gone };
}

function rows(texts: Readonly<Record<string, string>>): Content {
  return { values: new Map(Object.entries(texts).map(([place, text]) => [place, value(text)])), text: null };
}

function page(content: Content, more: Partial<Shown> = {}): Shown {
  return { execution: "exec_1", version: 3, seq: 0, given: {}, mark: "", content, ...more };
}

/** A page with a clock of its own; `doing` is what it was told to do since it was asked last. */
class Page {
  model: Model;
  now = 1000;
  readonly done: Effect[] = [];

  constructor(shown: Shown, raw = false) {
    this.model = begun(shown, raw, "abcdefabcd");
  }

  on(event: Event): this {
    const [model, effects] = step(this.model, event, this.now);
    this.model = model;
    this.done.push(...effects);
    return this;
  }

  type(content: Content, size = 10): this {
    return this.on({ is: "typed", content, size });
  }

  later(ms: number): this {
    this.now += ms;
    return this.on({ is: "tick" });
  }

  answer(answer: Answer): this {
    return this.on({ is: "answered", answer });
  }

  kept(seq: number, told = ""): this {
    return this.answer({ is: "kept", seq, count: 1, told });
  }

  doing(): string[] {
    return this.done.splice(0).map((each) => each.do).filter((each) => each !== "wake");
  }

  patch(): Patch {
    const found = this.done.splice(0).filter((each) => each.do === "send");
    expect(found).toHaveLength(1);
    return found[0]!.patch;
  }

  operations(): readonly Operation[] {
    return this.patch().operations;
  }
}

const STATE = rows({ "0:plan": "ask", "0:tone": "kind" });

function typing(text = "think"): Page {
  return new Page(page(STATE)).type(rows({ "0:plan": text, "0:tone": "kind" }));
}

function set(place: string, text: string, mine = 0): Operation {
  return { op: "set", place, kind: "text", text, gone: false, mine };
}

describe("typing", () => {
  test("is kept a moment after it pauses, and only what changed is said", () => {
    const found = typing();
    expect(found.later(QUIET_MS - 1).doing()).toEqual([]);
    expect(found.later(1).patch()).toEqual({
      execution: "exec_1",
      version: 3,
      seen_seq: 0,
      operations: [set("0:plan", "think")],
      given: {},
      leaves: false,
    });
    expect(found.model.line).toBe("");
    expect(found.kept(7).doing()).toEqual(["tell", "kept"]);
    expect([found.model.line, isUnkept(found.model)]).toEqual(["saved", false]);
  });

  test("starts the wait again, and a long text waits longer", () => {
    const found = typing();
    found.now += QUIET_MS - 1;
    found.type(rows({ "0:plan": "think twice", "0:tone": "kind" }));
    expect(found.later(1).doing()).toEqual([]);
    expect(found.later(QUIET_MS).doing()).toEqual(["send"]);
    const long = new Page(page(STATE)).type(rows({ "0:plan": "x", "0:tone": "kind" }), LARGE + 1);
    expect(long.later(QUIET_MS).doing()).toEqual([]);
    expect(long.later(LARGE_QUIET_MS - QUIET_MS).doing()).toEqual(["send"]);
  });

  test("while something is sent goes with the next patch, as of what was said", () => {
    const found = typing().later(QUIET_MS);
    found.done.length = 0;
    found.type(rows({ "0:plan": "think", "0:tone": "warm" })).later(QUIET_MS);
    expect(found.doing()).toEqual([]);
    expect(found.kept(7).doing()).toEqual(["tell"]);
    expect(found.later(QUIET_MS).operations()).toEqual([set("0:tone", "warm")]);
  });

  test("back to what the server has sends nothing", () => {
    expect(typing().type(STATE).later(QUIET_MS).doing()).toEqual(["kept"]);
  });

  test("over what was said before names when it was said", () => {
    const found = typing().later(QUIET_MS).kept(7);
    found.done.length = 0;
    found.type(rows({ "0:plan": "think twice", "0:tone": "kind" })).later(QUIET_MS);
    expect(found.operations()).toEqual([set("0:plan", "think twice", 7)]);
  });

  test("a new key that is emptied is taken out again", () => {
    const found = new Page(page(STATE)).type(rows({ "0:plan": "ask", "0:tone": "kind", "1:more": "x" }));
    found.later(QUIET_MS).kept(7).doing();
    expect(found.type(STATE).later(QUIET_MS).operations()).toEqual([{ op: "revert", place: "1:more", mine: 7 }]);
  });
});

describe("without a line", () => {
  test("it is sent again after ever longer pauses, and nothing is forgotten", () => {
    const found = typing().later(QUIET_MS);
    for (const wait of [2 * QUIET_MS, 4 * QUIET_MS, 8 * QUIET_MS, 16 * QUIET_MS, LONGEST_WAIT_MS, LONGEST_WAIT_MS]) {
      found.doing();
      found.answer({ is: "lost" });
      expect([found.model.line, isUnkept(found.model)]).toEqual(["waits", true]);
      expect(found.later(wait - 1).doing()).toEqual([]);
      expect(found.later(1).operations()).toEqual([set("0:plan", "think")]);
    }
    expect(found.kept(9).model.line).toBe("saved");
  });

  test("it is sent at once when the line is back", () => {
    const found = typing().later(QUIET_MS).answer({ is: "lost" });
    found.doing();
    expect(found.on({ is: "hurry" }).doing()).toEqual(["send"]);
  });

  test("a form is not sent into nothing", () => {
    const found = typing().on({ is: "press", then: "submit" });
    expect(found.doing()).toEqual(["send"]);
    expect(found.answer({ is: "lost" }).doing()).toEqual([]);
    expect(found.later(2 * QUIET_MS).kept(7).doing()).toEqual(["send", "tell", "kept"]); // who pressed looks again
  });
});

describe("the session", () => {
  test("who is signed out is told, and a form goes on to where one signs in", () => {
    const found = typing().later(QUIET_MS).answer({ is: "out" });
    expect(found.model.line).toBe("out");
    found.doing();
    expect(found.on({ is: "press", then: "submit" }).answer({ is: "out" }).doing()).toEqual(["send", "submit"]);
  });

  test("nothing is sent for somebody else who signed in", () => {
    const found = typing().on({ is: "press", then: "submit" }).answer({ is: "foreign" });
    expect(found.doing()).toEqual(["send"]);
    expect([found.model.line, isUnkept(found.model)]).toEqual(["foreign", true]);
  });

  test("who may not edit any more keeps what is typed, and it is kept when the right is back", () => {
    const found = typing().on({ is: "may", may: false }).later(QUIET_MS);
    expect(found.doing()).toEqual([]);
    expect(isUnkept(found.model)).toBe(true);
    expect(found.on({ is: "may", may: true }).operations()).toEqual([set("0:plan", "think")]);
  });

  test("a refusal is told in its words", () => {
    const found = typing().later(QUIET_MS).answer({ is: "refused", forbidden: false, detail: "Too large." });
    expect([found.model.line, found.model.words]).toEqual(["refused", "Too large."]);
    found.doing();
    expect(found.later(60_000).doing()).toEqual([]);
    found.type(rows({ "0:plan": "less", "0:tone": "kind" }));
    expect(found.later(QUIET_MS).doing()).toEqual(["send"]);
  });
});

describe("a press", () => {
  test("sends the form at once if all is kept", () => {
    expect(new Page(page(STATE)).on({ is: "press", then: "submit" }).doing()).toEqual(["submit"]);
  });

  test("waits until all is kept, also what was typed meanwhile", () => {
    const found = typing().later(QUIET_MS);
    found.doing();
    found.type(rows({ "0:plan": "think", "0:tone": "warm" })).on({ is: "press", then: "submit" });
    expect(found.doing()).toEqual([]);
    expect(found.kept(7).doing()).toEqual(["tell", "send"]);
    expect(found.kept(8).doing()).toEqual(["tell", "kept", "submit"]);
  });

  test("of what takes in others' changes hears that not all is kept", () => {
    const found = typing().on({ is: "press", then: "take" });
    expect(found.answer({ is: "lost" }).doing()).toEqual(["send", "unkept"]);
  });

  test("a page that is left sends what it has, and does not ask again", () => {
    const patch = typing().on({ is: "leave" }).patch();
    expect([patch.leaves, patch.operations]).toEqual([true, [set("0:plan", "think")]]);
    expect(new Page(page(STATE)).on({ is: "leave" }).doing()).toEqual([]);
  });
});

const WHOLE = '{"plan": "ask", "big": 9007199254740993}';

/** What a page leaves in its tab, for a page that comes in its place. */
function leftBy(found: Page): Unsent {
  const patch = unsent(found.model);
  expect(patch).not.toBeNull();
  return readUnsent(JSON.stringify({ person: "1", url: "/draft/", patch, refused: false }), "1")!;
}

describe("a page that is loaded again", () => {
  test("before the pause was over sends what was typed, and shows it", () => {
    const left = leftBy(typing());
    const found = new Page(page(STATE)).on({ is: "begin", left });
    const patch = found.patch();
    expect([patch.leaves, patch.operations]).toEqual([true, [set("0:plan", "think")]]);
    expect(isUnkept(found.model)).toBe(true);
    expect(found.kept(7).doing()).toEqual(["tell", "kept", "fetch"]);
    expect([found.model.line, found.model.count, unsent(found.model)]).toEqual(["saved", 1, null]);
    const both = page(rows({ "0:plan": "think", "0:tone": "kind" }), { seq: 7, given: { "0:plan": "m" } });
    expect(found.on({ is: "fetched", page: both }).doing()).toEqual(["show"]);
    expect(found.on({ is: "heard", seq: 7 }).doing()).toEqual([]);
  });

  test("after a sign-out elsewhere, which ends editing before anything was sent, still has what was typed", () => {
    const out = typing().on({ is: "may", may: false }).later(QUIET_MS).on({ is: "leave" });
    expect(out.doing()).toEqual([]);
    expect(leftBy(out).patch.operations).toEqual([set("0:plan", "think")]);
  });

  test("keeps it until the server has it, also when the line is lost then", () => {
    const left = leftBy(typing());
    const found = new Page(page(STATE)).on({ is: "begin", left }).answer({ is: "lost" });
    found.doing();
    expect(leftBy(found).patch.operations).toEqual([set("0:plan", "think")]);
    expect(found.later(2 * QUIET_MS).operations()).toEqual([set("0:plan", "think")]);
  });

  test("sends what is typed since behind it, and a form that is sent waits for both", () => {
    const found = new Page(page(STATE)).on({ is: "begin", left: leftBy(typing()) });
    found.doing();
    found.type(rows({ "0:plan": "ask", "0:tone": "warm" })).on({ is: "press", then: "submit" });
    expect(found.doing()).toEqual([]);
    expect(found.kept(7).operations()).toEqual([set("0:tone", "warm")]);
    expect(found.kept(8).doing()).toEqual(["tell", "kept", "submit"]);
  });

  test("of another execution has it kept for copying, and goes on with its own", () => {
    const left = leftBy(typing());
    const found = new Page(page(rows({ "0:plan": "new" }), { execution: "exec_2" })).on({ is: "begin", left });
    expect(found.patch().execution).toBe("exec_1");
    expect(found.kept(40, "It cannot be applied.").doing()).toEqual(["kept"]);
    expect([found.model.line, found.model.words, found.model.seq]).toEqual(["told", "It cannot be applied.", 0]);
  });

  test("says why it is refused, and what is typed then is sent all the same", () => {
    const found = new Page(page(STATE)).on({ is: "begin", left: leftBy(typing()) });
    found.answer({ is: "refused", forbidden: false, detail: "Too large." });
    expect([found.model.line, found.model.words, isUnkept(found.model)]).toEqual(["refused", "Too large.", false]);
    found.doing();
    expect(found.type(rows({ "0:plan": "ask", "0:tone": "warm" })).later(QUIET_MS).operations()).toEqual([set("0:tone", "warm")]);
  });

  test("with the whole state as a text is opened again with it, unless something is typed meanwhile", () => {
    const left = leftBy(typing());
    const opened = (): Page => new Page(page(contentOf(WHOLE)), true).on({ is: "begin", left });
    expect(opened().kept(7).doing()).toEqual(["send", "tell", "reload"]);
    const typed = opened().type(contentOf(WHOLE.replace("ask", "act")));
    expect(typed.kept(7).doing()).toEqual(["send", "tell", "send"]);
  });

  test("finds nothing of somebody else, nor what is no patch", () => {
    const { patch } = leftBy(typing());
    expect(readUnsent(JSON.stringify({ person: "2", url: "/draft/", patch }), "1")).toBeNull();
    for (const text of [null, "", "{", "null", '{"person":"1"}', '{"person":"1","url":"/d/","patch":{}}']) expect(readUnsent(text, "1")).toBeNull();
  });

  test.each([
    [200, "kept"],
    [404, "kept"],
    [0, "waits"],
    [403, "waits"],
    [429, "waits"],
    [503, "waits"],
    [409, "refused"],
    [422, "refused"],
  ])("that has no such form and is answered %i has it %s", (status, outcome) => expect(outcomeOf(status)).toBe(outcome));
});

const MET = { is: "overtaken", seq: 9, texts: [], detail: "Both are kept." } as const;

describe("another page of the person", () => {
  test("that was faster at the same key is put aside", () => {
    const found = typing().later(QUIET_MS);
    found.doing();
    found.answer({ ...MET, changed: ["0:plan"] });
    expect(found.operations()).toEqual([{ op: "aside", place: "0:plan" }, set("0:plan", "think")]);
    expect(found.kept(10).doing()).toEqual(["tell", "kept", "fetch"]);
    expect([found.model.line, found.model.words]).toEqual(["told", "Both are kept."]);
  });

  test("that changed a key which was only taken back here keeps it", () => {
    const shown = page(rows({ "0:plan": "ask", "1:more": "x" }), { seq: 5 });
    const found = new Page(shown).type(rows({ "0:plan": "think" })).later(QUIET_MS);
    found.doing();
    found.answer({ ...MET, changed: ["1:more"] });
    expect(found.operations()).toEqual([set("0:plan", "think")]);
    expect(found.kept(10).doing()).toContain("fetch");
  });

  test("that kept something is looked at, when nothing is unkept here", () => {
    const found = typing();
    expect(found.on({ is: "heard", seq: 0 }).doing()).toEqual([]);
    expect(found.on({ is: "heard", seq: 6 }).doing()).toEqual(["send"]);
    expect(found.kept(7).doing()).toEqual(["tell", "kept", "fetch"]);
  });

  test("is shown, unless something was typed since it was asked for", () => {
    const found = new Page(page(STATE)).on({ is: "news" });
    const theirs = page(rows({ "0:plan": "act", "0:tone": "kind" }), { seq: 6, version: 4, given: { "0:plan": "m" } });
    expect(found.doing()).toEqual(["fetch"]);
    found.type(rows({ "0:plan": "ask", "0:tone": "warm" }));
    expect(found.on({ is: "fetched", page: theirs }).operations()).toEqual([set("0:tone", "warm")]);
    expect(found.kept(7).doing()).toEqual(["tell", "kept", "fetch"]);
    const both = { ...theirs, seq: 7, content: rows({ "0:plan": "act", "0:tone": "warm" }) };
    expect(found.on({ is: "fetched", page: both }).doing()).toEqual(["show"]);
    expect([found.model.shown.version, found.model.seq, isUnkept(found.model)]).toEqual([4, 7, false]);
  });

  test("that replaced what was typed here has it put beside, once", () => {
    const found = typing().later(QUIET_MS).kept(7).on({ is: "news" });
    found.doing();
    const theirs = page(rows({ "0:plan": "typed there", "0:tone": "kind" }), { seq: 8, given: { "0:plan": "m" } });
    found.on({ is: "fetched", page: theirs });
    expect(found.operations()).toEqual([{ op: "beside", place: "0:plan", ...value("think"), mine: 0 }]);
    found.kept(9);
    expect(found.done.filter((each) => each.do === "note")).toEqual([{ do: "note", keys: ["plan"] }]);
    expect(found.doing()).toContain("fetch");
    expect(found.on({ is: "fetched", page: { ...theirs, seq: 9 } }).doing()).toEqual(["show"]);
    const longer = page(rows({ "0:plan": "typed there, longer", "0:tone": "kind" }), { seq: 10, given: { "0:plan": "n" } });
    found.on({ is: "heard", seq: 10 }).doing();
    expect(found.on({ is: "fetched", page: longer }).doing()).toEqual(["show"]);
  });

  test("of another execution changes nothing here", () => {
    const found = new Page(page(STATE)).on({ is: "news" });
    found.doing();
    expect(found.on({ is: "fetched", page: page(rows({}), { execution: "exec_2" }) }).doing()).toEqual([]);
    expect(found.model.now).toBe(STATE);
  });
});

describe("a whole state", () => {
  test("says only the keys that changed, as they stand in the text", () => {
    const found = new Page(page(contentOf(WHOLE)), true);
    found.type(contentOf('{"big":9007199254740993,"plan": "think", "new": [1, 2]}')).later(QUIET_MS);
    expect(found.operations().map((each) => ("text" in each ? [each.op, each.text] : []))).toEqual([
      ["set", '"think"'],
      ["set", "[1, 2]"],
    ]);
  });

  test("deletes the keys that are left out", () => {
    const found = new Page(page(contentOf(WHOLE)), true).type(contentOf('{"plan": "ask"}')).later(QUIET_MS);
    expect(found.operations()).toEqual([{ op: "set", place: "0:big", kind: "value", text: "", gone: true, mine: 0 }]);
  });

  test("that is no JSON is kept as a text, and what it says when it is JSON again", () => {
    const found = new Page(page(contentOf(WHOLE)), true).type(contentOf('{"plan": "thi')).later(QUIET_MS);
    const mark = "abcdefabcd000001";
    expect(found.operations()).toEqual([{ op: "text", mark, text: '{"plan": "thi', mine: 0 }]);
    expect(isUnkept(found.kept(7).model)).toBe(false);
    found.type(contentOf('{"plan": "thin')).later(QUIET_MS);
    found.done.splice(0, found.done.length - 1);
    expect(found.operations()).toEqual([{ op: "text", mark, text: '{"plan": "thin', mine: 7 }]);
    found.kept(8).type(contentOf(WHOLE.replace("ask", "think")));
    found.doing();
    const said = found.later(QUIET_MS).operations();
    expect(said.map((each) => each.op)).toEqual(["drop", "set"]);
    found.kept(9).type(contentOf("{")).later(QUIET_MS);
    found.done.splice(0, found.done.length - 1);
    expect(found.operations()).toMatchObject([{ op: "text", mark: "abcdefabcd000002" }]);
  });

  test("that was opened as no JSON is read by the server", () => {
    const found = new Page(page(contentOf('{"plan": '), { mark: "0123456789abcdef" }), true);
    found.type(contentOf('{"plan": "think"}')).later(QUIET_MS);
    expect(found.operations()).toEqual([{ op: "text", mark: "0123456789abcdef", text: '{"plan": "think"}', mine: 0 }]);
    found.kept(7);
    expect([isUnkept(found.model), found.model.mark]).toEqual([false, ""]);
  });

  test("is not replaced by another page, but its panel is, and what it said is put beside", () => {
    const found = new Page(page(contentOf(WHOLE)), true).type(contentOf(WHOLE.replace("ask", "think"))).later(QUIET_MS).kept(7);
    found.on({ is: "news" }).doing();
    const theirs = page(contentOf(WHOLE.replace("ask", "there")), { seq: 8, given: { "0:plan": "m" } });
    expect(found.on({ is: "fetched", page: theirs }).operations()).toMatchObject([{ op: "beside", text: '"think"' }]);
    found.kept(9).doing();
    expect(found.on({ is: "fetched", page: theirs }).doing()).toEqual(["panel"]);
    expect(found.model.shown.seq).toBe(0); // it has not seen what it does not show
  });

  test("that took in others' changes says nothing of them", () => {
    const found = new Page(page(contentOf(WHOLE)), true);
    const taken = page(contentOf('{"plan": "ask", "big": 1, "more": 2}'), { seq: 5, version: 4 });
    found.on({ is: "taken", page: taken }).type(taken.content).later(QUIET_MS);
    expect(found.doing()).not.toContain("send");
    expect(found.model.shown.version).toBe(4);
  });

  test.each(["[1]", '{"a": 1, "a": 2}', "{", ""])("%s is no state", (text) => {
    expect(contentOf(text)).toEqual({ values: null, text });
  });
});
