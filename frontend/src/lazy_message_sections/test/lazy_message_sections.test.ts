import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Loading, STAYS_MS } from "../model";

describe("a section of messages", () => {
  let loaded: string[];
  let loading: Loading<string>;
  beforeEach(() => {
    vi.useFakeTimers();
    loaded = [];
    loading = new Loading((section) => loaded.push(section));
  });
  afterEach(() => vi.useRealTimers());

  it("is loaded when it has stayed near for a moment", () => {
    loading.look("a", true);
    vi.advanceTimersByTime(STAYS_MS - 1);
    expect(loaded).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(loaded).toEqual(["a"]);
  });

  it("is not loaded when it is flung past, and is when it comes back", () => {
    loading.look("a", true);
    vi.advanceTimersByTime(STAYS_MS / 2);
    loading.look("a", false);
    vi.advanceTimersByTime(STAYS_MS);
    expect(loaded).toEqual([]);
    loading.look("a", true);
    vi.advanceTimersByTime(STAYS_MS);
    expect(loaded).toEqual(["a"]);
  });

  it("waits once however often it is seen, and is loaded once", () => {
    loading.look("a", true);
    vi.advanceTimersByTime(STAYS_MS - 1);
    loading.look("a", true);
    vi.advanceTimersByTime(1);
    loading.look("a", true);
    vi.advanceTimersByTime(STAYS_MS);
    expect(loaded).toEqual(["a"]);
  });
});
