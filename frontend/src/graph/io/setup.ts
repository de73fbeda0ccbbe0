// What the page tells the editor when it opens.

import { canKeep, parse } from "./json";
import type { NodeKind } from "../model/commands";
import type { Position, WorkflowDocument } from "../model/document";

export interface Urls {
  readonly draft: string;
  readonly editor: string;
  readonly icons: string;
  readonly worker: string;
  readonly sign_in: string;
}

export interface Setup {
  readonly workflow: string;
  readonly person: string;
  readonly name: string;
  readonly document: WorkflowDocument;
  readonly version: number;
  /** Where the server puts nodes that have no position, by id. */
  readonly places: { readonly [id: string]: Position };
  readonly kinds: readonly NodeKind[];
  readonly edge_types: readonly (readonly [string, string])[];
  readonly conversations: readonly (readonly [string, string])[];
  readonly may_change: boolean;
  readonly may_publish: boolean;
  readonly may_preview: boolean;
  readonly urls: Urls;
}

export function readSetup(): Setup | null {
  const text = document.getElementById("editor-setup")?.textContent;
  if (!text) return null;
  const setup = parse(text) as Setup;
  // Rather not change a draft than round its numbers.
  return canKeep(text) ? setup : { ...setup, may_change: false };
}
