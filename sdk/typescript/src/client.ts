// The client: where everything of a workspace begins.

import { addressOf, newKey, pathOf, type Query, RETRIES, type Retries, secretOf } from "./calls.js";
import { Conversation, listed } from "./conversation.js";
import { Duplicate, InvalidState, OtherWorkflow } from "./errors.js";
import { Run, type RunOptions } from "./run.js";
import type { Sent } from "./streams.js";
import { Transport } from "./transport.js";
import type {
  Answer,
  Conversation as ConversationDetails,
  Given,
  JsonObject,
  Method,
  NewConversation,
  NewExecution,
  PathWith,
  Provider,
  WorkspaceChange,
} from "./types.js";

export interface ClientOptions {
  readonly retries?: Partial<Retries>;
  /** Used instead of the global `fetch`, for proxies or tests. */
  readonly fetch?: typeof fetch;
}

export interface EventOptions {
  /** The `cursor` of the event that was dealt with last; without it the feed begins now. */
  readonly after?: string;
  readonly kinds?: readonly string[];
  readonly status?: readonly string[];
  readonly workflow?: string;
}

export interface Begun extends Omit<NewExecution, "workflow">, RunOptions {
  readonly workflow: string;
  /** What a conversation is made with if there is none. */
  readonly conversation?: Omit<NewConversation, "id">;
}

/** A workspace of a ctxadmin server, seen with one token. */
export class Client {
  private readonly transport: Transport;

  /** `url` is the server's, such as `http://127.0.0.1:8000`; TypeError if it or the token cannot be one. */
  constructor(url: string, token: string, options: ClientOptions = {}) {
    this.transport = new Transport({
      url: addressOf(url),
      token: secretOf(token),
      retries: { ...RETRIES, ...options.retries },
      fetch: options.fetch ?? ((...call) => globalThis.fetch(...call)),
    });
  }

  /** A conversation by its id; nothing is asked, so it need not exist yet. */
  conversation(id: string): Conversation {
    return new Conversation(this.transport, id);
  }

  /** A new conversation, with a made id if none is given; Duplicate if the id is taken. */
  async create(made: NewConversation = {}, provider?: Provider): Promise<Conversation> {
    const { id } = await this.transport.send<ConversationDetails>({
      method: "post",
      path: "/conversations",
      query: { format: provider },
      body: made,
      key: newKey(),
    });
    return this.conversation(id);
  }

  /** The conversation with this id, made as `create` does if there is none. */
  async ensure(id: string, made: Omit<NewConversation, "id"> = {}, provider?: Provider): Promise<Conversation> {
    try {
      return await this.create({ ...made, id }, provider);
    } catch (error) {
      if (error instanceof Duplicate) return this.conversation(id);
      throw error;
    }
  }

  /** All conversations, newest first; `status`, `workflow` and `q` choose. */
  conversations(query: Query = {}): AsyncGenerator<ConversationDetails> {
    return listed(this.transport, "/conversations", query);
  }

  /**
   * The changes of all conversations as they come, without end. Keep the `id` of the event that you
   * dealt with last and give it as `after` when you start again: none is left out. The first event,
   * `state`, has the cursor of now; `reset` tells that changes behind `after` are no longer on record.
   */
  events(options: EventOptions = {}): AsyncGenerator<Sent<WorkspaceChange>, void, undefined> {
    const { after = "", kinds, status, workflow } = options;
    const query = new URLSearchParams();
    if (kinds?.length) query.set("kinds", kinds.join(","));
    if (status?.length) query.set("status", status.join(","));
    if (workflow) query.set("workflow", workflow);
    const search = query.toString();
    return this.transport.stream(`/events${search ? `?${search}` : ""}`, after);
  }

  /**
   * One execution of a workflow over a conversation: begun if the conversation has none, taken up
   * where it stands if it has one. OtherWorkflow if it is one of another workflow.
   */
  async execution(conversationId: string, begun: Begun): Promise<Run> {
    const { conversation: made = {}, provider, ttl, wait, ...execution } = begun;
    const conversation = await this.ensure(conversationId, made, provider);
    let snapshot = await conversation.snapshot([]);
    if (snapshot.execution === null) {
      try {
        await conversation.start(execution);
      } catch (error) {
        if (!(error instanceof InvalidState)) throw error; // another worker was faster
      }
      snapshot = await conversation.snapshot([]);
    }
    if (snapshot.workflow !== begun.workflow || snapshot.execution === null) {
      throw new OtherWorkflow(`${conversationId} has an execution of ${snapshot.workflow}, not of ${begun.workflow}`);
    }
    return new Run(conversation, snapshot.execution, {
      provider,
      ...(ttl === undefined ? {} : { ttl }),
      ...(wait === undefined ? {} : { wait }),
    });
  }

  /** Any call of the contract that answers JSON: `request("get", "/api/v1/workflows", {query: {limit: 10}})`. */
  request<M extends Method, P extends PathWith<M>>(method: M, path: P, given: Given<M, P>): Promise<Answer<M, P>> {
    const { path: places = {}, query, body } = given as { path?: JsonObject; query?: Query; body?: unknown };
    const filled = String(path)
      .replace(/^\/api\/v1/, "")
      .replace(/\{(\w+)\}/g, (_, name: string) => pathOf(String(places[name])).slice(1));
    const key = method === "post" || method === "patch" ? newKey() : undefined;
    return this.transport.send({ method, path: filled, query, body, key });
  }
}
