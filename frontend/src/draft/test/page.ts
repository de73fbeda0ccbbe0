// A page of the editor of states as its model sees it, with a clock of its own.

import { expect } from "vitest";

import type { Content, Value } from "../model/content";
import { begun, step, type Effect, type Event, type Model, type Shown } from "../model/draft";
import type { Answer, Operation, Patch } from "../model/protocol";

export function value(text: string, gone = false): Value {
  return { kind: "text", text, gone };
}

export function rows(texts: Readonly<Record<string, string>>): Content {
  return { values: new Map(Object.entries(texts).map(([place, text]) => [place, value(text)])), text: null };
}

export function page(content: Content, more: Partial<Shown> = {}): Shown {
  return { execution: "exec_1", version: 3, seq: 0, given: {}, typedAt: {}, mark: "", content, ...more };
}

/** A page with a clock of its own; `doing` is what it was told to do since it was asked last. */
export class Page {
  model: Model;
  now = 1000;
  readonly done: Effect[] = [];

  constructor(shown: Shown, raw = false) {
    this.model = begun(shown, raw, "abcdefabcd");
  }

  on(event: Event): this {
    const [model, effects] = step(this.model, event, this.now);
    this.model = model;
    this.done.push(...effects);
    return this;
  }

  type(content: Content, size = 10): this {
    return this.on({ is: "typed", content, size });
  }

  later(ms: number): this {
    this.now += ms;
    return this.on({ is: "tick" });
  }

  answer(answer: Answer): this {
    return this.on({ is: "answered", answer });
  }

  kept(seq: number, told = ""): this {
    return this.answer({ is: "kept", seq, count: 1, told });
  }

  doing(): string[] {
    return this.done.splice(0).map((each) => each.do).filter((each) => each !== "wake");
  }

  patch(): Patch {
    const found = this.done.splice(0).filter((each) => each.do === "send");
    expect(found).toHaveLength(1);
    return found[0]!.patch;
  }

  operations(): readonly Operation[] {
    return this.patch().operations;
  }
}

export const STATE = rows({ "0:plan": "ask", "0:tone": "kind" });

export function typing(text = "think"): Page {
  return new Page(page(STATE)).type(rows({ "0:plan": text, "0:tone": "kind" }));
}

export function set(place: string, text: string, mine = 0): Operation {
  return { op: "set", place, kind: "text", text, gone: false, mine };
}

export const WHOLE = '{"plan": "ask", "big": 9007199254740993}';
