import { beforeEach, describe, expect, it } from "vitest";
import { PointerHold } from "../model";

describe("what moves the page", () => {
  let later: (() => void)[];
  let hold: PointerHold;
  let done: string[];
  const run = (name: string): void => hold.run(() => void done.push(name));
  beforeEach(() => {
    later = [];
    done = [];
    hold = new PointerHold((then) => later.push(then));
  });

  it("does so at once while no pointer is pressed", () => {
    run("a");
    expect(done).toEqual(["a"]);
  });

  it("waits for the release, and for the click behind it", () => {
    hold.press(0);
    run("a");
    run("b");
    hold.release();
    expect(done).toEqual([]);
    later.shift()!();
    expect(done).toEqual(["a", "b"]);
    hold.release();
    expect(later).toEqual([]);
  });

  it("does not wait for another button", () => {
    hold.press(2);
    run("a");
    expect(done).toEqual(["a"]);
  });

  it("goes on when the pointer comes back released", () => {
    hold.press(0);
    run("a");
    hold.move(1);
    expect(later).toEqual([]);
    hold.move(0);
    later.shift()!();
    expect(done).toEqual(["a"]);
  });

  it("waits while the pointer moves over what holds still, also behind a click there", () => {
    hold.hover();
    hold.press(0);
    run("a");
    hold.release();
    expect(later).toEqual([]);
    hold.rest();
    later.shift()!();
    expect(done).toEqual(["a"]);
  });
});
