"""Changes of a workspace's conversations as events of its feed, read from the audit."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any, Final

import orjson
from django.db.models import Q

from checkpoints.events.frames import shorten_keys
from checkpoints.models import Checkpoint, Execution, Usage
from checkpoints.store.usage import usage_of
from conversations.models import Conversation
from conversations.store.damage import ALTERED, damaged
from conversations.workspace import feed
from conversations.workspace.feed import FeedChange
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock

MOST: Final = 1_000  # events of one part
_LOOKED_AT: Final = 200  # changes at once
_MOST_LOOKS: Final = 50  # of one call, where a filter drops nearly everything
# Changes of conversations, which alone are in the feed; other actions have objects of their own.
_OF_CONVERSATIONS: Final = frozenset(
    {
        *("conversation", "messages", "batch", "revision", "execution", "checkpoint", "node"),
        *("snapshot", "comment", "label", "review"),
    }
)
KINDS: Final = frozenset(
    name
    for action in Action
    if (group := action.value.partition(".")[0]) in _OF_CONVERSATIONS
    for name in (group, action.value)
)
_ENTRY: Final = (
    *("stream", "seq", "at", "actor_kind", "actor_name", "action"),
    *("object_type", "object_id", "version_after"),
)


@dataclass(frozen=True, slots=True)
class FeedQuery:
    """Filters of the feed; empty means all.

    A kind is that of a change in the audit, or the word before its dot: ``execution`` stands for
    ``execution.start`` and all others. A status is one that the change led to.
    """

    workflow: str = ""
    kinds: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()

    def matches(self, event: "FeedEvent") -> bool:
        what = event.what
        if self.kinds and what not in self.kinds and what.partition(".")[0] not in self.kinds:
            return False
        if self.statuses and event.data.get("status") not in self.statuses:
            return False
        return not self.workflow or event.workflow == self.workflow


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """One change at its position; ``workflow`` is the current workflow of the conversation."""

    position: int
    what: str
    workflow: str
    data: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        return {"cursor": str(self.position), **self.data}


@dataclass(frozen=True, slots=True)
class FeedPart:
    """Events in order, the cursor after them, and whether earlier ones are no longer stored."""

    events: Sequence[FeedEvent]
    cursor: int
    is_reset: bool
    has_more: bool


def read(workspace: int, after: int, wanted: FeedQuery, most: int) -> FeedPart:
    """Returns the next matching events after a position, at most ``most``."""
    found: list[FeedEvent] = []
    is_reset = has_more = False
    for _ in range(_MOST_LOOKS):
        part = feed.read(workspace, after, _LOOKED_AT)
        is_reset = is_reset or part.is_reset
        after = part.cursor
        has_more = len(part.entries) == _LOOKED_AT
        for event in _events(part.entries):
            if wanted.matches(event):
                found.append(event)
                if len(found) == most:
                    return FeedPart(found, event.position, is_reset, has_more=True)
        if not has_more:
            break
    return FeedPart(found, after, is_reset, has_more)


def _events(entries: Sequence[FeedChange]) -> Iterator[FeedEvent]:
    """Returns the events of changes; an erased conversation has only the event of its erasure."""
    by_key: dict[int, list[int]] = defaultdict(list)
    for each in entries:
        by_key[each.conversation].append(each.seq)
    heads = Conversation.objects.filter(key__in=by_key)
    known = {
        key: (name, run) for key, name, run in heads.values_list("key", "public_id", "workflow")
    }
    rows = _rows(by_key)
    written = _versions_written(rows.values())
    for each in entries:
        row = rows.get((each.conversation, each.seq))
        is_erasure = row is not None and row.action == Action.CONVERSATION_ERASE
        if row is None or (each.conversation not in known and not is_erasure):
            continue
        name, workflow = known.get(each.conversation, (row.object_id, ""))
        data = {
            "conversation": name,
            "seq": each.seq,
            "what": row.action,
            "who": {"kind": row.actor_kind, "name": row.actor_name},
            "at": clock.iso(row.at),
            **({} if is_erasure else _after(row.version_after)),
            **written.get((each.conversation, each.seq), {}),
        }
        yield FeedEvent(each.position, row.action, workflow, data)


def _rows(by_key: Mapping[int, Collection[int]]) -> dict[tuple[int, int], Any]:
    if not by_key:
        return {}
    wanted = reduce(or_, (Q(stream=key, seq__in=numbers) for key, numbers in by_key.items()))
    rows = AuditEntry.objects.filter(wanted).values_list(*_ENTRY, named=True)
    return {(row.stream, row.seq): row for row in rows}


def _after(version_after: str) -> dict[str, object]:
    """Returns revision and count from an audit entry: ``[version.]revision.count``."""
    parts = version_after.split(".")
    return {"revision": int(parts[-2]), "count": int(parts[-1])} if len(parts) > 1 else {}


def _versions_written(rows: Collection[Any]) -> dict[tuple[int, int], dict[str, object]]:
    """Returns the versions that changes wrote, by conversation and number of change."""
    versions: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        parts = row.version_after.split(".")
        if row.object_type == "execution" and len(parts) > 2:
            versions[row.object_id].append(int(parts[0]))
    if not versions:
        return {}
    keys = {row.stream for row in rows}
    found = Execution.objects.filter(conversation__in=keys, public_id__in=versions)
    ids = {
        (key, number): name
        for key, number, name in found.values_list("conversation", "number", "public_id")
    }
    if not ids:
        return {}
    wanted = (
        Q(conversation=key, execution=number, version__in=versions[name])
        for (key, number), name in ids.items()
    )
    written: dict[tuple[int, int], dict[str, object]] = {}
    fields = (
        *("conversation", "execution", "change_seq", "version", "status", "changed_keys"),
        "usage_sum",
    )
    checkpoints = Checkpoint.objects.filter(reduce(or_, wanted)).order_by("version")
    manifests = list(checkpoints.values_list(*fields))
    usage = _usage([row[:2] + row[3:4] for row in manifests if row[6] is not None])
    for key, number, seq, version, status, changed, _ in manifests:
        try:
            names, more = shorten_keys(orjson.loads(bytes(changed)))
        except (TypeError, ValueError):  # it is logged, and the event is told without its version
            damaged(key, "version", version, ALTERED)
            continue
        written[key, seq] = {
            "execution": ids[key, number],
            "version": version,
            "status": status,
            "keys": list(names),
            **({"more_keys": True} if more else {}),
            **usage.get((key, number, version), {}),
        }
    return written


def _usage(places: Collection[tuple[int, ...]]) -> dict[tuple[int, ...], dict[str, object]]:
    """Returns the usage of versions, by conversation, execution and version, with one query at
    most.
    """
    if not places:
        return {}
    wanted = (
        Q(conversation=key, execution=number, version=version) for key, number, version in places
    )
    rows = Usage.objects.filter(reduce(or_, wanted))
    return {
        (row.conversation, row.execution, row.version): {"usage": usage_of(row).as_json()}
        for row in rows
    }
