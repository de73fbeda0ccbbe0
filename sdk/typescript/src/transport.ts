// Making calls: repeated until they count, with the same key each time.

import { BASE, type Call, headersOf, isTemporary, pauseBefore, type Retries, targetOf, wishedPause } from "./calls.js";
import { NoAnswer, refusal, Refused } from "./errors.js";
import { Reader, type Sent } from "./streams.js";

const SECONDS = 60;

export interface Connection {
  /** The address of the server, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly token: string;
  readonly retries: Retries;
  readonly fetch: typeof fetch;
}

/** What came of one try: an answer, or why there was none and how long the server asks to wait. */
type Tried<T> = { readonly answer: T } | { readonly failure: Error; readonly wished: number | undefined };

/** Sends calls with a token. */
export class Transport {
  constructor(private readonly to: Connection) {}

  /** The JSON of the answer; Refused if the server refuses it, NoAnswer if none comes. */
  async send<T>(call: Call): Promise<T> {
    const content = call.body === undefined ? null : textOf(call.body);
    const started = performance.now();
    for (let repeats = 0; ; repeats++) {
      const tried = await this.attempt<T>(call, content, repeats);
      if ("answer" in tried) return tried.answer;
      await this.pause(repeats, started, tried, call.patience);
    }
  }

  /**
   * The events of a stream, without end: a connection that breaks is made again, and goes on
   * behind the last event that came. Leaving the loop ends the stream.
   */
  async *stream<T>(target: string, lastId = ""): AsyncGenerator<Sent<T>, void, undefined> {
    const reader = new Reader<T>(lastId);
    let lost = performance.now();
    for (let repeats = 0; ; repeats++) {
      let tried: { failure: Error; wished: number | undefined };
      const ends = new AbortController();
      try {
        for await (const piece of this.pieces(target, reader.lastId, ends)) {
          repeats = 0;
          for (const sent of reader.feed(piece)) yield sent;
          lost = performance.now(); // whoever reads may take their time
        }
        tried = { failure: new NoAnswer(`${target}: the stream ended`), wished: undefined };
      } catch (error) {
        tried = failureOf(error, target);
      } finally {
        ends.abort();
      }
      reader.broken();
      await this.pause(repeats, lost, tried);
    }
  }

  private async attempt<T>(call: Call, content: string | null, repeats: number): Promise<Tried<T>> {
    const target = targetOf(call);
    const method = call.method.toUpperCase();
    try {
      const response = await this.to.fetch(this.to.url + target, {
        method,
        headers: { ...headersOf(call), Authorization: `Bearer ${this.to.token}` },
        body: content,
        redirect: "manual", // a POST that is followed would become a GET
        signal: AbortSignal.timeout((SECONDS + (call.wait ?? 0)) * 1000),
      });
      const text = await response.text();
      if (response.ok) return { answer: (text ? JSON.parse(text) : undefined) as T };
      if (call.method === "delete" && response.status === 404 && repeats > 0) return { answer: undefined as T };
      throw new Answered(response, text);
    } catch (error) {
      return failureOf(error, `${method} ${target}`);
    }
  }

  private async *pieces(target: string, lastId: string, ends: AbortController): AsyncGenerator<string> {
    const headers: Record<string, string> = {
      Accept: "text/event-stream",
      Authorization: `Bearer ${this.to.token}`,
    };
    if (lastId) headers["Last-Event-ID"] = lastId;
    let silent = setTimeout(() => ends.abort(), SECONDS * 1000);
    try {
      const response = await this.to.fetch(this.to.url + BASE + target, { headers, redirect: "manual", signal: ends.signal });
      if (!response.ok || response.body === null) throw new Answered(response, await response.text());
      const decoder = new TextDecoder();
      const read = response.body.getReader();
      for (let part = await read.read(); !part.done; part = await read.read()) {
        clearTimeout(silent); // a beat comes every 15 seconds
        silent = setTimeout(() => ends.abort(), SECONDS * 1000);
        yield decoder.decode(part.value, { stream: true });
      }
    } finally {
      clearTimeout(silent);
    }
  }

  private async pause(
    repeats: number,
    since: number,
    tried: { readonly failure: Error; readonly wished: number | undefined },
    patience = Infinity,
  ): Promise<void> {
    const spent = (performance.now() - since) / 1000;
    const retries = { ...this.to.retries, seconds: Math.min(patience, this.to.retries.seconds) };
    const pause = pauseBefore(retries, repeats, spent, tried.wished, Math.random());
    if (pause === undefined) throw tried.failure;
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
}

/** An answer that refuses, on its way to where it is decided whether to repeat. */
class Answered extends Error {
  constructor(
    readonly response: Response,
    readonly text: string,
  ) {
    super();
  }
}

/** What a failed try means; throws what is no use repeating. */
function failureOf(error: unknown, what: string): { failure: Error; wished: number | undefined } {
  if (error instanceof Answered) {
    const failure = refusal(error.response.status, error.response.status < 400 ? redirected(error.response) : error.text);
    if (!isTemporary(error.response.status)) throw failure;
    return { failure, wished: wishedPause(error.response.headers, Date.now()) };
  }
  if (error instanceof Refused) throw error;
  const told = error instanceof SyntaxError ? "no JSON in the answer" : String(error);
  return { failure: new NoAnswer(`${what}: ${told}`, { cause: error }), wished: undefined };
}

/** What to do about an answer that redirects, which a browser does not show. */
function redirected(response: Response): string {
  const where = response.headers.get("Location") ?? "elsewhere";
  return JSON.stringify({ detail: `The server redirects to ${where}: use that address.` });
}

/** The body as JSON; a number that JSON has no word for is an error, and not null. */
function textOf(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${name} is ${value}, not a number`);
    return value;
  });
}
