// The socket of a page: it reconnects by itself, applies announced changes, and detects gaps.
//
// A page, or an island on it, sends live:connect {path}, `/ws/conversations/{id}/` for instance, if the
// template components/live.html does not, and listens. Events on `document`:
//   live:welcome  {socket, person, scopes, state}  connected; `state` has the numbers of now
//   live:changed  {frame, state, gap}  something changed; after a gap, fetch what you show
//   live:people   {people, more, you, person}  who is here; `you` is your own socket
//   live:open     {open}  the connection came or went
//   live:refused  {code, final}  the server closed it: 4401 signed out, 4403 other rights, 4404 gone;
//                 if not final it is opened again, and `live:welcome` tells what you may do now
// and three more that a page sends: live:here {where: "key:NAME" | "node:ID" | "edge:ID" | "", editing},
// live:edited {keys}, those of the state that were edited and are not applied, and
// live:kept {kept}, how often what is typed was kept.
// The frames stand in docs/reference/live-pages.md.

import { advanced, closedBy, type Frame, type Here, movedTo, NOWHERE, type State, withKeys } from "./model";

let url = "";
let socket: WebSocket | null = null;
let state: State | null = null;
let you = "";
let person = "";
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let here: Here = NOWHERE;

function tell(name: string, detail: unknown): void {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

function listen<T>(name: string, hear: (detail: T) => void): void {
  document.addEventListener(name, (event) => hear((event as CustomEvent<T>).detail));
}

listen<{ readonly path: string }>("live:connect", ({ path }) => {
  const place = new URL(path, location.href);
  place.protocol = place.protocol === "https:" ? "wss:" : "ws:";
  url = place.href;
  open();
});

function open(): void {
  clearTimeout(timer);
  if (!url || socket) return;
  const opened = new WebSocket(url);
  socket = opened;
  opened.addEventListener("message", (event) => hear(JSON.parse(event.data as string) as Frame));
  opened.addEventListener("close", (event) => socket === opened && closed(event.code));
}

function closed(code: number): void {
  socket = null;
  tell("live:open", { open: false });
  const { refused, final, waitMs, failures: now } = closedBy(code, failures, Math.random());
  if (refused) tell("live:refused", { code, final });
  if (final) {
    url = "";
    return;
  }
  failures = now;
  timer = setTimeout(open, waitMs);
}

function hear(frame: Frame): void {
  if (frame.v !== 1) return;
  if (frame.type === "welcome") welcome(frame);
  else if (frame.type === "presence") tell("live:people", { people: frame.people, more: frame.more, you, person });
  else if (frame.type === "activity" || frame.type === "gone" || !state) tell("live:changed", { frame, state, gap: false });
  else advance(state, frame);
}

function welcome(frame: Frame): void {
  state = frame.state as State | null;
  you = frame.socket as string;
  person = frame.person as string;
  failures = 0;
  say();
  tell("live:open", { open: true });
  tell("live:welcome", frame);
}

function advance(before: State, frame: Frame): void {
  const after = advanced(before, frame);
  if (!after) return; // it is known already
  state = after.state;
  tell("live:changed", { frame, state, gap: after.gap });
}

function say(): void {
  if (socket?.readyState !== WebSocket.OPEN || !you) return;
  socket.send(JSON.stringify({ v: 1, type: "here", ...here }));
}

function be(now: Here): void {
  if (now === here) return;
  here = now;
  say();
}

listen<Partial<Here> | null>("live:here", (detail) => be(movedTo(here, detail?.where, detail?.editing)));
listen<{ readonly keys: readonly string[] }>("live:edited", ({ keys }) => be(withKeys(here, keys)));
listen<{ readonly kept: number }>("live:kept", ({ kept }) => be(kept === here.kept ? here : { ...here, kept }));

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
