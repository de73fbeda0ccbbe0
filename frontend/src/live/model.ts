// The state that a page follows, one frame after the other, and the delays between connections.

export interface State {
  readonly kind: string;
  readonly seq: number;
  readonly [name: string]: unknown;
}

export interface Frame {
  readonly v: number;
  readonly type: string;
  readonly seq: number;
  readonly [name: string]: unknown;
}

/**
 * The state after a frame: the next change is applied, an old one ignored; null after a gap.
 * The same rules as in ctxadmin/realtime/following.py; a test holds both against each other.
 */
export function follow(state: State, frame: Frame): State | null {
  if (frame.seq <= state.seq) return state;
  if (frame.seq !== state.seq + 1) return null;
  if (frame.type === "changed" && state.kind === "conversation") {
    const { seq, status, revision, count } = frame;
    const execution = frame.execution ?? state.execution;
    const version = frame.version ?? state.version;
    return { ...state, seq, execution, version, status, revision, count };
  }
  if (frame.type === "draft" && state.kind === "workflow") {
    const { seq, draft_version, published_version } = frame;
    return { ...state, seq, draft_version, published_version };
  }
  return null;
}

// A frame tells where things stand, but for these, which are about the change alone.
const OF_THE_CHANGE = new Set(["v", "type", "id", "what", "who", "keys", "more_keys"]);

interface Advanced {
  readonly state: State;
  readonly gap: boolean;
}

/** The state with all that a frame tells, also after a gap; null for what is known already. */
export function advanced(state: State, frame: Frame): Advanced | null {
  const after = follow(state, frame);
  if (after === state) return null;
  if (after) return { state: after, gap: false };
  const numbers = Object.entries(frame).filter(([name]) => !OF_THE_CHANGE.has(name));
  return { state: { ...state, ...Object.fromEntries(numbers) }, gap: true };
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 15_000;
const RIGHTS_CHANGED = 4403;
const AWAY = 4503;
const TOO_MANY = 4429;
const MANY_FAILURES = 6;
const FINAL = new Set([4400, 4401, 4404]);

/** What becomes of a socket that was closed. */
interface Closed {
  /** The server said why, and a page has to know. */
  readonly refused: boolean;
  /** It is not opened again. */
  readonly final: boolean;
  readonly waitMs: number;
  /** Failures in a row, for the next time. */
  readonly failures: number;
}

/** `chance` is from 0 to 1: not all pages come at once when a server is back. */
export function closedBy(code: number, failures: number, chance: number): Closed {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.5 + chance / 2);
  return {
    refused: code >= 4400 && code !== AWAY,
    final: FINAL.has(code),
    waitMs: code === RIGHTS_CHANGED ? 0 : wait,
    failures: code === TOO_MANY ? MANY_FAILURES : failures + 1,
  };
}

/** What a page tells of its person: where they are, whether they edit, how often it was kept. */
export interface Here {
  readonly where: string;
  readonly editing: boolean;
  /** What was edited and is not applied. */
  readonly keys: readonly string[];
  readonly kept: number;
}

export const NOWHERE: Here = { where: "", editing: false, keys: [], kept: 0 };
const LONGEST_PLACE = 200;
const MOST_KEYS = 20;
const KEYS_BYTES = 1000; // of a message, which has at most 2048

/** What is to be told now; the same object if that is nothing new. */
export function movedTo(here: Here, where = "", editing = false): Here {
  const known = where.length <= LONGEST_PLACE ? where : "";
  return known === here.where && editing === here.editing ? here : { ...here, where: known, editing };
}

/** The keys that were edited, as many as are told; the same object if they are the same. */
export function withKeys(here: Here, keys: readonly string[]): Here {
  const told: string[] = [];
  let room = KEYS_BYTES;
  for (const key of keys.slice(0, MOST_KEYS)) {
    const bytes = new TextEncoder().encode(JSON.stringify(key)).length;
    if (key.length > LONGEST_PLACE || bytes > room) continue;
    room -= bytes;
    told.push(key);
  }
  return JSON.stringify(told) === JSON.stringify(here.keys) ? here : { ...here, keys: told };
}
