import { expect, it } from "vitest";
import { jsonFault } from "../io/json_fault";

it.each([
  ['{"a": [1, null]}', ""],
  ['{"variables": ', "Line 1, column 15: the text ends too early"],
  ["{\n  a: 1\n}", "Line 2, column 3: a key in double quotes is missing"],
  ["[1] 2", "Line 1, column 5: there is text after the end"],
])("says of %s where it is no JSON and why", (text, fault) => expect(jsonFault(text)).toBe(fault));
