// The TypeScript client of ctxadmin.

export { type Query, type Retries } from "./calls.js";
export { type Begun, Client, type ClientOptions, type EventOptions } from "./client.js";
export type { components, operations, paths } from "./contract.js";
export { type ChangeOptions, Conversation, type Wait } from "./conversation.js";
export * from "./errors.js";
export { checkpointId, type Done, Run, type RunOptions, type Step } from "./run.js";
export type { Sent } from "./streams.js";
export type * as Contract from "./types.js";
