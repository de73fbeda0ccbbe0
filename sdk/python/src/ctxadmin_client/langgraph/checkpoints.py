"""Converts checkpoints of LangGraph to state keys, and back: pure rules.

A channel with JSON is a state key of the same name, any other an opaque key. The other data of
LangGraph (the versions of the channels, what each node saw) are in one opaque key of each
namespace, the head: so a state that was restored, forked or edited still names its checkpoint.
"""

import copy
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.base import SerializerProtocol

from ctxadmin_client.answers import JsonObject
from ctxadmin_client.langchain.values import is_plain, packed, unpacked

PAYLOAD: Final = "interrupt"  # the state key with the question of an interrupt
ERROR: Final = "graph_error"  # the state key with the reason why a graph failed
MESSAGES: Final = "messages"
HEAD: Final = "langgraph.checkpoint"
_RESERVED: Final = ("execution_history", MESSAGES, PAYLOAD, ERROR)
_LONGEST_KEY: Final = 200
_LONGEST_NODE: Final = 128
_PUBLIC: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OF_TASK: Final = re.compile(r":[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TRIGGER: Final = "branch:to:"
_START: Final = "__start__"
_SENDS: Final = "__pregel_tasks"


@dataclass(frozen=True, slots=True)
class Head:
    """The latest checkpoint of a namespace without the values that are state keys.

    ``values`` says how each channel is stored: "json", "opaque", or "log" for the messages.
    ``internal`` are the channels that only LangGraph reads. ``previous`` is the execution before.
    """

    checkpoint: Mapping[str, Any]
    metadata: Mapping[str, Any]
    parent: str | None
    values: Mapping[str, str]
    internal: Mapping[str, Any]
    previous: str | None = None

    @property
    def id(self) -> str:
        return str(self.checkpoint["id"])

    def packed(self, serde: SerializerProtocol) -> JsonObject:
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return packed({name: _dict(value) for name, value in data.items()}, serde)

    @classmethod
    def of(cls, value: Mapping[str, Any], serde: SerializerProtocol) -> "Head":
        return cls(**unpacked(value, serde))


def _dict(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


@dataclass(slots=True)
class State:
    """The state of an execution: its keys unchanged, its messages as those of LangChain."""

    data: JsonObject = field(default_factory=dict)
    opaque: JsonObject = field(default_factory=dict)
    messages: list[BaseMessage] = field(default_factory=list)

    @property
    def keys(self) -> set[str]:
        return {*self.data, *self.opaque} - {MESSAGES}

    def head(self, namespace: str, serde: SerializerProtocol) -> Head | None:
        value = self.opaque.get(head_key(namespace))
        return None if value is None else Head.of(value, serde)


@dataclass(slots=True)
class Update:
    """The changes of the state by a checkpoint."""

    data: JsonObject = field(default_factory=dict)
    opaque: JsonObject = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    internal: dict[str, Any] = field(default_factory=dict)
    messages: Sequence[BaseMessage] | None = None


def public_id(name: str) -> str:
    """Returns an id of ctxadmin for one of LangGraph: the same if it is allowed."""
    if _PUBLIC.fullmatch(name) and name not in ("import", "diff"):
        return name
    return "lg-" + hashlib.sha256(name.encode(errors="replace")).hexdigest()[:40]


def head_key(namespace: str) -> str:
    return _fitting(f"{HEAD}:{namespace}" if namespace else HEAD)


def state_key(channel: str, namespace: str) -> str:
    """Returns the state key of a channel; a name that ctxadmin reserves gets a prefix."""
    taken = channel in _RESERVED or "/" in channel
    if taken or channel.startswith((HEAD, "channel.")) or not channel:
        channel = f"channel.{channel}"
    return _fitting(f"{namespace}/{channel}" if namespace else channel)


def _fitting(key: str) -> str:
    if len(key) <= _LONGEST_KEY:
        return key
    return key[:120] + "~" + hashlib.sha256(key.encode(errors="replace")).hexdigest()[:40]


def is_log(channel: str, value: Any, namespace: str, shown: Sequence[BaseMessage] = ()) -> bool:
    """True for the channel that is the conversation: the messages of the graph at the top.

    Messages that are ``shown`` already are not checked again.
    """
    if channel != MESSAGES or namespace or not isinstance(value, list):
        return False
    known = len(shown) if value[: len(shown)] == shown else 0
    return all(issubclass(kind, BaseMessage) for kind in {*map(type, value[known:])})


def update_of(
    checkpoint: Mapping[str, Any],
    namespace: str,
    before: Head | None,
    changed: Mapping[str, Any] | None,
    serde: SerializerProtocol,
    shown: Sequence[BaseMessage] = (),
) -> Update:
    """Returns the changes by a checkpoint; ``before`` is the current one of the state.

    ``changed`` names the channels that changed since that one, None that all may have; ``shown``
    are the messages of the view.
    """
    update = Update()
    known = before.values if before is not None else {}
    for channel, value in checkpoint["channel_values"].items():
        if channel.startswith((_TRIGGER, "join:", "__")):
            update.internal[channel] = value
            continue
        if changed is not None and channel in known and channel not in changed:
            update.values[channel] = known[channel]
            continue
        if is_log(channel, value, namespace, shown):
            update.values[channel] = "log"
            update.messages = value
            continue
        key = state_key(channel, namespace)
        if is_plain(value):
            update.values[channel] = "json"
            update.data[key] = value
        else:
            update.values[channel] = "opaque"
            update.opaque[key] = packed(value, serde)
    for channel, kind in known.items():
        if kind != "log" and channel not in update.values:
            update.data[state_key(channel, namespace)] = {"$delete": True}
    if known.get(MESSAGES) == "log" and update.values.get(MESSAGES) != "log":
        update.messages = []
    return update


def checkpoint_of(
    head: Head, state: State, namespace: str, serde: SerializerProtocol, *, now: bool
) -> dict[str, Any]:
    """Returns the checkpoint of a head; with ``now`` also what people added to the state since.

    It must not be shared: the graph changes its versions in place.
    """
    values = dict(head.internal)
    own = set()
    for channel, kind in head.values.items():
        key = state_key(channel, namespace)
        own.add(key)
        if kind == "log":
            values[channel] = list(state.messages)
        elif key in state.data:
            values[channel] = state.data[key]
        elif key in state.opaque:
            values[channel] = unpacked(state.opaque[key], serde)
    if now and not namespace:
        for key, value in state.data.items():
            is_added = key not in own and "/" not in key and not key.startswith("channel.")
            if is_added and key not in _RESERVED:
                values[key] = value
    return {**copy.deepcopy(dict(head.checkpoint)), "channel_values": values}


def nodes_of(checkpoint: Mapping[str, Any], before: Head | None) -> list[str]:
    """Returns the nodes that ran between two checkpoints, by versions seen or by sends."""
    seen = checkpoint["versions_seen"]
    then = before.checkpoint["versions_seen"] if before is not None else {}
    ran = {name for name, versions in seen.items() if versions and then.get(name) != versions}
    sends = before.internal.get(_SENDS) if before is not None else None
    ran |= {str(getattr(send, "node", "")) for send in sends or ()}
    return sorted(name for name in ran if name and not name.startswith("__"))


def node_name(
    checkpoint: Mapping[str, Any], metadata: Mapping[str, Any], namespace: str, before: Head | None
) -> str:
    """Returns the name to save a checkpoint under: the nodes that ran, or its source."""
    ran = nodes_of(checkpoint, before) if metadata.get("source") == "loop" else []
    source = str(metadata.get("source") or "checkpoint")
    name = ", ".join(ran) or ("input" if source == "loop" else source)
    return within(namespace, name)


def within(namespace: str, node: str) -> str:
    """Returns the name of a node of a subgraph, preceded by those of the nodes around it."""
    parts = [_OF_TASK.sub("", part) for part in namespace.split("|") if part]
    return "/".join([*parts, node])[:_LONGEST_NODE]


def node_of_path(task_path: str) -> str:
    """Returns the node of a task by its path (``~__pregel_pull, NAME``), "" without one."""
    kind, _, name = task_path.partition(", ")
    return name if kind == "~__pregel_pull" else ""


def of_ended_tasks(keys: set[str]) -> set[str]:
    """Returns the keys of subgraphs whose task has ended when the top graph continues."""
    return {key for key in keys if _OF_TASK.search(key)}


def is_finished(checkpoint: Mapping[str, Any]) -> bool:
    """Returns True if a graph of nodes and edges has nothing left to do at a checkpoint.

    LangGraph does not record it, but then the channels by which edges start nodes are empty.
    Checkpoints of anything but a compiled StateGraph never count as finished.
    """
    if not any(name.startswith(_TRIGGER) for name in checkpoint["channel_versions"]):
        return False
    values = checkpoint["channel_values"]
    if _START in values or values.get(_SENDS):
        return False
    if any(name.startswith(_TRIGGER) for name in values):
        return False
    for name, value in values.items():
        if name.startswith("join:"):
            wanted = name.removeprefix("join:").rpartition(":")[0].split("+")
            arrived = value[0] if isinstance(value, tuple) else value
            if isinstance(arrived, (set, frozenset)) and arrived >= {*wanted}:
                return False
    return True
