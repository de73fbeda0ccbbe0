import { describe, expect, it } from "vitest";
import { has, isPhrase, placesOf, step, textsIn, told, wordsFor } from "../model";

const texts = { hits: "{place} of {count}", more: "{place} of more than {count}", none: "nothing" };

describe("words in a text", () => {
  it("are found without regard to capitals, and never overlap", () => {
    expect(placesOf("Order, order", "ORDER")).toEqual([[0, 5], [7, 12]]);
    expect(placesOf("aaaa", "aa")).toEqual([[0, 2], [2, 4]]);
    expect(placesOf("anything", "")).toEqual([]);
  });

  it("can be whole ones, which neither begin nor end within others", () => {
    expect(placesOf("The total goes to you", "to", true)).toEqual([[15, 17]]);
    expect(placesOf("reorder, order_id, ordered", "order", true)).toEqual([[9, 14]]);
    expect(placesOf("größer, groß", "groß", true)).toEqual([[8, 12]]);
    expect(placesOf("用Python写", "python", true)).toEqual([[1, 7]]);
    expect(placesOf("要求退款吗 10 %, 1 %", "退款", true)).toEqual([[2, 4]]);
    expect([has("10 %", "1 %", true), has("in 1 %", "1 %", true), has("total", "to", true), has("total", "to")]).toEqual([false, true, false, true]);
  });

  it("are marked where a letter grows when it is made small", () => {
    expect("İstanbul".toLowerCase().length).not.toBe("İstanbul".length);
    expect(placesOf("İstanbul", "bul")).toEqual([[5, 8]]);
    expect([has("İstanbul", "BUL"), has(null, "x")]).toEqual([true, false]);
  });

  it("are found whatever white space is between them", () => {
    const text = "second charger, second  charger, Second\r\n\u3000charger, secondcharger";
    const places = [[0, 14], [16, 31], [33, 49]];
    expect(["second charger", "second\ncharger", " second charger "].map((words) => placesOf(text, words))).toEqual([places, places, places]);
    expect([has("alpha\nbeta", "alpha beta"), has("alphabeta", "alpha beta")]).toEqual([true, false]);
  });

  it("are found without regard to accents and widths, with the accents marked", () => {
    expect(placesOf("a cafe\u0301, Caf\u00e9, ＣＡＦＥ", "cafe")).toEqual([[2, 7], [9, 13], [15, 19]]);
    expect(placesOf("cafe\u0301s cafe\u0301", "caf\u00e9", true)).toEqual([[7, 12]]);
    expect([placesOf("die Straße", "STRASSE"), placesOf("strasse", "Straße"), placesOf("ß", "s")]).toEqual([[[4, 10]], [[0, 7]], [[0, 1]]]);
    expect([has("\u1112\u1161\u11ab", "한"), has("\u304b\u3099", "が"), has("か", "が"), has("𝐞 x", "E")]).toEqual([true, true, false, true]);
  });
});

describe("what is looked for", () => {
  it("can be written for some of the texts", () => {
    expect([[], ["a b"], ["a", "b c"]].map(wordsFor)).toEqual(["", "a b", '"a" "b c"']);
    expect(textsIn(wordsFor(["a", "b c"]))).toEqual(["a", "b c"]);
  });

  it("is the words as they are typed, or texts in quotes", () => {
    expect(textsIn("fee difference")).toEqual(["fee difference"]);
    expect(textsIn('"second charger"')).toEqual(["second charger"]);
    expect(['"fee', '" " "fee"'].map(textsIn)).toEqual([['"fee'], ['" " "fee"']]);
    expect(textsIn('"fee" paid "late"')).toEqual(['"fee" paid "late"']);
    expect(textsIn('"fee paid"  "late"')).toEqual(["fee paid", "late"]);
    expect(textsIn("“退款” “延误”")).toEqual(["退款", "延误"]);
  });

  it("is a phrase only where quotes could help", () => {
    expect(["fee", "fee late", '"fee" "late"'].map(isPhrase)).toEqual([false, true, false]);
  });
});

describe("the hits", () => {
  it("are counted, with more of them that can be loaded", () => {
    expect(told({ place: 0, total: 3, hasMore: false }, texts)).toEqual({ text: "1 of 3", isEmpty: false, mayGoBack: false, mayGoOn: true });
    expect(told({ place: 2, total: 3, hasMore: false }, texts)).toMatchObject({ mayGoBack: true, mayGoOn: false });
    expect(told({ place: 2, total: 3, hasMore: true }, texts)).toMatchObject({ text: "3 of more than 3", mayGoOn: true });
    expect(told({ place: -1, total: 0, hasMore: false }, texts)).toMatchObject({ text: "nothing", isEmpty: true, mayGoOn: false });
    expect(told({ place: -1, total: 0, hasMore: true }, texts)).toMatchObject({ text: "", isEmpty: false });
  });

  it("are gone through to the ends", () => {
    expect([step(-1, { total: 2 }), step(0, { total: 2 }), step(2, { total: 2 })]).toEqual(["stay", "go", "load"]);
  });
});
