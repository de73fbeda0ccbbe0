// The outcome of a form that is sent: decided here, applied by main.ts.

/** What stands beside the button if the form stays. */
export interface Words {
  /** Nothing was sent. */
  readonly away: string;
  /** It was sent, and no answer came. */
  readonly unknown: string;
  readonly failed: string;
}

type Outcome =
  | { readonly kind: "stays"; readonly words: string }
  /** Another page opens. */
  | { readonly kind: "leaves" }
  /** The answer took the form's place. */
  | { readonly kind: "replaced" }
  /** It is to be sent as any form. */
  | { readonly kind: "plain" };

/** What an answer of the server says, as far as a form asks. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly redirected: boolean;
  /** The JSON of an answer that is no page. */
  readonly said: { readonly key?: string; readonly detail?: string; readonly to?: string };
}

/** How a form reaches the server, and the page the person. */
export interface Sender<A extends Answer> {
  /** Rejects if there is no connection. */
  reach(): Promise<void>;
  /** The page was left: nobody asks any more. */
  isLeft(): boolean;
  /** Rejects if no answer came. */
  post(): Promise<A>;
  /** The form goes on under another key: it was written before. */
  take(key: string): void;
  open(to: string): void;
  /** True if the page of a refusal could be shown in the form's place. */
  showRefusal(answer: A): Promise<boolean>;
}

/** Nothing was read: the server is away, or has too much to do for this caller. */
export function isForLater(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** Whether a button writes: `named` has the names or values of those that do, nothing if all do. */
export function writes(named: string, name: string | undefined, value: string | undefined): boolean {
  const names = named.split(" ").filter(Boolean);
  return !names.length || names.some((each) => each === name || each === value);
}

/** A form that was sent; `isUnknown` tells that an answer of it was lost. */
export class Sending {
  isUnknown = false;

  async end<A extends Answer>(sender: Sender<A>, isWriting: boolean, words: Words): Promise<Outcome> {
    try {
      await sender.reach();
    } catch {
      if (sender.isLeft()) return { kind: "stays", words: "" };
      return { kind: "stays", words: this.isUnknown ? words.unknown : words.away };
    }
    if (sender.isLeft()) return { kind: "stays", words: "" };
    if (!isWriting) return { kind: "plain" };
    this.isUnknown = true;
    try {
      return await this.write(sender, words);
    } catch {
      return { kind: "stays", words: words.unknown };
    }
  }

  private async write<A extends Answer>(sender: Sender<A>, words: Words): Promise<Outcome> {
    const answer = await sender.post();
    if (isForLater(answer.status)) return { kind: "stays", words: words.failed };
    const { key, detail = "", to } = answer.said;
    this.isUnknown = false;
    if (key) {
      sender.take(key);
      return { kind: "stays", words: detail };
    }
    if (answer.ok && to) {
      sender.open(to);
      return { kind: "leaves" };
    }
    return (await sender.showRefusal(answer)) ? { kind: "replaced" } : { kind: "plain" };
  }
}

/** A key that no form had. */
export function keyOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
