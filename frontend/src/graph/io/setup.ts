// The data with which the page starts the editor.

import { canKeep, parse } from "./json";
import type { NodeKind } from "../model/commands";
import type { ToldWords } from "./server";
import type { Position, WorkflowDocument } from "../model/document";

export interface Urls {
  readonly draft: string;
  readonly editor: string;
  /** Where the draft is published; "" where nobody may. */
  readonly publish: string;
  readonly icons: string;
  readonly worker: string;
  readonly sign_in: string;
  /** Where policies are compared; "" where nobody may. */
  readonly compare: string;
  /** Where versions are compared; "" before the first one. */
  readonly versions: string;
  /** Where conversations are imported; "" for who may not. */
  readonly imports: string;
}

/** A mark of an element: which sign, and what stands there in words. */
export type Mark = readonly [sign: string, text: string];

/** Marks on a canvas that is only looked at, by id; the signs are those of the legend. */
export interface Marks {
  readonly said: string;
  readonly icon: string;
  readonly signs: readonly (readonly [name: string, icon: string, word: string])[];
  readonly nodes: { readonly [id: string]: Mark };
  readonly edges: { readonly [id: string]: Mark };
}

interface Watched {
  /** Gives what stands beside the canvas as HTML, by `?node=` or `?edge=`. */
  readonly panel: string;
  /** Gives the marks of now, if they change; else "". */
  readonly again: string;
  readonly marks: Marks;
  readonly words: ToldWords;
}

/** Where cards and chips lead, by id; "" where an element has no page. */
export interface Links {
  readonly nodes: { readonly [id: string]: string };
  readonly edges: { readonly [id: string]: string };
}

interface DrawnPart {
  readonly words: ToldWords;
  readonly links: Links;
  readonly marks: Marks | null;
  /** As in Watched. */
  readonly again: string;
}

export interface Setup {
  readonly workflow: string;
  readonly person: string;
  readonly name: string;
  readonly document: WorkflowDocument;
  readonly version: number;
  /** The number of the published version on the canvas; null for the draft. */
  readonly published: number | null;
  /** Where the server puts nodes that have no position, by id. */
  readonly places: { readonly [id: string]: Position };
  readonly kinds: readonly NodeKind[];
  readonly edge_types: readonly (readonly [string, string])[];
  /** Offered for the preview; those that run this workflow first. */
  readonly conversations: readonly (readonly [id: string, title: string, isOwn: boolean])[];
  readonly may_change: boolean;
  readonly may_publish: boolean;
  readonly may_preview: boolean;
  readonly urls: Urls;
  /** Set where nothing is edited: an execution, or a comparison. */
  readonly watched?: Watched;
  /** Set on a page that shows a graph among other things. */
  readonly drawn?: DrawnPart;
  /** The execution whose marks are shown. */
  readonly execution?: string;
}

export function readSetup(): Setup | null {
  const text = document.getElementById("editor-setup")?.textContent;
  if (!text) return null;
  const setup = parse(text) as Setup;
  // Rather not change a draft than round its numbers.
  return canKeep(text) ? setup : { ...setup, may_change: false };
}
