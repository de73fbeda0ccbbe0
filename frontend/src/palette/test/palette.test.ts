import { describe, expect, it } from "vitest";
import { completed, completions, groupsOf, isNothing, isOfSame, itemsOf, keptActive, moved, needsNames, NOTHING, placesFor, signInFirst, tabbed, type Item } from "../model";

const item = (label: string): Item => ({ label, url: `/${label}/`, icon: "x" });
const places = ["Overview", "New workflow", "Workflows", "Import conversations", "会话", "Über uns"].map(item);
const labels = (items: readonly Item[]): readonly string[] => items.map(({ label }) => label);

describe("places", () => {
  it("fit by the beginnings of their words", () => {
    expect(labels(placesFor(places, "work"))).toEqual(["New workflow", "Workflows"]);
    expect(labels(placesFor(places, "imp conv"))).toEqual(["Import conversations"]);
    expect(placesFor(places, "flow")).toEqual([]);
  });

  it("fit without regard to case and accents, and Chinese ones anywhere", () => {
    expect(labels(placesFor(places, "UBER"))).toEqual(["Über uns"]);
    expect(labels(placesFor(places, "话"))).toEqual(["会话"]);
  });

  it("fit by their names in other languages", () => {
    const audit = { ...item("审计"), names: "Audit" };
    expect(placesFor([audit, ...places], "aud")).toEqual([audit]);
  });

  it("are all there before anything is typed", () => {
    expect(placesFor(places, " ")).toHaveLength(places.length);
  });
});

describe("hits", () => {
  const hit = (label: string, url: string, place = "#1"): Item => ({ label, url, icon: "x", place });

  it("of the conversation before them are not named again", () => {
    const first = hit("A saddle", "/conversations/c1/?at=8#m8");
    expect(isOfSame(hit("A saddle", "/executions/c1/keys/draft/", "draft"), first)).toBe(true);
    expect(isOfSame(hit("A saddle", "/conversations/c2/?at=8#m8"), first)).toBe(false);
    expect(isOfSame(first, undefined)).toBe(false);
    expect(isOfSame(first, hit("A saddle", "/conversations/c1/", ""))).toBe(false);
  });
});

describe("without a session", () => {
  it("to sign in comes first, and there is no page of results", () => {
    const groups = signInFirst(groupsOf(places, "work", NOTHING, item("all")), item("Sign in"));
    expect(labels(itemsOf(groups))).toEqual(["Sign in", "New workflow", "Workflows"]);
  });
});

describe("nothing", () => {
  it("is found where only the page of results is left", () => {
    const all = item("all");
    expect(isNothing(groupsOf(places, "zebra", NOTHING, all))).toBe(true);
    expect(isNothing(groupsOf(places, "work", NOTHING, all))).toBe(false);
    expect(isNothing(groupsOf([], "zebra", { ...NOTHING, texts: [item("message")] }, all))).toBe(false);
  });
});

describe("groups", () => {
  const all = item("all");

  it("stand in their order, without empty ones", () => {
    const hits = { ...NOTHING, texts: [item("message")], workflows: [item("support")] };
    const groups = groupsOf(places, "work", hits, all);
    expect(groups.map(({ name }) => name)).toEqual(["places", "workflows", "texts", "all"]);
    expect(labels(itemsOf(groups)).at(-1)).toBe("all");
  });

  it("lead to all results only once something is typed", () => {
    expect(groupsOf(places, "", NOTHING, all).map(({ name }) => name)).toEqual(["places"]);
    expect(groupsOf(places, "zzz", NOTHING, all).map(({ name }) => name)).toEqual(["all"]);
  });
});

describe("the active item", () => {
  it("goes round at both ends", () => {
    expect([moved(0, -1, 3), moved(2, 1, 3), moved(0, 1, 3), moved(0, 1, 0)]).toEqual([2, 0, 1, -1]);
  });

  it("stays the chosen one while hits arrive, and else is the first", () => {
    const [first, second] = [item("a"), item("b")];
    expect(keptActive(second, [item("new"), first, second])).toBe(2);
    expect(keptActive(second, [first])).toBe(0);
    expect(keptActive(null, [first])).toBe(0);
    expect(keptActive(first, [])).toBe(-1);
  });
});

describe("filters", () => {
  it("are completed by name, then by value", () => {
    expect(tabbed("late ro", [])).toBe("late role:");
    expect(tabbed("late role:u", [])).toBe("late role:user ");
    expect(tabbed("status:", [])).toBe("status:paused ");
  });

  it("leave Tab alone where there is nothing to complete", () => {
    expect([tabbed("", []), tabbed("late ", []), tabbed("refund", []), tabbed("tool:re", []), tabbed("role:user", [])]).toEqual([null, null, null, null, null]);
  });

  it("are offered by what is typed of them", () => {
    expect(completions("late s", [])).toEqual(["status:", "since:"]);
    expect(completions("", [])).toContain("tool:");
    expect(completions("role:", [])).toEqual(["role:user", "role:assistant", "role:tool", "role:system"]);
    expect(completions("http://x", [])).toEqual([]);
  });

  it("complete the names that the server offers, whatever their case", () => {
    const offered = ["tool:get_user_details", "tool:getOrder"];
    expect(completions("late tool:GET", offered)).toEqual(offered);
    expect(tabbed("late tool:geto", offered)).toBe("late tool:getOrder ");
    expect(tabbed("tool:getOrder", offered)).toBeNull();
    expect(completions("workflow:", offered)).toEqual([]);
    expect(["tool:x", "a workflow:", "status:", "tool: x"].map(needsNames)).toEqual([true, true, false, false]);
  });

  it("take the place of the last word only", () => {
    expect(completed("a b st", "status:")).toBe("a b status:");
    expect(completed("", "since:7d")).toBe("since:7d ");
  });
});
