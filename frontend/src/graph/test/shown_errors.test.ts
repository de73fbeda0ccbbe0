import { expect, it } from "vitest";
import { shownErrors } from "../model/shown_errors";

const errors = [{ field: "most" }, { field: "target" }, { field: "" }, { field: "name" }];
const values: { readonly [name: string]: string } = { most: "", target: "", name: "9" };
const shown = (...touched: string[]): string[] => shownErrors(errors, (name) => values[name], new Set(touched)).map(({ field }) => field);

it("says nothing at an empty field that nobody has come to yet", () => {
  expect(shown()).toEqual(["", "name"]);
});

it("says it at a field that was left empty, and still not at the next one", () => {
  expect(shown("most")).toEqual(["most", "", "name"]);
});
