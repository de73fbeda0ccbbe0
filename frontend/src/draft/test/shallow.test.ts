import { describe, expect, it } from "vitest";

import { faultOf, formersOf, itemLike, jsonOf, leavesOf, pathsOf, shallowOf, withField, withItem, without, withValues, type Field } from "../model/shallow";

const OBJECT = '{\n  "order": "A-1042",\n  "amount": 59.0,\n  "big": 12345678901234567890,\n  "ok": true\n}';

describe("a short list or object", () => {
  it("knows a number that is none", () => {
    const number = (text: string): Field => ({ name: "n", kind: "number", text });
    const faults = (...texts: string[]) => texts.map((text) => faultOf(number(text)));
    expect(new Set(faults("0", "-1.5", "1e9", " 7 ", "18446744073709551615", "-9223372036854775808", "12345678901234567890123.5"))).toEqual(new Set([""]));
    expect(new Set(faults("", "abc", "01", "1,5", "NaN", "+1"))).toEqual(new Set(["notANumber"]));
    expect(new Set(faults("18446744073709551616", "-9223372036854775809", "12345678901234567890123", "1e999"))).toEqual(new Set(["tooLarge"]));
    expect(faultOf({ name: "t", kind: "text", text: "abc" })).toBe("");
    expect(["{", "[[1]]"].map((text) => faultOf({ name: "t", kind: "json", text }))).toEqual(["notJson", ""]);
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
    for (const text of ['{"a": [[1]]}', "[1, [], [2], []]", "[[]]", "7", '"x"', "", "[1,", '{"a": 1, "a": 2}', long, JSON.stringify(["x".repeat(2001)]), '["\\u0000"]']) {
      expect(shallowOf(text)).toBeNull();
    }
  });
});

describe("what is deeper", () => {
  it("is a field of JSON among plain ones", () => {
    const text = '{\n  "a": 1,\n  "items": [\n    [\n      "x"\n    ]\n  ],\n  "z": 2\n}';
    const fields = leavesOf(shallowOf(text)!);
    expect(fields.map(({ kind }) => kind)).toEqual(["number", "json", "number"]);
    expect(fields[1]!.text).toBe('[\n  [\n    "x"\n  ]\n]'); // as if it stood alone
    const another = fields.map((field, at) => (at === 1 ? { ...field, text: field.text.replace("x", "y") } : field));
    expect(withValues(text, another)).toBe(text.replace("x", "y"));
    expect(withValues(text, fields)).toBe(text);
    expect(withValues(text, fields.map((field, at) => (at === 1 ? { ...field, text: "[]" } : field)))).toBe('{\n  "a": 1,\n  "items": [],\n  "z": 2\n}');
    expect(shallowOf(without(text, [1]))?.fields.map(({ name }) => name)).toEqual(["a", "z"]);
  });
});

describe("a changed field", () => {
  it("changes nothing else of the text", () => {
    const fields = leavesOf(shallowOf(OBJECT)!);
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
    expect(without('{"a": 1.0, "b": 2}', [1])).toBe('{\n  "a": 1.0\n}');
    expect(without("[1]", [0])).toBe("[]");
    expect(withField("[]", [], { name: null, kind: "text", text: "x" })).toBe('[\n  "x"\n]');
    expect(shallowOf(withField(OBJECT, [], { name: 'a"b', kind: "boolean", text: "false" }))?.fields.at(-1)).toEqual({ name: 'a"b', kind: "boolean", text: "false" });
  });
});

const FLIGHTS = JSON.stringify([{ id: "HAT001", price: 1, ok: true }, { id: "HAT002", price: 2, ok: false, note: null }], null, 2).replace(": 1,", ": 12345678901234567890,").replace(": 2,", ": 59.0,");
const put = (text: string, which: number, value: string): string => withValues(text, leavesOf(shallowOf(text)!).map((leaf, at) => (at === which ? { ...leaf, text: value } : leaf)));

describe("objects in a list, lists and objects in an object", () => {
  it("are groups of fields, with paths to each", () => {
    const customer = '{"name": "Mia", "address": {"street": "Elm", "zip": "01"}, "tags": ["a"], "none": {}}';
    const found = shallowOf(customer)!;
    expect(found.fields.map(({ name, kind }) => [name, kind])).toEqual([["name", "text"], ["address", "group"], ["tags", "group"], ["none", "group"]]);
    expect(pathsOf(found)).toEqual([[0], [1, 0], [1, 1], [2, 0]]);
    expect(leavesOf(shallowOf(FLIGHTS)!).map(({ text }) => text)).toEqual(["HAT001", "12345678901234567890", "true", "HAT002", "59.0", "false", "null"]);
    expect(shallowOf("[{}]")?.fields).toEqual([{ name: null, kind: "group", isList: false, fields: [] }]);
  });

  it("keep every other letter when one field changes", () => {
    expect(withValues(FLIGHTS, leavesOf(shallowOf(FLIGHTS)!))).toBe(FLIGHTS);
    expect(put(FLIGHTS, 0, 'H"1')).toBe(FLIGHTS.replace("HAT001", 'H\\"1'));
    expect(put(FLIGHTS, 4, "60.50")).toBe(FLIGHTS.replace("59.0", "60.50"));
    const odd = '[{"a.b": "\\u00e9", "c \\"d\\"": "\u202ex", "": 1e5},\t{"\u0627": -0.0}]';
    expect(put(odd, 3, "7")).toBe(odd.replace("-0.0", "7"));
  });

  it("of other shapes stay a field of JSON, or make the whole no form", () => {
    const kinds = (text: string) => shallowOf(text)?.fields.map(({ kind }) => kind);
    expect(kinds('{"a": {"b": {"c": {}}, "d": 1}, "e": 2}')).toEqual(["group", "number"]); // with "b" as JSON
    expect(kinds('{"a": {"b": 1, "b": 2}, "e": 2}')).toEqual(["json", "number"]); // an ambiguous one
    expect(kinds('{"a": [[1], [2]], "e": 2}')).toEqual(["json", "number"]); // a table
    const many = (items: number, fields: number): string => JSON.stringify(Array.from({ length: items }, () => Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, at]))));
    expect(kinds(many(20, 3))).toHaveLength(20);
    for (const text of [many(200, 1), many(20, 4), many(1, 21), JSON.stringify([{ a: "x".repeat(2001) }])]) expect(shallowOf(text)).toBeNull();
  });

  it("lose or get a field where it is asked for, laid out as the server does", () => {
    expect(without(FLIGHTS, [1, 3])).toBe(FLIGHTS.replace(',\n    "note": null', ""));
    expect(without(FLIGHTS, [1])).toBe(FLIGHTS.replace(/,\n  \{\n    "id": "HAT002"[^]*/, "\n]"));
    expect(without('{"a": {"b": 1}}', [0, 0])).toBe('{"a": {}}');
    expect(withField('{\n  "a": {}\n}', [0], { name: "b", kind: "number", text: "0" })).toBe('{\n  "a": {\n    "b": 0\n  }\n}');
    const again = JSON.parse(withField(FLIGHTS, [0], { name: "note", kind: "text", text: "x" })) as unknown[];
    expect(again[0]).toMatchObject({ id: "HAT001", note: "x" });
  });

  it("get an item with the fields that all items have, in their order and kinds", () => {
    const item = itemLike(shallowOf(FLIGHTS)!)!;
    expect(item.map(({ name, kind, text }) => [name, kind, text])).toEqual([["id", "text", ""], ["price", "number", "0"], ["ok", "boolean", "false"]]);
    const made = withItem(FLIGHTS, [], item);
    expect(made).toBe(`${FLIGHTS.slice(0, -2)},\n  {\n    "id": "",\n    "price": 0,\n    "ok": false\n  }\n]`);
    expect(without(made, [2])).toBe(FLIGHTS);
    const like = (text: string) => itemLike(shallowOf(text)!)?.map(({ name, text: value }) => [name, value]);
    expect(like('[{"a": 1}, {"b": 2}]')).toEqual([["b", "0"]]);
    expect(like('[{"a": "x", "b": [[1]]}, {"a": null, "b": {}}]')).toEqual([["a", ""], ["b", "{}"]]);
    expect([like("[{}]"), like("[]"), like('[{"a": 1}, 2]'), like('{"a": {}}')]).toEqual([[], undefined, undefined, undefined]);
  });

  it("know what each field was before, a list by what its items have in common", () => {
    const formers = (now: string, before: string) => formersOf(shallowOf(now)!, shallowOf(before)!).map((each) => each && each.text);
    expect(formers('{"b": 1, "a": {"y": 2, "x": 3}}', '{"a": {"x": 4}, "b": 5}')).toEqual(["5", null, "4"]);
    expect(formers('[{"a": 1}, {"a": 2}]', '[{"a": 3}]')).toEqual(["3", null]);
    expect(formers('[{"a": 1}]', '[{"a": 1}, {"a": 2}]')).toEqual(["1"]);
    expect(formers('[{"a": 2}]', '[{"a": 1}, {"a": 2}]')).toEqual(["2"]);
    expect(formers('["x", 2, 4]', "[1, 2, 3, 4]")).toEqual(["1", "2", "4"]);
    expect(formers('[{"a": 2, "b": 9}, {"a": 3, "b": 1}]', '[{"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 3, "b": 1}]')).toEqual(["2", "1", "3", "1"]);
    expect(formers("[0, 1, 2]", "[1, 2]")).toEqual([null, "1", "2"]);
    expect(formers('{"a": {"x": 1}, "b": 2}', '{"a": 1, "b": {"x": 1}}')).toEqual([null, null]);
  });
});
