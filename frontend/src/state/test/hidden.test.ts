import { expect, test } from "vitest";

import { named, shown } from "../model/hidden";

test("a sign that turns the text around it is named", () => {
  expect(shown('"v\u202Eeulav"')).toBe('"v\\u202eeulav"');
  expect(shown("a\u200bb\ufeff\u0000")).toBe("a\\u200bb\\ufeff\\u0000");
});

test("what a reader can see stays as it is", () => {
  for (const text of ["plain\ttext", "日本語", "👩\u200d👧", "می\u200cخواهم"]) expect(shown(text)).toBe(text);
});

test("it is named outside of JSON as the pages of the server name it", () => {
  expect(named("safe \u202egnp.exe\u0000")).toBe("safe U+202Egnp.exeU+0000");
});
