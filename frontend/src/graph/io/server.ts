// Every request of the editor, and what a refusal means.

import type { Json, WorkflowDocument } from "../model/document";
import { normalised } from "../model/document";
import { parse } from "./json";
import type { Urls } from "./setup";

export interface Problem {
  readonly message: string;
  readonly pointer?: string;
  readonly severity?: string;
  readonly node?: string;
  readonly edge?: string;
}

export interface Draft {
  readonly document: WorkflowDocument;
  readonly version: number;
}

/** What stands on cards and chips, by id; made by the server, which knows what filters mean. */
export interface Words {
  readonly nodes: { readonly [id: string]: NodeWords };
  readonly edges: { readonly [id: string]: EdgeWords };
  readonly problems: readonly Problem[];
}

export interface NodeWords {
  readonly title: string;
  readonly type_label: string;
  readonly context_label: string;
  readonly filter: readonly string[];
  readonly problems: readonly string[];
}

export interface EdgeWords {
  readonly label: string;
  readonly chips: readonly string[];
  readonly condition: string | null;
  readonly problems: readonly string[];
}

/** Why a request did not do what it should; `kind` says what can be done about it. */
export class Refused extends Error {
  constructor(
    readonly kind: "offline" | "conflict" | "signed-out" | "forbidden" | "invalid",
    message: string,
    readonly problems: readonly Problem[] = [],
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

export interface Server {
  putDraft(document: WorkflowDocument, expected: number): Promise<number>;
  getDraft(): Promise<Draft>;
  words(document: WorkflowDocument, signal: AbortSignal): Promise<Words>;
}

// A server that goes away while one works: say so soon, and try again.
const PATIENCE_MS = 30_000;

export function serverOf(urls: Urls): Server {
  const json = async (method: string, url: string, body?: Json | object, signal?: AbortSignal): Promise<unknown> =>
    parse(await (await send(method, url, body === undefined ? undefined : JSON.stringify(body), "application/json", signal)).text());
  return {
    async putDraft(document, expected) {
      const answer = (await json("PUT", urls.draft, { document, expected_version: expected })) as { draft_version: number };
      return answer.draft_version;
    },
    async getDraft() {
      const answer = (await json("GET", urls.draft)) as { document: WorkflowDocument; draft_version: number };
      return { document: normalised(answer.document), version: answer.draft_version };
    },
    async words(document, signal) {
      return (await json("POST", `${urls.editor}words/`, { document }, signal)) as Words;
    },
  };
}

async function send(method: string, url: string, body: string | undefined, type: string, signal?: AbortSignal): Promise<Response> {
  const token = csrfToken();
  const headers: Record<string, string> = { "X-CSRFToken": token, Accept: "application/json, text/html" };
  if (body !== undefined) headers["Content-Type"] = type;
  const signals = [AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])];
  let response: Response;
  try {
    response = await fetch(url, { method, headers, body, signal: AbortSignal.any(signals), credentials: "same-origin" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("offline", String(error));
  }
  if (!response.ok) throw await refusal(response);
  if (response.redirected) throw new Refused("signed-out", "");
  return response;
}

/** From the cookie, which is another after signing in again in another tab. */
function csrfToken(): string {
  const cookie = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  return cookie ?? document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? "";
}

async function refusal(response: Response): Promise<Refused> {
  const said = (await response.json().catch(() => ({}))) as { detail?: string; errors?: Problem[]; code?: string };
  const message = said.errors?.[0]?.message ?? said.detail ?? String(response.status);
  const problems = said.errors ?? [];
  if (response.status === 409 && said.code === "version_conflict") return new Refused("conflict", message);
  if (response.status === 401) return new Refused("signed-out", message);
  if (response.status === 403) return new Refused("forbidden", message);
  const later = response.status >= 500 || response.status === 429 || response.status === 408;
  if (later) return new Refused("offline", message, [], Number(response.headers.get("Retry-After")) || 0);
  return new Refused("invalid", message, problems);
}
