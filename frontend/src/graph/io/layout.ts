// Requests a layout from the worker.

import { type Places, pairs } from "../model/arrangement";
import { roomOf } from "../model/chips";
import type { Key, WorkflowDocument } from "../model/document";
import { indexOf } from "../model/document";
import type { LayoutQuestion } from "../model/layered";
import { wantedFlow } from "../model/layers";
import type { Flow } from "../model/lines";
import type { Words } from "./server";

interface LayoutAnswer {
  readonly to: Places;
}

interface Laid extends LayoutAnswer {
  readonly flow: Flow;
}

interface Wish {
  /** As the rest of the graph leads; else as is best for these nodes. */
  readonly flow?: Flow;
  readonly words: Words | null;
  /** Milliseconds after which the layout is given up. */
  readonly patience?: number;
}

/** Places for some nodes, by the edges between them. */
export async function laidOut(url: string, document: WorkflowDocument, nodes: readonly Key[], { flow, words, patience }: Wish): Promise<Laid> {
  const among = new Set(nodes);
  const wanted = flow ?? wantedFlow(nodes, pairs(document, among));
  const { keys } = indexOf(document.edges);
  const edges = document.edges.flatMap((edge, place) => {
    if (!among.has(edge.from) || !among.has(edge.to) || edge.from === edge.to) return [];
    return [{ from: edge.from, to: edge.to, chips: roomOf(edge, words?.edges[keys[place] as Key]?.chips) }];
  });
  const { to } = await answered(url, { nodes, edges, flow: wanted }, patience);
  return { to, flow: wanted };
}

function answered(url: string, question: LayoutQuestion, patience: number | undefined): Promise<LayoutAnswer> {
  const worker = new Worker(url);
  return new Promise<LayoutAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    if (patience !== undefined) setTimeout(() => reject(new Error("the layout takes too long")), patience);
    worker.postMessage(question);
  }).finally(() => worker.terminate());
}
