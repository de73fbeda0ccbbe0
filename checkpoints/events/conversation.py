"""The changes of a conversation as events, read from the audit, which numbers them.

Each change has one audit entry, in its transaction, under the next number of its conversation
(semantics 5.1). A reader that missed changes reads them from there, so writers store nothing for
it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from checkpoints.events.frames import ConversationState, shorten_keys
from checkpoints.models import Checkpoint, Execution
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Action

MOST: Final = 500  # events that are read at once
_ENTRY: Final = (
    "seq",
    "action",
    "actor_kind",
    "actor_name",
    "object_type",
    "object_id",
    "version_after",
)


@dataclass(frozen=True, slots=True)
class Event:
    """One change: its kind in the audit, its author, and the state of the conversation after it.

    ``keys`` are the names of the changed state keys; ``more_keys`` is True if there are others.
    """

    what: str
    who: tuple[str, str]
    after: ConversationState
    keys: tuple[str, ...] = ()
    more_keys: bool = False

    @property
    def is_erasure(self) -> bool:
        return self.what == Action.CONVERSATION_ERASE


@dataclass(frozen=True, slots=True)
class _Written:
    """The versions that one change wrote: the last one, and the keys of all."""

    execution: str
    version: int
    status: str
    keys: tuple[str, ...]


def state_at_event(key: int, public_id: str, seq: int) -> ConversationState:
    """Returns the state of a conversation after the change ``seq``.

    Costs the changes since then.
    """
    state = ConversationState(
        id=public_id, seq=seq, execution=None, version=0, status="IDLE", revision=0, count=0
    )
    rows = AuditEntry.objects.filter(stream=key, seq__lte=seq).exclude(version_after="")
    view = rows.order_by("-seq").values_list("version_after", flat=True).first()
    if view is not None:
        state = _view_after(state, view)
    written = Checkpoint.objects.filter(conversation=key, change_seq__lte=seq)
    last = written.order_by("-execution", "-version").first()
    if last is None:
        return state
    ids = Execution.objects.filter(conversation=key, number=last.execution)
    return state.model_copy(
        update={
            "execution": ids.values_list("public_id", flat=True).first(),
            "version": last.version,
            "status": last.status,
        }
    )


def read_events(key: int, since: ConversationState) -> Sequence[Event]:
    """Returns at most ``MOST`` changes after ``since``, also of a conversation that is erased by
    now.

    Returns None if the first of them is missing, because a reader could not continue without a gap.
    """
    entries = list(
        AuditEntry.objects.filter(stream=key, seq__gt=since.seq)
        .order_by("seq")
        .values_list(*_ENTRY, named=True)[:MOST]
    )
    written = _versions_written(key, entries)
    found: list[Event] = []
    state = since
    for entry in entries:
        if entry.seq != state.seq + 1:
            break
        state = _view_after(state, entry.version_after).model_copy(update={"seq": entry.seq})
        keys: tuple[str, ...] = ()
        more = False
        version = written.get(entry.seq)
        if version is not None:
            keys, more = shorten_keys(version.keys)
            state = state.model_copy(
                update={
                    "execution": version.execution,
                    "version": version.version,
                    "status": version.status,
                }
            )
        who = (entry.actor_kind, entry.actor_name)
        found.append(Event(entry.action, who, state, keys, more))
    return found


def read_events_after(
    key: int, public_id: str, seq: int
) -> tuple[ConversationState, Sequence[Event]]:
    """Returns the state after the change ``seq``, and ``read_events`` since then."""
    state = state_at_event(key, public_id, seq)
    return state, read_events(key, state)


def _view_after(state: ConversationState, version_after: str) -> ConversationState:
    """Returns the state with revision and count of an audit entry: ``[version.]revision.count``."""
    parts = version_after.split(".")
    if len(parts) < 2:
        return state
    return state.model_copy(update={"revision": int(parts[-2]), "count": int(parts[-1])})


def _versions_written(key: int, entries: Sequence[AuditEntry]) -> Mapping[int, _Written]:
    """Returns the versions that changes wrote, by the number of the change."""
    versions: dict[str, list[int]] = defaultdict(list)
    for entry in entries:
        parts = entry.version_after.split(".")
        if entry.object_type == "execution" and len(parts) == 3:
            versions[entry.object_id].append(int(parts[0]))
    rows = Execution.objects.filter(conversation=key, public_id__in=versions)
    found: dict[int, _Written] = {}
    for number, public_id in rows.values_list("number", "public_id"):
        wanted = versions[public_id]
        checkpoints = Checkpoint.objects.filter(
            conversation=key, execution=number, version__range=(min(wanted), max(wanted))
        )
        fields = ("change_seq", "version", "status", "changed_keys")
        for seq, version, status, keys in checkpoints.order_by("version").values_list(*fields):
            before = found[seq].keys if seq in found else ()
            found[seq] = _Written(public_id, version, status, (*before, *orjson.loads(bytes(keys))))
    return found
