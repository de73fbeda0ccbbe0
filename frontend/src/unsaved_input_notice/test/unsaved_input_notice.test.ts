import { describe, expect, it } from "vitest";
import { fateOf, reasonOf, toldOf, type Typed } from "../model";

const typed: Typed = { id: "reason", value: "because", form: "/decide/ e1", isSent: false };

describe("what is typed", () => {
  it.each([
    ["stays where the page left it", { form: typed.form, value: "because" }, "stays"],
    ["stays as it was typed on while the page came", { form: typed.form, value: "because of" }, "stays"],
    ["comes back into the empty field of its form", { form: typed.form, value: "" }, "fill"],
    ["is taken out of the form of another execution", { form: "/decide/ e2", value: "because" }, "clear"],
    ["leaves the form of another execution alone", { form: "/decide/ e2", value: "" }, "lost"],
    ["is lost with its form", null, "lost"],
  ] as const)("%s", (_, field, fate) => expect(fateOf(typed, field)).toBe(fate));
});

describe("the note", () => {
  it("says why a form is gone", () => {
    const before = { execution: "e1", status: "PAUSED" };
    expect(reasonOf(before, { execution: "e2", status: "PAUSED" })).toBe("swapped");
    expect(reasonOf(before, { execution: "e1", status: "RUNNING" })).toBe("ended");
    expect(reasonOf(before, before)).toBe("vanished");
    expect(reasonOf({}, { execution: "e1" })).toBe("vanished"); // the page had none
  });

  it("tells of what is lost, and of a form that is being sent only if it stays", () => {
    const sent = { ...typed, isSent: true };
    expect(toldOf([typed, sent], "vanished")).toEqual({ now: [typed], later: [sent] });
    expect(toldOf([sent], "ended")).toEqual({ now: null, later: [sent] });
  });

  it("tells of another execution though nothing was typed", () => {
    expect(toldOf([], "swapped").now).toEqual([]);
    expect(toldOf([], "ended").now).toBeNull();
  });
});
