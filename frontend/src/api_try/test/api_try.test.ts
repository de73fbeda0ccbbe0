import { describe, expect, it } from "vitest";
import { callOf, readable, shownHeaders } from "../model";

const given = (place: string, name: string, value: string) => ({ place, name, value });

describe("a call", () => {
  it("has its fields in path, query and headers, and none that is empty", () => {
    const fields = [given("path", "id", "a/b $& c"), given("query", "limit", "5"), given("query", "after", ""), given("header", "If-Match", '"1"')];
    expect(callOf("/conversations/{id}/messages", fields, "csrf", null)).toEqual({
      url: "/conversations/a%2Fb%20%24%26%20c/messages?limit=5",
      headers: { Accept: "*/*", "If-Match": '"1"', "X-CSRFToken": "csrf" },
      credentials: "same-origin",
    });
  });

  it("with a token is that of the engine alone", () => {
    const { headers, credentials } = callOf("/x", [given("token", "", "secret")], "csrf", { media: "application/json", text: "{}" });
    expect(headers).toEqual({ Accept: "*/*", Authorization: "Bearer secret", "Content-Type": "application/json" });
    expect(credentials).toBe("omit");
  });
});

describe("an answer", () => {
  it("is shown with indents as long as no number would be rounded", () => {
    expect(readable('{"a":1}', "application/problem+json")).toBe('{\n  "a": 1\n}');
    expect(readable('{"a":1234567890123456}', "application/json")).toBe('{"a":1234567890123456}');
    expect([readable("", "application/json"), readable("name: x", "text/yaml")]).toEqual(["", "name: x"]);
  });

  it("is shown with the headers that say something of it", () => {
    const headers = new Map([["etag", '"1"'], ["content-type", "text/plain"], ["server", "x"]]);
    expect(shownHeaders((name) => headers.get(name) ?? null)).toBe('content-type: text/plain\netag: "1"');
  });
});
