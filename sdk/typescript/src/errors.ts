// What can go wrong: one class for each kind of code of the contract, and one for no answer.

import type { Code, ProblemDetails } from "./types.js";

/** The base of all errors of this package. */
export class CtxAdminError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/**
 * The server gave no answer that counts, however often it was asked. Whether a write was done is
 * not known: make the same call again, with the same id or key.
 */
export class NoAnswer extends CtxAdminError {}

/** The conversation has an execution of another workflow than the one that was asked for. */
export class OtherWorkflow extends CtxAdminError {}

/** What is wrong with one field: its JSON pointer in the body, a message, a code. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
  readonly code: string;
}

/** The server refused a call; nothing of it was done. `problem` is the whole answer. */
export class Refused extends CtxAdminError {
  readonly code: string;
  readonly detail: string;

  constructor(
    readonly status: number,
    readonly problem: Partial<ProblemDetails>,
  ) {
    const code = problem.code ?? "unknown";
    const detail = problem.detail || problem.title || `HTTP ${status}`;
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
  }

  /** What is wrong with which field. */
  get faults(): readonly Fault[] {
    return Array.isArray(this.problem.errors) ? this.problem.errors : [];
  }
}

/** The call is wrong as it stands; `faults` names the fields. */
export class Invalid extends Refused {}

/** A node's filters leave nothing that it could take: its workflow has to be changed. */
export class IncompatibleContext extends Refused {}

/** The token is missing, revoked or expired. */
export class Unauthenticated extends Refused {}

/** The token has not the scope that the call needs. */
export class Forbidden extends Refused {}

/** There is no such thing in the token's workspace. */
export class NotFound extends Refused {}

/** The execution is not in a state that allows this; read it again and go on from there. */
export class InvalidState extends Refused {
  /** Who holds the node by a lease, "" if nobody does. */
  get heldBy(): string {
    return this.problem.held_by ?? "";
  }
}

/** Something changed since it was read; `actual` is the version of now. */
export class VersionConflict extends Refused {
  get actual(): number | undefined {
    return typeof this.problem.actual === "number" ? this.problem.actual : undefined;
  }

  get changedKeys(): readonly string[] {
    return this.problem.changed_keys ?? [];
  }
}

/** The id is taken, or was used with another body. */
export class Duplicate extends Refused {}

/** What is stored is not what was written; an administrator has to look at it. */
export class Damaged extends Refused {}

/** The body, or the work that it asks for, exceeds a limit of the server. */
export class TooLarge extends Refused {}

/** The server could not answer in time, after all the repeats: try again later. */
export class Busy extends Refused {}

type Kind = new (status: number, problem: Partial<ProblemDetails>) => Refused;

// A code that the contract gains without a line here is an error of the compiler.
const BY_CODE: { readonly [code in Code]: Kind } = {
  validation: Invalid,
  out_of_range: Invalid,
  type_mismatch: Invalid,
  method_not_allowed: Invalid,
  not_acceptable: Invalid,
  unsupported_media_type: Invalid,
  incompatible_context: IncompatibleContext,
  unauthenticated: Unauthenticated,
  forbidden: Forbidden,
  not_found: NotFound,
  invalid_state: InvalidState,
  version_conflict: VersionConflict,
  duplicate: Duplicate,
  damaged: Damaged,
  too_large: TooLarge,
  unavailable: Busy,
  rate_limited: Busy,
  request_timeout: Busy,
  internal: Busy,
};
const BY_STATUS: { readonly [status: number]: Kind } = {
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  413: TooLarge,
  429: Busy,
};

/** The error of an answer; of a code that this release does not know, one by its status. */
export function refusal(status: number, content: string): Refused {
  const problem = problemOf(content);
  const code = problem.code;
  const known = code !== undefined && Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  const kind = known ?? BY_STATUS[status] ?? (status >= 500 ? Busy : Refused);
  return new kind(status, problem);
}

function problemOf(content: string): Partial<ProblemDetails> {
  try {
    const found: unknown = JSON.parse(content);
    if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
  } catch {
    // a proxy answered, in its own words
  }
  return { detail: content.slice(0, 500).trim() };
}
