// One conversation: its messages, and the execution over it.

import { type Call, newKey, pathOf, type Query } from "./calls.js";
import type { Sent } from "./streams.js";
import type { Transport } from "./transport.js";
import type {
  Appended,
  Change,
  Checkpoint,
  Complete,
  Completed,
  Conversation as ConversationDetails,
  Enter,
  Entered,
  Execution,
  Formatted,
  FullMessage,
  Lease,
  Message,
  Method,
  Move,
  Moved,
  NewExecution,
  NewMessage,
  Operate,
  Operated,
  Page,
  Provider,
  Recall,
  SaveCheckpoint,
  Saved,
  Snapshot,
  Started,
  Status,
  UpdateSnapshot,
  Updated,
  Waited,
} from "./types.js";

const RELEASE = 2; // seconds

export interface ChangeOptions {
  readonly reason?: string;
  readonly expected_revision?: number;
  readonly expected_count?: number;
  readonly dry_run?: boolean;
}

export interface Wait {
  readonly afterVersion?: number | undefined;
  readonly status?: readonly Status[];
  /** The execution that is meant: if another has begun, the answer comes at once, with what became of this one. */
  readonly execution?: string | undefined;
  /** At most 60. */
  readonly seconds?: number;
}

/** A conversation by its id; each method is one call of the contract, or a list of them. */
export class Conversation {
  constructor(
    private readonly transport: Transport,
    readonly id: string,
  ) {}

  /** Title, workflow, status, metadata, and how many messages and tokens it has. */
  read(): Promise<ConversationDetails> {
    return this.call("get", []);
  }

  /** Erase the conversation with everything in it. */
  delete(): Promise<void> {
    return this.call("delete", []);
  }

  /** Put messages behind the visible ones, all or none; as `provider` has them. */
  append(messages: readonly (NewMessage | object)[], provider?: Provider): Promise<Appended> {
    return this.call("post", ["messages"], { messages }, { format: provider });
  }

  /** The visible messages, or with `"all"` every one, page by page. */
  messages(view = "current"): AsyncGenerator<Message> {
    return listed(this.transport, pathOf("conversations", this.id, "messages"), { view });
  }

  /** The visible messages as a provider takes them, with `warnings`. */
  messagesFor(provider: Provider): Promise<Formatted> {
    return this.call("get", ["messages"], undefined, { format: provider });
  }

  /** A message in full by its index or id, also a hidden one; counts as a recall, by `node` if it asks. */
  recall(message: number | string, node?: string): Promise<FullMessage> {
    return this.call("get", ["messages", `${message}`], undefined, { node });
  }

  /** How often engines recalled which message, by node, in the order of the log. */
  recalls(): AsyncGenerator<Recall> {
    return listed(this.transport, pathOf("conversations", this.id, "recalls"), {});
  }

  /** The last visible messages, which are hidden now; no two callers get the same. */
  async pop(count = 1): Promise<readonly Message[]> {
    return (await this.call<{ messages: Message[] }>("post", ["messages", "pop"], { count })).messages;
  }

  /** Apply an operation, such as `{operation: "truncate", truncate: {keep_last: 6}}`. */
  operate(operation: Operate): Promise<Operated> {
    return this.call("post", ["operations"], operation);
  }

  /** Show the messages as they were in an earlier batch. */
  rollBack(batch: number, options: ChangeOptions = {}): Promise<Operated> {
    return this.call("post", ["rollback"], { batch, ...options });
  }

  /** The execution as it stands, with all of its state or only some `keys` of it. */
  snapshot(keys?: readonly string[]): Promise<Snapshot> {
    return this.call("get", ["snapshot"], undefined, { keys });
  }

  /** Start an execution; InvalidState while another one has not ended. */
  start(execution: NewExecution): Promise<Started> {
    return this.call("post", ["executions"], execution);
  }

  /** What a node gets. It changes nothing and may be asked again. */
  enter(node: string, body: Enter = {}, provider?: Provider): Promise<Entered> {
    return this.call("post", ["nodes", node, "enter"], body, { format: provider }, { key: undefined });
  }

  /** Hold a node for `ttl` seconds; InvalidState with `heldBy` if somebody else does. */
  claim(node: string, ttl: number, lease?: string): Promise<Lease> {
    return this.call("post", ["nodes", node, "claim"], { ttl, lease });
  }

  /** Give a node up that was claimed; not for long, since the lease runs out by itself. */
  release(node: string, lease: string): Promise<void> {
    return this.call("post", ["nodes", node, "release"], { lease }, undefined, { key: newKey(), patience: RELEASE });
  }

  /** Say what a node did; the same `checkpoint_id` with the same body is the same completion. */
  complete(node: string, body: Complete, provider?: Provider): Promise<Completed> {
    return this.call("post", ["nodes", node, "complete"], body, { format: provider }, { key: undefined });
  }

  /** Save a checkpoint; the same id with the same body is the same save. */
  save(checkpointId: string, body: SaveCheckpoint): Promise<Saved> {
    return this.call("put", ["checkpoints", checkpointId], body);
  }

  /** The executions of the conversation, latest first; only that one can go on. */
  executions(): AsyncGenerator<Execution> {
    return listed(this.transport, pathOf("conversations", this.id, "executions"), {});
  }

  /** The versions of the execution, newest first. */
  checkpoints(query: Query = {}): AsyncGenerator<Checkpoint> {
    return listed(this.transport, pathOf("conversations", this.id, "checkpoints"), query);
  }

  /** Delete a version and its bytes; one of a former `execution` if it is named. */
  deleteCheckpoint(version: number, execution?: string): Promise<void> {
    return this.call("delete", ["checkpoints", `${version}`], undefined, { execution });
  }

  /** Change the state of a PAUSED execution; `expected_version` guards what you read. */
  changeState(body: UpdateSnapshot): Promise<Updated> {
    return this.call("patch", ["snapshot"], body);
  }

  /** Pause, at once or after the node that is under way. */
  pause(body: Move = {}): Promise<Moved> {
    return this.call("post", ["pause"], body);
  }

  /** Let a paused execution go on, elsewhere with `from_node`. */
  resume(body: Move = {}): Promise<Moved> {
    return this.call("post", ["resume"], body);
  }

  approve(body: Move = {}): Promise<Moved> {
    return this.call("post", ["approve"], body);
  }

  reject(body: Move = {}): Promise<Moved> {
    return this.call("post", ["reject"], body);
  }

  cancel(body: Move = {}): Promise<Moved> {
    return this.call("post", ["cancel"], body);
  }

  /** Wait for a version behind `afterVersion` and one of the statuses. */
  wait({ afterVersion, status, execution, seconds = 50 }: Wait = {}): Promise<Waited> {
    const query = { after_version: afterVersion, status, execution, timeout: seconds };
    return this.call("get", ["wait"], undefined, query, { wait: seconds });
  }

  /** The changes of this conversation as they come, behind the one that was seen last. */
  async *events(lastId = ""): AsyncGenerator<Sent<Change>, void, undefined> {
    for await (const sent of this.transport.stream<Change>(pathOf("conversations", this.id, "events"), lastId)) {
      yield sent;
      if (sent.event === "erased") return;
    }
  }

  private call<T>(
    method: Method,
    parts: readonly string[],
    body?: unknown,
    query?: Query,
    rest: Pick<Call, "key" | "wait" | "patience"> = {
      key: method === "post" || method === "patch" ? newKey() : undefined,
    },
  ): Promise<T> {
    return this.transport.send<T>({
      method,
      path: pathOf("conversations", this.id, ...parts),
      query,
      body,
      ...rest,
    });
  }
}

/** Everything in a list of the contract, page by page. */
export async function* listed<T>(transport: Transport, path: string, query: Query): AsyncGenerator<T> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<T> = await transport.send({ method: "get", path, query: { ...query, cursor } });
    yield* page.results;
    cursor = page.next;
  }
}
