// The requests of a draft, and who is signed in when the server cannot be reached.

import type { Answer, Patch } from "../model/protocol";

const LONGEST_MS = 30_000;
const SURROGATE = /\p{Surrogate}/gu; // half a sign, which no JSON has

export interface Server {
  send(patch: Patch): Promise<Answer>;
  /** Sends what a page has when it is left: nobody hears the answer. */
  leave(patch: Patch): void;
  page(address: string): Promise<Document>;
  text(address: string): Promise<{ text: string; of: string } | undefined>;
}

export function serverOf(form: HTMLFormElement, address: string): Server {
  const { person, signIn } = document.body.dataset;

  function request(patch: Patch, more: RequestInit): Promise<Response> {
    const token = (form.elements.namedItem("csrfmiddlewaretoken") as HTMLInputElement).value;
    const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": token };
    const body = JSON.stringify(patch).replace(SURROGATE, "\ufffd");
    return fetch(address, { method: "PATCH", redirect: "manual", headers, body, ...more });
  }

  const sent = (patch: Patch): Promise<Response> => request(patch, { signal: AbortSignal.timeout(LONGEST_MS) });

  async function page(url: string): Promise<{ at: string; document: Document }> {
    const answer = await fetch(url, { headers: { Accept: "text/html" } });
    return { at: answer.url, document: new DOMParser().parseFromString(await answer.text(), "text/html") };
  }

  /** Null if it was only that the same person signed in again elsewhere. */
  async function signedInAgain(): Promise<Answer | null> {
    const { at, document: found } = await page(form.action);
    if (new URL(at).pathname === signIn) return { is: "out" };
    const token = found.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content;
    if (found.body.dataset.person !== person || !token) return { is: "foreign" };
    for (const field of document.querySelectorAll<HTMLInputElement>("[name=csrfmiddlewaretoken]")) field.value = token;
    const path = document.getElementById("live-link")?.dataset.socket;
    document.dispatchEvent(new CustomEvent("live:connect", { detail: { path } }));
    return null;
  }

  return {
    async send(patch) {
      try {
        const first = await sent(patch);
        if (first.type !== "opaqueredirect" && first.status !== 403) return await answerOf(first);
        return (await signedInAgain()) ?? (await answerOf(await sent(patch)));
      } catch {
        return { is: "lost" };
      }
    },
    leave(patch) {
      void request(patch, { keepalive: true }).catch(() => undefined);
    },
    async page(url) {
      return (await page(url)).document;
    },
    async text(url) {
      const answer = await fetch(url);
      if (!answer.ok || answer.redirected) return undefined;
      return { text: await answer.text(), of: answer.headers.get("X-State") ?? "" };
    },
  };
}

/** The server is away, or has too much to do for this caller. */
function isForLater({ status }: Response): boolean {
  return status >= 500 || status === 408 || status === 429;
}

async function answerOf(response: Response): Promise<Answer> {
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get("Content-Type") ?? "");
  if (isForLater(response) || !isJson) return { is: "lost" };
  const said = (await response.json()) as Record<string, unknown>;
  if (response.ok) return { is: "kept", seq: Number(said.seq), count: Number(said.count), told: String(said.told) };
  const detail = String(said.detail);
  if (response.status === 409 && Array.isArray(said.changed)) {
    const changed = (said.changed as { place: string }[]).map(({ place }) => place);
    return { is: "overtaken", seq: Number(said.seq), changed, texts: said.texts as string[], detail };
  }
  return { is: "refused", forbidden: response.status === 403, detail };
}
