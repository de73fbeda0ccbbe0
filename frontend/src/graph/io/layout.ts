// Asks the worker for a layout.

import type { Key, Position, WorkflowDocument } from "../model/document";
import { indexOf } from "../model/document";
import { CARD } from "../model/places";

export interface LayoutQuestion {
  readonly nodes: readonly Key[];
  readonly edges: readonly (readonly [Key, Key])[];
  readonly width: number;
  readonly height: number;
}

export interface LayoutAnswer {
  readonly to: { readonly [key: Key]: Position };
}

/** Places for the chosen nodes, or for all if fewer than two are chosen. */
export function laidOut(url: string, document: WorkflowDocument, chosen: readonly Key[]): Promise<LayoutAnswer> {
  const all = indexOf(document.nodes).keys;
  const nodes = chosen.length > 1 ? chosen : all;
  const inside = new Set(nodes);
  const edges = document.edges.flatMap(({ from, to }) =>
    inside.has(from) && inside.has(to) && from !== to ? [[from, to] as const] : [],
  );
  const worker = new Worker(url);
  return new Promise<LayoutAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({ nodes, edges, width: CARD.width, height: CARD.height } satisfies LayoutQuestion);
  }).finally(() => worker.terminate());
}
