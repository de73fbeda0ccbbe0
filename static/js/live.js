// The socket of a page: it connects again by itself, follows what is announced, notices gaps.
//
// A page, or an island on it, sends live:connect {path}, `/ws/conversations/{id}/` for instance, if the
// template components/live.html does not, and listens. Events on `document`:
//   live:welcome  {socket, person, scopes, state}  connected; `state` has the numbers of now
//   live:changed  {frame, state, gap}  something changed; after a gap, fetch what you show
//   live:people   {people, more, you, person}  who is here; `you` is your own socket
//   live:open     {open}  the connection came or went
//   live:refused  {code, final}  the server closed it: 4401 signed out, 4403 other rights, 4404 gone;
//                 if not final it is opened again, and `live:welcome` tells what you may do now
// and two more that a page sends: live:here {where: "key:NAME" | "node:ID" | "edge:ID" | "", editing}, and
// live:kept {kept}, how often what is typed was kept.
// The frames stand in docs/reference/live-pages.md.

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 15_000;
const RIGHTS_CHANGED = 4403;
const TOO_MANY = 4429;
const FINAL = new Set([4400, 4401, 4404]);

let url = "";
let socket = null;
let state = null;
let you = "";
let person = "";
let failures = 0;
let timer = 0;
let here = { where: "", editing: false, kept: 0 };

function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/**
 * The state after a frame: the next change is applied, an old one ignored; null after a gap.
 * The same rules as in ctxadmin/realtime/following.py.
 */
function follow(state, frame) {
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

document.addEventListener("live:connect", (event) => {
  const place = new URL(event.detail.path, location.href);
  place.protocol = place.protocol === "https:" ? "wss:" : "ws:";
  url = place.href;
  open();
});

function open() {
  clearTimeout(timer);
  if (!url || socket) return;
  const opened = new WebSocket(url);
  socket = opened;
  opened.addEventListener("message", (event) => hear(JSON.parse(event.data)));
  opened.addEventListener("close", (event) => socket === opened && closed(event.code));
}

function closed(code) {
  socket = null;
  tell("live:open", { open: false });
  const final = FINAL.has(code);
  if (code >= 4400 && code !== 4503) tell("live:refused", { code, final });
  if (final) {
    url = "";
    return;
  }
  // Not all pages at once, when a server comes back.
  const wait = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
  failures = code === TOO_MANY ? 6 : failures + 1;
  timer = setTimeout(open, code === RIGHTS_CHANGED ? 0 : wait);
}

function hear(frame) {
  if (frame.v !== 1) return;
  if (frame.type === "welcome") welcome(frame);
  else if (frame.type === "presence") {
    tell("live:people", { people: frame.people, more: frame.more, you, person });
  } else if (frame.type === "activity" || frame.type === "gone" || !state) {
    tell("live:changed", { frame, state, gap: false });
  } else advance(frame);
}

function welcome(frame) {
  ({ state, socket: you, person } = frame);
  failures = 0;
  say();
  tell("live:open", { open: true });
  tell("live:welcome", frame);
}

function advance(frame) {
  const after = follow(state, frame);
  if (after === state) return; // it is known already
  if (after) state = after;
  else {
    // A frame tells where things stand, but for a version that did not change with it.
    const { v, type, id, what, who, keys, more_keys, ...numbers } = frame;
    state = { ...state, ...numbers };
  }
  tell("live:changed", { frame, state, gap: !after });
}

function say() {
  if (socket?.readyState !== WebSocket.OPEN || !you) return;
  socket.send(JSON.stringify({ v: 1, type: "here", ...here }));
}

document.addEventListener("live:here", (event) => {
  const { where = "", editing = false } = event.detail ?? {};
  const known = where.length <= 200 ? where : "";
  if (known === here.where && editing === here.editing) return;
  here = { ...here, where: known, editing };
  say();
});

document.addEventListener("live:kept", ({ detail: { kept } }) => {
  if (kept === here.kept) return;
  here = { ...here, kept };
  say();
});

// A page in the background keeps its socket: a reviewer is still there. One that is put away has
// none, and opens it again when it is taken out.
window.addEventListener("pagehide", () => {
  const left = socket;
  socket = null;
  left?.close();
});
window.addEventListener("pageshow", (event) => event.persisted && open());
window.addEventListener("online", open);
document.addEventListener("visibilitychange", () => document.hidden || open());
