// The messages between page and server about a draft; see checkpoints/editing/protocol.py.

export type Operation =
  | { readonly op: "set" | "beside"; readonly place: string; readonly kind: string; readonly text: string; readonly gone: boolean; readonly mine: number }
  | { readonly op: "revert"; readonly place: string; readonly mine: number }
  | { readonly op: "aside"; readonly place: string }
  | { readonly op: "text"; readonly mark: string; readonly text: string; readonly mine: number }
  | { readonly op: "drop"; readonly mark: string };

export interface Patch {
  readonly execution: string;
  readonly version: number;
  readonly seen_seq: number;
  readonly operations: readonly Operation[];
  readonly given: Readonly<Record<string, string>>;
  readonly leaves: boolean;
}

/** What became of a patch: `out` is signed out, `foreign` someone else in this browser. */
export type Answer =
  | { readonly is: "kept"; readonly seq: number; readonly count: number; readonly told: string }
  | { readonly is: "overtaken"; readonly seq: number; readonly changed: readonly string[]; readonly texts: readonly string[]; readonly detail: string }
  | { readonly is: "refused"; readonly forbidden: boolean; readonly detail: string }
  | { readonly is: "lost" | "out" | "foreign" };
