import { beforeEach, describe, expect, it } from "vitest";
import { type Answer, isForLater, keyOf, type Sender, Sending, writes } from "../model";

const words = { away: "away", unknown: "unknown", failed: "failed" };
const page: Answer = { ok: true, status: 200, redirected: false, said: {} };

/** A server that answers as it is told, and writes what is posted unless it is away. */
class Fake implements Sender<Answer> {
  answer: Answer = page;
  isAway = false;
  losesAnswers = false;
  isGone = false;
  canShow = false;
  posts = 0;
  key = "first";
  opened: string[] = [];

  async reach(): Promise<void> {
    if (this.isAway) throw new Error("away");
  }

  isLeft(): boolean {
    return this.isGone;
  }

  async post(): Promise<Answer> {
    this.posts += 1;
    if (this.losesAnswers) throw new Error("lost");
    return this.answer;
  }

  take(key: string): void {
    this.key = key;
  }

  open(to: string): void {
    this.opened.push(to);
  }

  async showRefusal(): Promise<boolean> {
    return this.canShow;
  }
}

describe("a form that is sent", () => {
  let server: Fake;
  let sending: Sending;
  beforeEach(() => {
    server = new Fake();
    sending = new Sending();
  });

  it("opens the page that the server names", async () => {
    server.answer = { ...page, said: { to: "/there" } };
    expect(await sending.end(server, true, words)).toEqual({ kind: "leaves" });
    expect([server.opened, sending.isUnknown]).toEqual([["/there"], false]);
  });

  it("is not sent without a connection, and says so", async () => {
    server.isAway = true;
    expect(await sending.end(server, true, words)).toEqual({ kind: "stays", words: "away" });
    expect(server.posts).toBe(0);
  });

  it.each([true, false])("asks nothing and says nothing once the page was left", async (isAway) => {
    Object.assign(server, { isGone: true, isAway });
    expect(await sending.end(server, true, words)).toEqual({ kind: "stays", words: "" });
    expect([server.posts, sending.isUnknown]).toEqual([0, false]);
  });

  it("says that nobody knows once an answer was lost, also when the connection is gone after it", async () => {
    server.losesAnswers = true;
    expect(await sending.end(server, true, words)).toEqual({ kind: "stays", words: "unknown" });
    server.isAway = true;
    expect(await sending.end(server, true, words)).toEqual({ kind: "stays", words: "unknown" });
    Object.assign(server, { isAway: false, losesAnswers: false, answer: { ...page, said: { to: "/there" } } });
    expect(await sending.end(server, true, words)).toEqual({ kind: "leaves" });
  });

  it("that was written before goes on under another key and says so", async () => {
    server.answer = { ...page, said: { key: "second", detail: "Already saved" } };
    expect(await sending.end(server, true, words)).toEqual({ kind: "stays", words: "Already saved" });
    expect([server.key, sending.isUnknown]).toEqual(["second", false]);
  });

  it("stays when the server is busy, and it stays unknown whether it was written", async () => {
    server.answer = { ...page, ok: false, status: 503 };
    expect(await sending.end(server, true, words)).toEqual({ kind: "stays", words: "failed" });
    expect(sending.isUnknown).toBe(true);
  });

  it("that is refused is shown in its place, else sent as any form", async () => {
    server.answer = { ...page, ok: false, status: 422, said: { to: "/not-there" } };
    expect(await sending.end(server, true, words)).toEqual({ kind: "plain" });
    server.canShow = true;
    expect(await sending.end(server, true, words)).toEqual({ kind: "replaced" });
    expect(server.opened).toEqual([]);
  });

  it("by a button that writes nothing only waits for the connection", async () => {
    expect(await sending.end(server, false, words)).toEqual({ kind: "plain" });
    expect([server.posts, sending.isUnknown]).toEqual([0, false]);
  });
});

describe("the buttons of a form", () => {
  it("write if they are named, or if none is", () => {
    expect(writes("", "do", "claim")).toBe(true);
    expect(writes("apply approve", "step", "apply")).toBe(true);
    expect(writes("apply", "apply", "")).toBe(true);
    expect(writes("apply", "step", "review")).toBe(false);
    expect(writes("apply", undefined, undefined)).toBe(false);
  });
});

describe("an answer", () => {
  it("is for later if the server had no time to read", () => {
    expect([500, 503, 408, 429].every(isForLater)).toBe(true);
    expect([200, 302, 403, 409, 422].some(isForLater)).toBe(false);
  });
});

describe("a key", () => {
  it("has two letters for each byte", () => {
    expect(keyOf(new Uint8Array([0, 10, 255]))).toBe("000aff");
  });
});
