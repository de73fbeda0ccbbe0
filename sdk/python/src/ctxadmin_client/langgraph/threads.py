"""What a saver knows of a thread: its execution when it was last read or written."""

import asyncio
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import WRITES_IDX_MAP
from langgraph.checkpoint.serde.base import SerializerProtocol

from ctxadmin_client.answers import JsonObject, Snapshot
from ctxadmin_client.errors import CtxAdminError
from ctxadmin_client.langchain.messages import from_stored, log_id, to_stored
from ctxadmin_client.langchain.values import is_plain, packed, readable, unpacked
from ctxadmin_client.langgraph.checkpoints import Head, State, head_key, public_id
from ctxadmin_client.langgraph.view import Change, change

MARK: Final = "langgraph.mark"  # the channel of the saver's own record in the writes of a task
_MARK_INDEX: Final = -100
_MOST_METADATA: Final = 60_000  # bytes; the contract takes 64 KiB
_LONGEST_REASON: Final = 1_000
_LONGEST_ERROR: Final = 2_000
_ASKED: Final = ("question", "reason", "message", "title", "description", "action", "prompt")
INTERRUPT: Final = "__interrupt__"
RESUME: Final = "__resume__"
FAILURE: Final = "__error__"
HANDLED: Final = "__error_source_node__"  # marks an error that a handler of the graph gets
RESUMED: Final = "The graph was resumed."  # the reason that a saver gives when it resumes
Pending = list[tuple[str, str, Any]]  # task, channel and value of each write


class Stopped(CtxAdminError):
    """The execution stopped, or continued elsewhere, while the graph was running.

    A person paused, rejected, cancelled or restored it, or erased the conversation, or another
    process runs the same thread. What the graph did since its last checkpoint is not stored. When
    the execution is running again, invoke the graph with None: it continues from the latest
    checkpoint.
    """


@dataclass(frozen=True, slots=True)
class Place:
    """What a config names: a thread, a namespace, and perhaps a checkpoint."""

    thread: str
    namespace: str
    checkpoint: str | None

    @classmethod
    def of(cls, config: RunnableConfig) -> "Place":
        named = config["configurable"]
        checkpoint = named.get("checkpoint_id")
        return cls(str(named["thread_id"]), named.get("checkpoint_ns") or "", checkpoint)

    def config(self, checkpoint: str) -> RunnableConfig:
        return {
            "configurable": {
                "thread_id": self.thread,
                "checkpoint_ns": self.namespace,
                "checkpoint_id": checkpoint,
            }
        }


def thread_of(conversation: str, mark: Mapping[str, Any]) -> str:
    """Returns the thread of a conversation by its mark; a fork has the mark of its source."""
    thread = str(mark.get("thread_id"))
    return thread if public_id(thread) == conversation else conversation


@dataclass(slots=True)
class Now:
    """The current execution and view; ``logged`` are the ids of the shown messages."""

    status: str = "IDLE"
    version: int = 0
    execution: str | None = None
    state: State = field(default_factory=State)
    logged: list[str | None] = field(default_factory=list)
    pause: Mapping[str, Any] | None = None
    heads: dict[str, Head | None] = field(default_factory=dict)
    exists: bool = True

    @property
    def ended(self) -> bool:
        return self.status in ("COMPLETED", "CANCELLED")

    @property
    def is_new(self) -> bool:
        """Returns True if no graph has saved anything yet."""
        return head_key("") not in self.state.opaque

    def head(self, namespace: str, serde: SerializerProtocol) -> Head | None:
        if namespace not in self.heads:
            self.heads[namespace] = self.state.head(namespace, serde)
        return self.heads[namespace]

    def previous(self, serde: SerializerProtocol) -> str | None:
        """Returns the execution before the one in which the next checkpoint is saved."""
        if self.ended:
            return self.execution
        head = self.head("", serde)
        return head.previous if head is not None else None


@dataclass(slots=True)
class Thread:
    """``known`` are the checkpoints that were saved or read, ``interrupts`` those of the latest.

    ``used`` are the ids of messages that the log is known to have. ``prefix`` are messages from
    before the graph, which it does not know until it is invoked again. ``stopped`` is True if the
    answer to a checkpoint was a pause that the graph did not ask for. ``then`` are older
    checkpoints that were read: a graph that continues from one has not seen the current state.
    ``erased`` is True if the conversation was erased after the graph had read it.
    """

    now: Now | None = None
    known: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    interrupts: dict[str, tuple[str, Any]] = field(default_factory=dict)
    prefix: list[BaseMessage] = field(default_factory=list)
    stopped: bool = False
    then: set[str] = field(default_factory=set)
    erased: bool = False


def now_of(
    snapshot: Snapshot,
    stored: Sequence[Mapping[str, Any]],
    former: Now | None,
    serde: SerializerProtocol,
) -> Now:
    """Returns the execution of a snapshot; known messages are taken from ``former``."""
    messages, logged = read_messages(stored, former, serde)
    data = {key: value for key, value in snapshot.state_data.items() if key != "messages"}
    return Now(
        status=snapshot.status,
        version=snapshot.version,
        execution=snapshot.execution,
        state=State(data, dict(snapshot.data.get("opaque") or {}), messages),
        logged=logged,
        pause=snapshot.pause,
    )


def read_messages(
    stored: Sequence[Mapping[str, Any]], former: Now | None, serde: SerializerProtocol
) -> tuple[list[BaseMessage], list[str | None]]:
    """Returns the messages of a view and their ids; known ones are reused."""
    had: dict[str | None, BaseMessage] = {}
    if former is not None:
        had = dict(zip(former.logged, former.state.messages, strict=False))
        had.pop(None, None)
    logged = [str(each["id"]) for each in stored]
    messages = [
        had.get(name) or from_stored(each, serde) for name, each in zip(logged, stored, strict=True)
    ]
    return messages, [*logged]


@dataclass(slots=True)
class Shown:
    """The messages that a save sends, and the view after it."""

    operations: list[JsonObject] = field(default_factory=list)
    appended: list[JsonObject] = field(default_factory=list)
    messages: list[BaseMessage] = field(default_factory=list)
    logged: list[str | None] = field(default_factory=list)


def shown(
    now: Now, new: Sequence[BaseMessage], thread: Thread, serde: SerializerProtocol, *, again: bool
) -> Shown:
    """Returns how to make the view ``new``; ``again`` gives messages new ids."""
    old = now.state.messages
    if thread.prefix:
        ids = {each.id for each in thread.prefix}
        new = [*thread.prefix, *(each for each in new if each.id is None or each.id not in ids)]
    found = Shown(messages=list(new))
    wanted = change(old, new)
    logged: dict[int, str | None] = {}
    taken: set[str] = set()

    def stored(place: int) -> JsonObject:
        name = log_id(new[place])
        if name is not None and (again or name in taken or name in thread.used):
            name = f"{name[:50]}-{secrets.token_hex(6)}"
        if name is not None:
            taken.add(name)
        logged[place] = name
        return to_stored(new[place], serde, name)

    if wanted == Change(tail=len(old)):  # only new ones: skips the work for each old one
        found.appended = [stored(place) for place in range(len(old), len(new))]
        found.logged = [*now.logged, *(logged[place] for place in range(len(old), len(new)))]
        return found
    if wanted.replaces_all and old:
        found.operations.append({"operation": "truncate", "truncate": {"keep_last": 0}})
    if wanted.removed:
        ranges = [{"start": start, "end": end} for start, end in wanted.removed]
        found.operations.append({"operation": "truncate", "truncate": {"remove_ranges": ranges}})
    kept = _kept(now.logged, wanted.removed) if not wanted.replaces_all else []
    inserted = {place for start, stop in wanted.inserted for place in range(start, stop)}
    places = [place for place in range(wanted.tail) if place not in inserted]
    logged |= dict(zip(places, kept, strict=False))
    moved = dict(zip(places, range(len(places)), strict=True))
    for place in wanted.replaced:
        replace = {"index": moved[place], "message": stored(place)}
        found.operations.append({"operation": "replace", "replace": replace})
    for start, stop in wanted.inserted:
        messages = [stored(place) for place in range(start, stop)]
        insert = {"position": start, "messages": messages}
        found.operations.append({"operation": "insert", "insert": insert})
    found.appended = [stored(place) for place in range(wanted.tail, len(new))]
    found.logged = [logged[place] for place in range(len(new))]
    return found


def _kept(logged: Sequence[str | None], removed: Sequence[tuple[int, int]]) -> list[str | None]:
    hidden = {place for start, stop in removed for place in range(start, stop)}
    return [name for place, name in enumerate(logged) if place not in hidden]


def details_of(metadata: Mapping[str, Any], previous: str | None) -> JsonObject:
    """Returns the metadata for finding a checkpoint: those that are JSON and not too large."""
    found: JsonObject = {}
    size = 0
    for name, value in metadata.items():
        if isinstance(name, str) and is_plain(value):
            size += len(name) + len(repr(value).encode(errors="replace"))
            if size <= _MOST_METADATA:
                found[name] = value
    if previous is not None:
        found["previous_execution"] = previous
    return found


def writes_of(
    writes: Sequence[tuple[str, Any]], version: int, task_path: str, serde: SerializerProtocol
) -> list[JsonObject]:
    """Returns the writes of a task for ctxadmin, with the saver's mark."""
    mark = {"version": version, "path": task_path}
    listed: list[JsonObject] = [{"channel": MARK, "index": _MARK_INDEX, "value": mark}]
    for place, (channel, value) in enumerate(writes):
        write: JsonObject = {"channel": channel, "index": WRITES_IDX_MAP.get(channel, place)}
        if is_plain(value) and value is not None:
            write["value"] = value
        else:
            write["opaque"] = packed(value, serde)
        listed.append(write)
    return listed


def pending(
    listed: Sequence[Mapping[str, Any]],
    serde: SerializerProtocol,
    *,
    since: int = 0,
    until: int | None = None,
) -> Pending:
    """Returns the writes of all tasks of a checkpoint, in LangGraph's order.

    Writes before version ``since`` belong to a run that a restore undid, writes after version
    ``until`` to one that a fork did not copy: of these only the questions are kept.
    """
    marks = {each["task_id"]: each["value"] for each in listed if each["channel"] == MARK}
    found = []
    for each in listed:
        mark = marks.get(each["task_id"]) or {}
        version = int(mark.get("version", 0))
        is_undone = version < since or (until is not None and version > until)
        if each["channel"] == MARK or (is_undone and each["channel"] != INTERRUPT):
            continue
        opaque = each.get("opaque")
        value = each.get("value") if opaque is None else unpacked(opaque, serde)
        place = (str(mark.get("path", "")), str(each["task_id"]), int(each["index"]))
        found.append((place, (str(each["task_id"]), str(each["channel"]), value)))
    found.sort(key=lambda write: write[0])
    return [write for _, write in found]


def questions_in(value: Any) -> list[Any]:
    """Returns the questions of the interrupts in a write."""
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    return [readable(getattr(each, "value", each)) for each in listed]


def failure_of(writes: Sequence[tuple[str, Any]]) -> str:
    """Returns why a task failed; "" if it did not, its error is handled, or it was stopped."""
    if any(channel == HANDLED for channel, _ in writes):
        return ""
    error = next((value for channel, value in writes if channel == FAILURE), None)
    if error is None or isinstance(error, asyncio.CancelledError):
        return ""
    kind = type(error).__name__ if isinstance(error, BaseException) else "error"
    return f"{kind}: {error}".removesuffix(": ").encode(errors="replace").decode()[:_LONGEST_ERROR]


def reason_of(payload: Any) -> str:
    """Returns the reason of a pause for a reviewer: the question, or a general sentence."""
    if isinstance(payload, list) and payload:
        payload = payload[0]
    if isinstance(payload, dict) and isinstance(payload.get("action_requests"), list):
        payload = next(iter(payload["action_requests"]), None)  # of LangChain's middleware
    if isinstance(payload, dict):
        texts = (payload.get(name) for name in _ASKED)
        payload = next((text for text in texts if isinstance(text, str) and text), None)
    if isinstance(payload, str) and payload.strip():
        return payload.strip()[:_LONGEST_REASON]
    return "The graph asks for a decision."


def pause_id(checkpoint: str, version: int) -> str:
    """Returns the id of the save that pauses at an interrupt."""
    return "pause-" + hashlib.sha256(f"{checkpoint}|{version}".encode()).hexdigest()[:40]


def is_of_graph(row: Mapping[str, Any]) -> bool:
    """Returns True if LangGraph saved this version."""
    return row["kind"] == "checkpoint" and bool(row["metadata"].get("source"))


def versions_to_delete(rows: Sequence[Mapping[str, Any]], doomed: set[str]) -> list[int]:
    """Returns the versions to delete among the rows of an execution, newest first like the rows."""
    found = []
    is_doomed = False
    for row in reversed(rows):
        if row["deleted_at"] is not None:
            is_doomed = True
            continue
        if is_of_graph(row):
            is_doomed = row["checkpoint_id"] in doomed
        is_pause = str(row["checkpoint_id"] or "").startswith("pause-")
        if row["version"] > 0 and (is_doomed or is_pause):
            found.append(int(row["version"]))
    return found[::-1]
