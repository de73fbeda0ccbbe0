// How a page follows what a socket announces; the same rules as ctxadmin/sockets/following.py.

/** The state after a frame: the next change is applied, an old one ignored; null after a gap. */
export function follow(state, frame) {
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
