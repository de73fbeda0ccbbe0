// All requests of the editor, and how refusals are represented.

import type { Json, JsonObject, WorkflowDocument, WorkflowEdge, WorkflowNode } from "../model/document";
import type { KnownNames } from "../model/suggestions";
import { normalised } from "../model/document";
import type { DocumentChanges } from "../model/patch";
import type { ElementKind } from "../model/form_edits";
import type { Row } from "../model/sides";
import { parse } from "./json";
import type { Marks, Urls } from "./setup";

export interface Problem {
  readonly message: string;
  readonly pointer?: string;
  readonly code?: string;
  readonly severity?: string;
  readonly node?: string;
  readonly edge?: string;
  /** The element by its name, the label of the field, and the name of its input; "" if there is none. */
  readonly element?: string;
  readonly field?: string;
  readonly input?: string;
}

export interface Draft {
  readonly document: WorkflowDocument;
  readonly version: number;
}

/** A document as a request names it: the draft of a version, or a published one, and its changes. */
export interface Asked {
  readonly draft_version?: number;
  readonly version?: number;
  readonly changes: DocumentChanges;
}

/** What stands on cards and chips, by key; made by the server, which knows what filters mean. */
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
  /** Whether its problems are warnings, with which it can be published. */
  readonly warned?: boolean;
}

export interface EdgeWords {
  readonly label: string;
  /** What its filter lets through, in short, and the same at full length. */
  readonly chips: readonly string[];
  readonly whole: readonly string[];
  readonly condition: string | null;
  readonly problems: readonly string[];
  readonly warned?: boolean;
}

/** The words of some elements, and what is wrong with all of them. */
export interface ToldWords {
  readonly nodes: { readonly [id: string]: Omit<NodeWords, "problems" | "warned"> };
  readonly edges: { readonly [id: string]: Omit<EdgeWords, "problems" | "warned"> };
  readonly wrong: { readonly [list in "nodes" | "edges"]: { readonly [id: string]: readonly string[] } };
  /** The elements whose problems are warnings only. */
  readonly warned: { readonly [list in "nodes" | "edges"]: readonly string[] };
  readonly problems: readonly Problem[];
}

/** Whose words are wanted; of all where there is no list. */
export interface Wanted {
  readonly nodes?: readonly string[];
  readonly edges?: readonly string[];
}

/** What the policy of an element would have cost; `line` stands on its card, `brief` in its heading, `warning` is amber. */
export interface CostWords {
  readonly line: string;
  readonly brief: string;
  readonly said: string;
  readonly basis: string;
  readonly warning: string;
  /** The element with a budget that does not raise the cost. */
  readonly offer: { readonly label: string; readonly element: JsonObject } | null;
}

/** Of the elements that have a policy, by id; `said` tells on how many conversations, or why on none. */
export interface Costs {
  readonly whole: boolean;
  readonly said: string;
  /** On what they are measured, in short. */
  readonly sample: string;
  readonly nodes: { readonly [id: string]: CostWords };
  readonly edges: { readonly [id: string]: CostWords };
}

/** Why a request did not do what it should; `kind` says what can be done about it. */
export class Refused extends Error {
  constructor(
    readonly kind: "offline" | "conflict" | "signed-out" | "forbidden" | "invalid",
    message: string,
    readonly problems: readonly Problem[] = [],
    readonly retryAfter = 0,
    /** Of a conflict: the version of the draft that the server has. */
    readonly actual = 0,
  ) {
    super(message);
  }
}

/** What a form of the panel says: an element, or what is wrong with it, or both. */
export interface Reading {
  readonly element: JsonObject | null;
  readonly id: string;
  readonly errors: readonly FieldError[];
}

export interface FieldError {
  readonly field: string;
  /** What stands at the field; "" for an error of a group, whose message says of which. */
  readonly label: string;
  readonly message: string;
  readonly column?: number;
}

/** A node, and what it is tried on. */
export interface Trial {
  readonly node: string;
  readonly path: boolean;
  /** The edges along which it is entered; without them as the server says. */
  readonly edges?: readonly string[];
  /** The conditions of these edges count as true. */
  readonly assume_conditions?: boolean;
  readonly conversation?: string;
  readonly at?: number;
  readonly context?: Json;
  readonly messages?: readonly Json[];
}

/** How many recorded inputs of a node would change. */
export interface NodeSum {
  readonly node: string;
  readonly inputs: number;
  readonly changed: number;
}

/** A recorded input that would change: of which node, in which version of which execution. */
export interface TriedInput {
  readonly node: string;
  readonly execution: string;
  readonly url: string;
  readonly version: number;
  readonly problem: string;
  readonly gone_edges: readonly string[];
  readonly lines: readonly { readonly kind: string; readonly word: string; readonly what: string; readonly why: string }[];
  readonly more: number;
  readonly tokens: readonly [before: number, after: number] | null;
}

/** How far a what-if is; `run` is null at its end. `incomplete` names executions of which not all could be looked at. */
export interface Tried {
  readonly run: string | null;
  readonly done: number;
  readonly whole: number;
  readonly sums: readonly NodeSum[];
  readonly results: readonly TriedInput[];
  readonly incomplete: readonly string[];
}

interface Previewed {
  readonly html: string;
  /** The result in one line, and what is wrong with it; "" for nothing. */
  readonly line: string;
  readonly lacks: string;
  /** What people call the conversation; "" of a pasted context. */
  readonly title: string;
  /** Along which the node was entered. */
  readonly edges: readonly string[];
  /** Not if the condition of its edge is false, also where it counts as true. */
  readonly is_reached: boolean;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly steps?: readonly { readonly node: string; readonly tokens_after: number }[];
}

/** One side of a conflict: an element, and texts by label that no form asks for. */
export interface SideAsked {
  readonly element?: WorkflowNode | WorkflowEdge;
  readonly texts?: { readonly [label: string]: string };
}

/** What two made of one thing; a side that is not there is undefined. */
export interface ConflictAsked {
  readonly kind: "node" | "edge" | "text";
  readonly base: SideAsked | undefined;
  readonly mine: SideAsked | undefined;
  readonly theirs: SideAsked | undefined;
}

/** A version that was published, and its page. */
export interface Published {
  readonly version: number;
  readonly url: string;
}

export type Fields = readonly (readonly [name: string, value: string])[];

/** What nodes are called, by id. */
export type Names = { readonly [id: string]: string };

export interface Server {
  /** The form of an element as HTML; with `typed` as it was typed and not as the document has it. */
  panel(kind: ElementKind, id: string, asked: Asked, typed: Fields | null, signal: AbortSignal): Promise<string>;
  read(kind: ElementKind, id: string, asked: Asked, fields: Fields, signal: AbortSignal): Promise<Reading>;
  preview(asked: Asked, trial: Trial, signal: AbortSignal): Promise<Previewed>;
  /** The names in the state of a conversation, at a version or the latest. */
  names(conversation: string, at: number | null, signal: AbortSignal): Promise<KnownNames>;
  /** Save changes of the draft that has the version `expected`; gives the version of now. */
  saveDraft(changes: DocumentChanges, expected: number): Promise<number>;
  getDraft(): Promise<Draft>;
  words(asked: Asked, wanted: Wanted, signal: AbortSignal): Promise<ToldWords>;
  /** The costs as far as they are known; asked again, more of them are. */
  costs(asked: Asked, signal: AbortSignal): Promise<Costs>;
  /** The fields in which the sides of each conflict differ, in the words of their forms; null if one has no words. */
  sides(conflicts: readonly ConflictAsked[], names: Names, signal: AbortSignal): Promise<readonly (readonly Row[] | null)[]>;
  /** One more recorded execution, with `run` of the answer before; nothing of it is stored. */
  whatIf(asked: Asked, step: { readonly last: number } | { readonly run: string }, signal: AbortSignal): Promise<Tried>;
  /** What is wrong with the saved draft, what it costs and how it is published, as HTML. */
  publishSheet(signal: AbortSignal): Promise<string>;
  /** Publish what the sheet showed; if that is no longer the draft, the sheet of now. */
  publish(fields: Fields, signal: AbortSignal): Promise<Published | { readonly html: string }>;
  /** Send a form of the page that changes something else; where it leads is left alone. */
  sendForm(url: string, fields: Fields, signal: AbortSignal): Promise<void>;
  /** A part of a page as HTML. */
  part(url: string, signal: AbortSignal): Promise<string>;
  marks(url: string): Promise<{ readonly execution: string; readonly marks: Marks }>;
}

// A server that goes away while one works: say so soon, and try again.
const PATIENCE_MS = 30_000;

export function serverOf(urls: Urls): Server {
  const json = async (method: string, url: string, body?: Json | object, signal?: AbortSignal): Promise<unknown> =>
    dataOf(await send(method, url, body === undefined ? undefined : JSON.stringify(body), "application/json", signal), signal);
  const form = (url: string, fields: Fields, signal: AbortSignal): Promise<Response> =>
    send("POST", url, encoded(fields), FORM, signal);
  return {
    async panel(kind, id, asked, typed, signal) {
      const url = `${urls.editor}panel/`;
      const answer = typed ? form(url, about(kind, id, asked, typed), signal) : send("POST", url, JSON.stringify({ kind, id, ...asked }), "application/json", signal);
      return partOf(await answer, signal);
    },
    async read(kind, id, asked, fields, signal) {
      return (await dataOf(await form(`${urls.editor}read/`, about(kind, id, asked, fields), signal), signal)) as Reading;
    },
    async preview(asked, trial, signal) {
      return (await json("POST", `${urls.editor}preview/`, { ...asked, ...trial }, signal)) as Previewed;
    },
    async names(conversation, at, signal) {
      return (await json("POST", `${urls.editor}names/`, { conversation, ...(at === null ? {} : { at }) }, signal)) as KnownNames;
    },
    async saveDraft(changes, expected) {
      const answer = (await json("POST", `${urls.editor}draft/`, { changes, expected_version: expected })) as { draft_version: number };
      return answer.draft_version;
    },
    async getDraft() {
      const answer = (await json("GET", urls.draft)) as { document: WorkflowDocument; draft_version: number };
      return { document: normalised(answer.document), version: answer.draft_version };
    },
    async whatIf(asked, step, signal) {
      return (await json("POST", `${urls.editor}what-if/`, { ...asked, ...step }, signal)) as Tried;
    },
    async publishSheet(signal) {
      return partOf(await send("GET", `${urls.publish}?sheet=1`, undefined, "text/html", signal), signal);
    },
    async publish(fields, signal) {
      const answer = await reached("POST", `${urls.publish}?sheet=1`, encoded(fields), FORM, signal);
      const isSheet = (answer.headers.get("Content-Type") ?? "").startsWith("text/html") && [409, 422].includes(answer.status);
      if (isSheet) return { html: await partOf(answer, signal) };
      return (await dataOf(await accepted(answer), signal)) as Published;
    },
    async sendForm(url, fields, signal) {
      await send("POST", url, encoded(fields), FORM, signal);
    },
    async part(url, signal) {
      return partOf(await send("GET", url, undefined, "text/html", signal), signal);
    },
    async marks(url) {
      return (await json("GET", url)) as { execution: string; marks: Marks };
    },
    async sides(conflicts, names, signal) {
      return ((await json("POST", `${urls.editor}sides/`, { conflicts, names }, signal)) as { conflicts: (readonly Row[] | null)[] }).conflicts;
    },
    async costs(asked, signal) {
      return (await json("POST", `${urls.editor}costs/`, asked, signal)) as Costs;
    },
    async words(asked, wanted, signal) {
      return (await json("POST", `${urls.editor}words/`, { ...asked, ...wanted }, signal)) as ToldWords;
    },
  };
}

const FORM = "application/x-www-form-urlencoded";
const encoded = (fields: Fields): string => new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();

function about(kind: ElementKind, id: string, asked: Asked, fields: Fields): Fields {
  return [...fields, ["kind", kind], ["id", id], ["draft", JSON.stringify(asked)]];
}

async function send(method: string, url: string, body: string | undefined, type: string, signal?: AbortSignal): Promise<Response> {
  return accepted(await reached(method, url, body, type, signal));
}

async function reached(method: string, url: string, body: string | undefined, type: string, signal?: AbortSignal): Promise<Response> {
  const token = csrfToken();
  const headers: Record<string, string> = { "X-CSRFToken": token, Accept: "application/json, text/html" };
  if (body !== undefined) headers["Content-Type"] = type;
  const signals = [AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])];
  try {
    return await fetch(url, { method, headers, body, signal: AbortSignal.any(signals), credentials: "same-origin" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("offline", String(error));
  }
}

async function accepted(response: Response): Promise<Response> {
  if (!response.ok) throw await refusal(response);
  if (response.redirected) throw new Refused("signed-out", "");
  return response;
}

/** The JSON of an answer. What is none comes from a proxy in between, and is no answer of the server. */
async function dataOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  const text = await textOf(response, signal);
  try {
    return parse(text);
  } catch (error) {
    throw new Refused("offline", String(error));
  }
}

const WHOLE_PAGE = /^\s*<(?:!doctype|html)\b/i;

/** The part of a page in an answer: a whole page comes from a proxy. */
async function partOf(response: Response, signal?: AbortSignal): Promise<string> {
  const text = await textOf(response, signal);
  if (WHOLE_PAGE.test(text)) throw new Refused("offline", "a whole page");
  return text;
}

async function textOf(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("offline", String(error));
  }
}

/** From the cookie, which is another after signing in again in another tab. */
function csrfToken(): string {
  const cookie = /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  return cookie ?? document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? "";
}

async function refusal(response: Response): Promise<Refused> {
  const said = (await response.json().catch(() => ({}))) as { detail?: string; errors?: Problem[]; code?: string; actual?: number };
  const message = said.errors?.[0]?.message ?? said.detail ?? String(response.status);
  const problems = said.errors ?? [];
  if (response.status === 409 && said.code === "version_conflict") return new Refused("conflict", message, [], 0, said.actual);
  if (response.status === 401) return new Refused("signed-out", message);
  if (response.status === 403) return new Refused("forbidden", message);
  const later = response.status >= 500 || response.status === 429 || response.status === 408;
  if (later) return new Refused("offline", message, [], Number(response.headers.get("Retry-After")) || 0);
  return new Refused("invalid", message, problems);
}
