import { describe, expect, it } from "vitest";
import { type Draft, filledIn, readDraft, sentAgain, useOf } from "../model";

const draft: Draft = { person: "1", waits: true, again: "", fields: [["name", "Ada"], ["tag", "b"], ["tag", "c"]] };
const page = { person: "1", path: "/form/", hasForm: true, opensForm: false };

describe("a form that was typed into before one had to sign in", () => {
  it("is filled in again where it is, once the question is answered", () => {
    expect(useOf(draft, "/form/", page)).toBe("fill");
    expect(useOf({ ...draft, waits: false }, "/form/", page)).toBe("nothing");
    expect(useOf(draft, "/form/", { ...page, hasForm: false })).toBe("nothing");
    expect(useOf(draft, "/form/", { ...page, hasForm: false, opensForm: true })).toBe("open");
  });

  it("is sent once more where that changes nothing, from its own page only", () => {
    const again = { ...draft, again: "step=review" };
    expect(useOf(again, "/form/", page)).toBe("send");
    expect(useOf(again, "/form/", { ...page, path: "/other/" })).toBe("nothing");
    expect(sentAgain({ ...again, again: "step=a=b" }, ["token", "t"]).slice(-2)).toEqual([["step", "a=b"], ["token", "t"]]);
  });

  it("is nobody else's", () => {
    expect(useOf(draft, "/form/", { ...page, person: "2" })).toBe("nothing");
    expect(useOf({ ...draft, again: "x=y" }, "/form/", { ...page, person: "" })).toBe("nothing");
  });

  it("is forgotten if it cannot be read", () => {
    expect(readDraft(JSON.stringify(draft))).toEqual(draft);
    expect([null, "", "{", "null", "[]", '{"person":"1"}'].map(readDraft)).toEqual([null, null, null, null, null, null]);
  });
});

describe("a field", () => {
  const field = { name: "tag", type: "text", value: "" };

  it("gets its value back, or its tick", () => {
    expect(filledIn({ ...field, name: "name" }, draft.fields)).toEqual({ value: "Ada" });
    expect(filledIn({ ...field, name: "absent" }, draft.fields)).toEqual({});
    expect(["a", "b", "c"].map((value) => filledIn({ ...field, type: "checkbox", value }, draft.fields)?.checked)).toEqual([false, true, true]);
  });

  it("that is hidden, secret, a file or without a name gets nothing", () => {
    for (const type of ["hidden", "password", "file", "submit", "button"]) expect(filledIn({ ...field, type }, draft.fields)).toBeNull();
    expect(filledIn({ ...field, name: "" }, draft.fields)).toBeNull();
  });
});
