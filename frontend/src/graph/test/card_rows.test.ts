import { expect, test } from "vitest";
import { rowsOf, type CardTexts } from "../model/card_rows";

const said = (letter: number, more: Partial<CardTexts> = {}): CardTexts => ({
  seen: 300,
  tokens: 80,
  cost: 180,
  nameRows: 1,
  letters: { name: Math.max(15, letter * 1.07), other: letter },
  room: { width: 190, height: 78 },
  ...more,
});

test("a card gives its line of what it sees one row where its figures take two", () => {
  expect(rowsOf(said(14))).toEqual({ seen: 1, hasTokens: true, cost: 1 });
  expect(rowsOf(said(14, { tokens: 0 }))).toEqual({ seen: 2, hasTokens: true, cost: 1 });
});

test("a cost that takes two rows of large letters leaves no room for tokens", () => {
  expect(rowsOf(said(16.1, { cost: 230 }))).toEqual({ seen: 1, hasTokens: false, cost: 2 });
});

test("what has no room at all is cut in its row", () => {
  expect(rowsOf(said(16.1, { cost: 230, nameRows: 3 }))).toEqual({ seen: 1, hasTokens: false, cost: 1 });
});

test("figures that share a row leave two for the filter", () => {
  expect(rowsOf(said(13, { tokens: 60, cost: 110 }))).toEqual({ seen: 2, hasTokens: true, cost: 1 });
});
