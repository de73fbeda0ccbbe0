import { describe, expect, it } from "vitest";

import { changesCard, doneBy, forgotten, goneBy, openedOf, readLook, readSelection, type Look, type Pressed, writeSelection } from "../model";

const look = (seen: string, at = 1): Look => ({ seen, proof: "p", at });

describe("what was opened of a review", () => {
  it("is unopened, opened, or changed since", () => {
    expect(openedOf(null, "a.1")).toBe("unopened");
    expect(openedOf(look("a.1"), "a.1")).toBe("opened");
    expect(openedOf(look("a.1"), "a.2")).toBe("changed");
  });

  it("is changed by what others do, but not by claims and comments", () => {
    for (const what of ["snapshot.update", "messages.append", "execution.approve"]) expect(changesCard(what)).toBe(true);
    for (const what of ["review.claim", "comment.write", "label.set"]) expect(changesCard(what)).toBe(false);
  });

  it("is read only as it was written", () => {
    expect(readLook(JSON.stringify(look("a.1")))).toEqual(look("a.1"));
    for (const text of [null, "", "{", "null", "3", '{"seen": "a"}', '{"seen": 1, "proof": "p", "at": 1}']) expect(readLook(text)).toBeNull();
  });

  it("is forgotten from the oldest on, and what cannot be read first", () => {
    const looks = new Map([["old", look("a", 1)], ["new", look("a", 3)], ["broken", null], ["mid", look("a", 2)]]);
    expect(forgotten(looks, 2)).toEqual(["old", "broken"]);
    expect(forgotten(looks)).toEqual([]);
  });
});

describe("a key in the reason", () => {
  const pressed = (more: Partial<Pressed>): Pressed => ({ key: "Enter", shiftKey: false, ctrlKey: false, metaKey: false, isComposing: false, ...more });

  it("rejects by Enter once a rejection asked for it, and by Ctrl+Enter always", () => {
    expect(doneBy(pressed({}), true)).toBe("reject");
    expect(doneBy(pressed({}), false)).toBe("nothing");
    expect(doneBy(pressed({ ctrlKey: true }), false)).toBe("reject");
  });

  it("ends a line by Shift+Enter, and chooses a word where one is composed", () => {
    expect(doneBy(pressed({ shiftKey: true }), true)).toBe("nothing");
    expect(doneBy(pressed({ isComposing: true }), true)).toBe("nothing");
  });

  it("leaves by Escape what a rejection opened", () => {
    expect(doneBy(pressed({ key: "Escape" }), true)).toBe("leave");
    expect(doneBy(pressed({ key: "Escape" }), false)).toBe("nothing");
  });
});

describe("what is selected in the queue", () => {
  const SELECTION = { ids: ["a"], reason: "as agreed", scroll: 300 };
  const text = writeSelection(SELECTION, "/reviews/", 1000);

  it("is found again on the page that a claim opens", () => {
    expect(readSelection(text, "/reviews/", 2000)).toEqual(SELECTION);
  });

  it("is not that of another page, or of long ago", () => {
    expect(readSelection(text, "/executions/a/", 2000)).toBeNull();
    expect(readSelection(text, "/reviews/", 60_000)).toBeNull();
    for (const other of [null, "", "null", "3", "{}", '{"path": "/reviews/", "at": 1000, "ids": 1}']) expect(readSelection(other, "/reviews/", 2000)).toBeNull();
  });

  it("is named by what became of it", () => {
    expect(goneBy({ what: "execution.approve", who: "rita" })).toBe("approvedBy");
    expect(goneBy({ what: "execution.reject", who: "rita" })).toBe("rejectedBy");
    expect(goneBy({ what: "execution.cancel", who: "rita" })).toBe("gone");
    expect(goneBy(undefined)).toBe("gone");
  });
});
