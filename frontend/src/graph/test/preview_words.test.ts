import { describe, expect, it } from "vitest";
import type { WorkflowDocument, WorkflowEdge } from "../model/document";
import { calledAmong, firstSource, sourceWords } from "../view/Preview";

describe("what the preview shows", () => {
  const offered = [["c-1", "Refund for a lamp", true], ["c-2", "", false]] as const;

  it("is a conversation by its title, or by its id where none is known", () => {
    const of = (conversation: string, at = "") => sourceWords({ ...firstSource("c-1"), conversation, at }, offered);
    expect(of("c-1")).toBe("Refund for a lamp, latest version");
    expect(of(" c-1 ", "3")).toBe("Refund for a lamp, version 3");
    expect(of("c-2")).toBe("c-2, latest version");
    expect(of("typed")).toBe("typed, latest version");
    expect(of("x".repeat(60))).toBe(`${"x".repeat(29)}…, latest version`);
  });

  it("is entered along edges that are called as on the canvas, with ids where two connect the same", () => {
    const document = { name: "", nodes: [{ id: "compact", type: "llm", name: "Cut to a budget" }, { id: "draft", type: "llm", name: "Draft the answer" }], edges: [] } as unknown as WorkflowDocument;
    const edge: WorkflowEdge = { id: "compacted", type: "sequence", from: "compact", to: "draft" };
    expect(calledAmong(edge, [edge], document)).toBe("Cut to a budget → Draft the answer");
    expect(calledAmong(edge, [edge, { ...edge, id: "other" }], document)).toBe("Cut to a budget → Draft the answer (compacted)");
  });
});
