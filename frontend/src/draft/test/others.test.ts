import { describe, expect, test } from "vitest";

import { contentOf } from "../model/content";
import { isUnkept, QUIET_MS } from "../model/draft";
import { value, rows, page, Page, STATE, typing, set, WHOLE } from "./page";

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

  test("is not meant by what the server merged with someone else's change", () => {
    const found = typing().later(QUIET_MS).kept(7).on({ is: "news" });
    found.doing();
    const merged = { ...page(rows({ "0:plan": "think, and act", "0:tone": "kind" }), { seq: 8, version: 4 }), given: { "0:plan": "m" } };
    expect(found.on({ is: "fetched", page: { ...merged, typedAt: { "0:plan": 7 } } }).doing()).toEqual(["show"]);
    expect([found.model.shown.version, isUnkept(found.model)]).toEqual([4, false]);
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
