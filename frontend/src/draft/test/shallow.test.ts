import { describe, expect, it } from "vitest";

import { isWrong, jsonOf, shallowOf, withField, withoutField, withValues, type Field } from "../model/shallow";

const OBJECT = '{\n  "order": "A-1042",\n  "amount": 59.0,\n  "big": 12345678901234567890,\n  "ok": true\n}';

describe("a short list or object", () => {
  it("knows a number that is none", () => {
    const number = (text: string): Field => ({ name: "n", kind: "number", text });
    expect(["0", "-1.5", "1e9", " 7 "].some((text) => isWrong(number(text)))).toBe(false);
    expect(["", "abc", "01", "1,5", "NaN", "+1"].every((text) => isWrong(number(text)))).toBe(true);
    expect(isWrong({ name: "t", kind: "text", text: "abc" })).toBe(false);
  });

  it("has a field for each plain value, numbers as they were written", () => {
    expect(shallowOf(OBJECT)).toEqual({
      isList: false,
      fields: [
        { name: "order", kind: "text", text: "A-1042" },
        { name: "amount", kind: "number", text: "59.0" },
        { name: "big", kind: "number", text: "12345678901234567890" },
        { name: "ok", kind: "boolean", text: "true" },
      ],
    });
    expect(shallowOf('["a", null]')?.fields).toEqual([{ name: null, kind: "text", text: "a" }, { name: null, kind: "null", text: "null" }]);
    expect(shallowOf("{}")).toEqual({ isList: false, fields: [] });
  });

  it("is none if it is deep, long, damaged, ambiguous, or has what an input would not keep", () => {
    const long = JSON.stringify(Array.from({ length: 21 }, (_, at) => at));
    for (const text of ['{"a": [1]}', '[1, [], {}, []]', "[[]]", "7", '"x"', "", "[1,", '{"a": 1, "a": 2}', long, JSON.stringify(["x".repeat(2001)]), '["\\u0000"]']) {
      expect(shallowOf(text)).toBeNull();
    }
  });
});

describe("what is deeper", () => {
  it("is a field of JSON among plain ones", () => {
    const text = '{\n  "a": 1,\n  "items": [\n    "x"\n  ],\n  "z": 2\n}';
    const fields = shallowOf(text)!.fields;
    expect(fields.map(({ kind }) => kind)).toEqual(["number", "json", "number"]);
    expect(withValues(text, fields)).toBe(text);
    expect(withValues(text, fields.map((field, at) => (at === 1 ? { ...field, text: "[]" } : field)))).toBe('{\n  "a": 1,\n  "items": [],\n  "z": 2\n}');
    expect(shallowOf(withoutField(text, 1))?.fields.map(({ name }) => name)).toEqual(["a", "z"]);
  });
});

describe("a changed field", () => {
  it("changes nothing else of the text", () => {
    const fields = shallowOf(OBJECT)!.fields;
    const other = (place: number, text: string): Field[] => fields.map((field, at) => (at === place ? { ...field, text } : field));
    expect(withValues(OBJECT, fields)).toBe(OBJECT);
    expect(withValues(OBJECT, other(0, 'B "1"'))).toBe(OBJECT.replace('"A-1042"', '"B \\"1\\""'));
    expect(withValues("[1.0,  2]", [{ name: null, kind: "number", text: "1.0" }, { name: null, kind: "number", text: "3" }])).toBe("[1.0,  3]");
    const both = other(1, "7.").map((field, at) => (at === 3 ? { ...field, text: "false" } : field));
    expect(withValues(OBJECT, both)).toBe(OBJECT.replace("59.0", "7.").replace("true", "false"));
  });

  it("is written as it was typed, also a number that is none yet", () => {
    expect(jsonOf({ name: null, kind: "number", text: " 1. " })).toBe("1.");
    expect(jsonOf({ name: null, kind: "null", text: "" })).toBe("null");
  });

  it("is removed or added, and the others stay as they were written", () => {
    expect(withoutField('{"a": 1.0, "b": 2}', 1)).toBe('{\n  "a": 1.0\n}');
    expect(withoutField("[1]", 0)).toBe("[]");
    expect(withField("[]", { name: null, kind: "text", text: "x" })).toBe('[\n  "x"\n]');
    expect(shallowOf(withField(OBJECT, { name: 'a"b', kind: "boolean", text: "false" }))?.fields.at(-1)).toEqual({ name: 'a"b', kind: "boolean", text: "false" });
  });
});
