// Asks the worker for a layout.

import { pairs } from "../model/arranging";
import type { Key, Position, WorkflowDocument } from "../model/document";
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

/** Places for some nodes, by the edges between them; rejects after `patience` milliseconds. */
export function laidOut(url: string, document: WorkflowDocument, nodes: readonly Key[], patience?: number): Promise<LayoutAnswer> {
  const edges = pairs(document, new Set(nodes));
  const worker = new Worker(url);
  return new Promise<LayoutAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    if (patience !== undefined) setTimeout(() => reject(new Error("the layout takes too long")), patience);
    worker.postMessage({ nodes, edges, width: CARD.width, height: CARD.height } satisfies LayoutQuestion);
  }).finally(() => worker.terminate());
}
