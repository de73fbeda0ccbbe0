// The shapes of the contract by the names that the client uses; all of them are generated.

import type { components, paths } from "./contract.js";

type Schemas = components["schemas"];

export type Json = Schemas["JsonValue"];
export type JsonObject = { [key: string]: Json };
export type Status = Schemas["Status"];
export type Conversation = Schemas["ConversationAnswer"];
export type NewConversation = Schemas["CreateConversation"];
export type NewMessage = Schemas["IncomingMessage"];
export type Message = Schemas["MessageAnswer"];
export type FullMessage = Schemas["OneMessageAnswer"];
export type Recall = Schemas["RecallAnswer"];
export type Formatted = Schemas["FormattedAnswer"];
export type Appended = Schemas["AppendedAnswer"];
export type Operate = Schemas["Operate"];
export type Operated = Schemas["ChangeAnswer"];
export type Snapshot = Schemas["SnapshotAnswer"];
export type NewExecution = Schemas["StartExecution"];
export type Execution = Schemas["ListedExecutionAnswer"];
export type Started = Schemas["StartedAnswer"];
export type Enter = Schemas["EnterNode"];
export type Entered = Schemas["EnteredAnswer"];
export type Lease = Schemas["LeaseAnswer"];
export type Complete = Schemas["CompleteNode"];
export type Completed = Schemas["CompletedAnswer"];
export type NodeResult = Schemas["NodeResult"];
export type Usage = Schemas["ModelUsage"];
export type SaveCheckpoint = Schemas["SaveCheckpoint"];
export type Saved = Schemas["SavedAnswer"];
export type Checkpoint = Schemas["ListedCheckpointAnswer"];
export type UpdateSnapshot = Schemas["UpdateSnapshot"];
export type Updated = Schemas["UpdatedAnswer"];
export type Move = Schemas["MoveExecution"];
export type Moved = Schemas["MovedAnswer"];
export type Waited = Schemas["WaitedAnswer"];
export type Change = Schemas["StreamedEvent"];
export type WorkspaceChange = Schemas["FeedEventAnswer"];
export type ProblemDetails = Schemas["Problem"];
export type Code = ProblemDetails["code"];

/** In which format a provider has its messages. */
export type Provider = "openai" | "anthropic" | "responses" | "vercel";

export interface Page<T> {
  readonly results: readonly T[];
  readonly next: string | null;
}

export type Method = "get" | "put" | "post" | "patch" | "delete";
type Kept<Of, Name extends string> = Of extends { [key in Name]: infer Found } ? Found : undefined;

/** The paths of the contract that have a method. */
export type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [key in M]: object } ? Path : never;
}[keyof paths];

type Operation<M extends Method, Path extends PathWith<M>> = Kept<paths[Path], M>;
type Parameters<Of> = Kept<Of, "parameters">;
type PathPart<Of> =
  Parameters<Of> extends { path: infer Found extends object } ? { readonly path: Found } : { readonly path?: never };
type QueryPart<Of> =
  Parameters<Of> extends { query: infer Found extends object }
    ? { readonly query: Found }
    : Parameters<Of> extends { query?: infer Found }
      ? { readonly query?: NonNullable<Found> }
      : { readonly query?: never };
type BodyPart<Of> = Of extends { requestBody: { content: { "application/json": infer Found } } }
  ? { readonly body: Found }
  : Of extends { requestBody?: { content: { "application/json": infer Found } } }
    ? { readonly body?: Found }
    : { readonly body?: never };

/** What a call of the contract takes: the parameters of its path, its query, its body. */
export type Given<M extends Method, Path extends PathWith<M>> = PathPart<Operation<M, Path>> &
  QueryPart<Operation<M, Path>> &
  BodyPart<Operation<M, Path>>;

type Content<Of> = Of extends { content: { "application/json": infer Found } } ? Found : undefined;
type Responses<Of> = Kept<Of, "responses">;

/** What a call of the contract answers; undefined if it has no body. */
export type Answer<M extends Method, Path extends PathWith<M>> = {
  [Code in keyof Responses<Operation<M, Path>>]: Content<Responses<Operation<M, Path>>[Code]>;
}[keyof Responses<Operation<M, Path>>];
