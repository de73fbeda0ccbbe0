// One call as data, and what to do with what came of it: pure rules, no network.

import type { Method } from "./types.js";

export const BASE = "/api/v1";
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const MOST_SECONDS = 30;

/** What a query can have; lists are joined with commas, undefined and null are left out. */
export type Query = { readonly [name: string]: string | number | boolean | readonly string[] | null | undefined };

/** A request to one address below `/api/v1`. */
export interface Call {
  readonly method: Method;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** The idempotency key of a POST or PATCH: with it the server does a repeat only once. */
  readonly key?: string | undefined;
  /** The seconds that the server may take to answer, beside the usual. */
  readonly wait?: number | undefined;
  /** The seconds that its repeats may take, if not as many as those of other calls. */
  readonly patience?: number | undefined;
}

/** The address of a server without a slash at its end; TypeError if it cannot be one. */
export function addressOf(url: string): string {
  const { href, protocol } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError(`url: write http:// or https:// and the server's name, not ${url}`);
  }
  return href.replace(/\/+$/, "");
}

/** A token as a header takes it; TypeError if it is none. The value is not told. */
export function secretOf(token: string): string {
  const known = token.trim();
  if (!known) throw new TypeError("token: it is empty");
  if (!/^[\x21-\x7e]+$/.test(known)) throw new TypeError("token: it has characters that no token has");
  return known;
}

/** A path of parts, with what cannot stand in one written as `%XX`. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** An idempotency key that nobody else has. */
export function newKey(): string {
  return globalThis.crypto.randomUUID();
}

/** Path and query, as they stand in the request. */
export function targetOf(call: Call): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== null) query.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const search = query.toString();
  return BASE + call.path + (search ? `?${search}` : "");
}

export function headersOf(call: Call): Record<string, string> {
  const made: Record<string, string> = { Accept: "application/json" };
  if (call.body !== undefined) made["Content-Type"] = "application/json";
  if (call.key !== undefined) made["Idempotency-Key"] = call.key;
  return made;
}

/**
 * How a call is repeated that met a lost connection, a restart or a busy server: for at most
 * `seconds`, with pauses that begin at `first` seconds and double. 0 seconds repeat nothing.
 */
export interface Retries {
  readonly seconds: number;
  readonly first: number;
}

export const RETRIES: Retries = { seconds: 120, first: 0.2 };

/**
 * The seconds to wait before the next try, undefined to give up: `repeats` were made in the `spent`
 * seconds, `wished` is what the server asked for, `chance` a number from 0 to 1.
 */
export function pauseBefore(
  retries: Retries,
  repeats: number,
  spent: number,
  wished: number | undefined,
  chance: number,
): number | undefined {
  const doubled = Math.min(retries.first * 2 ** Math.min(repeats, 20), MOST_SECONDS);
  const pause = Math.max(doubled * (0.5 + chance / 2), wished ?? 0);
  return spent + pause <= retries.seconds ? pause : undefined;
}

/** True for an answer that may be another one if the same call is made again. */
export function isTemporary(status: number): boolean {
  return AGAIN.has(status);
}

/**
 * The seconds that `Retry-After` asks for, which may be a number or a date. A date is compared with
 * the `Date` of the answer, or with `now` without one, so that a clock that is off does not count.
 */
export function wishedPause(headers: Headers, now: number): number | undefined {
  const value = (headers.get("Retry-After") ?? "").trim();
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  const sent = Date.parse(headers.get("Date") ?? "");
  return Number.isNaN(at) ? undefined : Math.max(0, (at - (Number.isNaN(sent) ? now : sent)) / 1000);
}
