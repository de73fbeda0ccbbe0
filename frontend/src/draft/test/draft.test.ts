import { describe, expect, test } from "vitest";

import { contentOf } from "../model/content";
import { outcomeOf, readUnsent, type Unsent } from "../model/unsent";
import { isUnkept, LARGE, LARGE_QUIET_MS, LONGEST_WAIT_MS, QUIET_MS, unsent } from "../model/draft";
import { rows, page, Page, STATE, typing, set, WHOLE } from "./page";

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

  test("who presses a button is told that nothing was sent, until all is kept", () => {
    const found = typing().later(QUIET_MS);
    found.on({ is: "press", then: "submit" }).answer({ is: "lost" });
    expect(found.model.line).toBe("unsent");
    found.later(LONGEST_WAIT_MS).answer({ is: "lost" });
    expect(found.model.line).toBe("unsent");
    found.later(LONGEST_WAIT_MS);
    expect(found.kept(9).model.line).toBe("saved");
    expect(found.doing()).not.toContain("submit");
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
