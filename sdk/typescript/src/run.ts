// Running an execution: its nodes as they get ready, each claimed, entered, completed.

import type { Conversation } from "./conversation.js";
import { CtxAdminError, Duplicate, InvalidState } from "./errors.js";
import type { Completed, Entered, NewMessage, NodeResult, Provider, Snapshot, Status, Usage } from "./types.js";

const WAIT = 50; // seconds of one call; the server allows 60
const HELD = 5; // of a wait for a node that another worker holds, which may have died
const ENDED: ReadonlySet<Status> = new Set<Status>(["COMPLETED", "FAILED", "CANCELLED"]);
const LONGEST = 64;
const TAIL = 8;

/** What a node did: its answer, changes of the state, new messages. */
export interface Done extends NodeResult {
  readonly state?: { readonly [key: string]: unknown };
  readonly messages?: readonly (NewMessage | object)[];
  readonly usage?: Usage;
}

/** One node that this worker does: what it gets, and until when others leave it alone. */
export interface Step {
  readonly node: string;
  readonly entered: Entered;
  /** Hold the node for longer, before the lease runs out. */
  renew(): Promise<void>;
}

export interface RunOptions {
  readonly provider?: Provider | undefined;
  /** Seconds for which a node is claimed: what takes longer calls `renew`. */
  readonly ttl?: number;
  /** False ends the loop where only a person can go on. */
  readonly wait?: boolean;
}

/**
 * The id of what a node writes that was entered at a version. Whoever enters the same node at the
 * same version makes the same id, in Python too: a worker that died behind its completion and one
 * that takes over repeat one save instead of making two.
 */
export async function checkpointId(execution: string, node: string, version: number): Promise<string> {
  const end = `-v${version}-${execution.slice(-TAIL)}`;
  if ([...node].length + end.length <= LONGEST) return node + end;
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(node));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${[...node].slice(0, 24).join("")}-${hex.slice(0, 16)}${end}`;
}

/** One execution that this process works on, alone or with others. */
export class Run {
  constructor(
    readonly conversation: Conversation,
    readonly execution: string,
    private readonly options: RunOptions = {},
  ) {}

  /**
   * Do each node that is ready and that nobody else does, until the execution ends; its status then.
   *
   * While people review, or others do all ready nodes, it waits; a node that a dead worker held
   * comes when its lease has run out. What somebody else completed first is passed over. If `work`
   * throws, the node is given up, and the error is yours.
   */
  async each(work: (step: Step) => Promise<Done>): Promise<Status> {
    const { ttl = 120, wait = true } = this.options;
    for (;;) {
      const snapshot = await this.conversation.snapshot([]);
      if (snapshot.execution !== this.execution || ENDED.has(snapshot.status)) return snapshot.status;
      const nodes = snapshot.status === "RUNNING" ? snapshot.ready_nodes : [];
      if (await this.oneOf(nodes, work, ttl)) continue;
      if (!wait && nodes.length === 0) return snapshot.status;
      const seconds = nodes.length > 0 ? Math.min(HELD, ttl) : WAIT;
      await this.conversation.wait({ afterVersion: snapshot.version, execution: this.execution, seconds });
    }
  }

  /** Do the first node that nobody else holds; false if there is none. */
  private async oneOf(nodes: Snapshot["ready_nodes"], work: (step: Step) => Promise<Done>, ttl: number): Promise<boolean> {
    for (const node of nodes) {
      let lease: string;
      try {
        ({ lease } = await this.conversation.claim(node, ttl));
      } catch (error) {
        if (error instanceof InvalidState) continue; // somebody else holds it or has completed it
        throw error;
      }
      if (await this.held(node, lease, work, ttl)) return true;
    }
    return false;
  }

  /** Enter a node, do it and complete it; false, and given up, if somebody else was faster. */
  private async held(node: string, lease: string, work: (step: Step) => Promise<Done>, ttl: number): Promise<boolean> {
    let completed: Completed | undefined;
    try {
      const entered = await this.entered(node);
      if (entered === undefined) return false;
      const renew = async (): Promise<void> => void (await this.conversation.claim(node, ttl, lease));
      completed = await this.completed(node, lease, entered.version, await work({ node, entered, renew }));
      return completed !== undefined;
    } finally {
      if (completed === undefined) await this.giveUp(node, lease);
    }
  }

  private async entered(node: string): Promise<Entered | undefined> {
    try {
      return await this.conversation.enter(node, {}, this.options.provider);
    } catch (error) {
      if (error instanceof InvalidState) return undefined;
      throw error;
    }
  }

  /** Store what a node did; undefined if somebody else was faster. */
  private async completed(node: string, lease: string, version: number, done: Done): Promise<Completed | undefined> {
    const { state, messages, usage, ...result } = done;
    const body = {
      checkpoint_id: await checkpointId(this.execution, node, version),
      result,
      lease,
      ...(state ? { state_data: state } : {}),
      ...(messages ? { messages: messages as NewMessage[] } : {}),
      ...(usage ? { usage } : {}),
    };
    try {
      return await this.conversation.complete(node, body, this.options.provider);
    } catch (error) {
      if (error instanceof InvalidState || error instanceof Duplicate) return undefined;
      throw error;
    }
  }

  private async giveUp(node: string, lease: string): Promise<void> {
    try {
      await this.conversation.release(node, lease);
    } catch (error) {
      if (!(error instanceof CtxAdminError)) throw error; // it is not held, or will not be for long
    }
  }
}
