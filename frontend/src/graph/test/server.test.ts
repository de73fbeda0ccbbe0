import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wordsOf } from "../io/error_text";
import { serverOf } from "../io/server";
import type { Urls } from "../io/setup";

const PAGE = "<!DOCTYPE html><html><body>Please sign in to the network</body></html>";
const asked = { draft_version: 1, changes: {} };

describe("an answer that is not the server's", () => {
  const server = serverOf({ editor: "/editor/", draft: "/draft", publish: "/publish" } as Urls);
  const { signal } = new AbortController();
  let body = PAGE;
  beforeEach(() => {
    vi.stubGlobal("document", { cookie: "csrftoken=x" });
    vi.stubGlobal("fetch", async () => new Response(body, { status: 200, headers: { "Content-Type": "text/html" } }));
  });
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    ["saves", () => server.saveDraft({}, 1)],
    ["reads", () => server.read("node", "a", asked, [], signal)],
    ["shows", () => server.panel("node", "a", asked, null, signal)],
    ["previews", () => server.preview(asked, { node: "a", path: false }, signal)],
    ["publishes", () => server.publish([], signal)],
    ["loads", () => server.part("/part", signal)],
  ])("is said in words, and asked again, where it %s", async (_, ask) => {
    body = PAGE;
    const error = await ask().catch((each: unknown) => each);
    expect(error).toMatchObject({ kind: "offline" });
    expect(wordsOf(error)).toBe("The server does not respond.");
  });

  it("is not a part of a page", async () => {
    body = "<form>\n</form>";
    expect(await server.panel("node", "a", asked, null, signal)).toBe(body);
  });
});
