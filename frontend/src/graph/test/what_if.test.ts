import { beforeEach, describe, expect, it } from "vitest";
import { type Asked, Refused, type Tried } from "../io/server";
import { startTrying, type Trier } from "../io/what_if";
import type { WorkflowDocument } from "../model/document";
import { type EditorStore, editorStore } from "../store";
import { patched } from "./patching";

const document: WorkflowDocument = { name: "w", nodes: [{ id: "a", type: "llm" }], edges: [] };

/** A server of three executions, each of which changes one input of node a; it waits to be let go. */
class Runs {
  readonly asked: { readonly document: WorkflowDocument; readonly body: unknown }[] = [];
  fails: Refused | null = null;
  held: (() => void) | null = null;
  holds = false;

  async whatIf({ changes }: Asked, body: { last: number } | { run: string }): Promise<Tried> {
    this.asked.push({ document: patched(document, changes), body });
    if (this.holds) await new Promise<void>((resolve) => (this.held = resolve));
    if (this.fails) throw this.fails;
    const done = "run" in body ? Number(body.run) + 1 : 0;
    const input = { node: "a", execution: `e${done}`, url: "", version: 1, problem: "", gone_edges: [], lines: [], more: 0, tokens: null };
    return { run: done < 3 ? String(done) : null, done, whole: 3, sums: [{ node: "a", inputs: done, changed: done }], results: done ? [input] : [], incomplete: [] };
  }
}

let runs: Runs;
let store: EditorStore;
let trier: Trier;

beforeEach(() => {
  runs = new Runs();
  store = editorStore({ document, version: 1, places: {}, may_change: true });
  trier = startTrying(store, runs);
});

const whatIf = () => store.getState().whatIf!;
const turn = () => new Promise((resolve) => setTimeout(resolve));

describe("what if", () => {
  it("asks for one execution after the other and keeps what each told", async () => {
    await trier.start(20);
    expect(runs.asked.map(({ body }) => body)).toEqual([{ last: 20 }, { run: "0" }, { run: "1" }, { run: "2" }]);
    expect(whatIf().results.map(({ execution }) => execution)).toEqual(["e1", "e2", "e3"]);
    expect(whatIf()).toMatchObject({ running: false, run: null, done: 3, wrong: "" });
  });

  it("tries the document of its start to the end, however it is changed meanwhile", async () => {
    runs.holds = true;
    const running = trier.start(3);
    store.getState().edit({ kind: "rename", to: "other" }, "Rename");
    runs.holds = false;
    runs.held?.();
    await running;
    expect(runs.asked.map((each) => each.document)).toEqual(runs.asked.map(() => document));
    expect(runs.asked.length).toBeGreaterThan(1);
  });

  it("is stopped at once, keeps what it has and goes on from there", async () => {
    runs.holds = true;
    const running = trier.start(3);
    runs.held?.();
    await turn();
    runs.held?.();
    await turn();
    expect(whatIf().done).toBe(1);
    trier.stop();
    runs.holds = false;
    runs.held?.();
    await running;
    expect(whatIf()).toMatchObject({ running: false, done: 1, run: "1" });
    await trier.goOn();
    expect(whatIf().results.map(({ execution }) => execution)).toEqual(["e1", "e2", "e3"]);
  });

  it("says why it failed, and can be gone on with", async () => {
    runs.holds = true;
    const running = trier.start(3);
    runs.held?.();
    await turn();
    runs.fails = new Refused("invalid", "a cannot be read");
    runs.held?.();
    await running;
    expect(whatIf()).toMatchObject({ running: false, wrong: "a cannot be read", run: "0" });
    runs.fails = null;
    runs.holds = false;
    await trier.goOn();
    expect(whatIf()).toMatchObject({ running: false, wrong: "", done: 3 });
    expect(whatIf().results).toHaveLength(3);
  });

  it("is no edit of the draft", async () => {
    await trier.start(3);
    expect(store.getState().document).toBe(store.getState().base.document);
  });
});
