"""One execution inside an open transaction of its conversation, written as one version."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from django.conf import settings
from pydantic import JsonValue

from checkpoints.domain.execution import Decision, Done, dump, read
from checkpoints.domain.pauses import Rules
from checkpoints.domain.reducers import MESSAGES, Reducer
from checkpoints.domain.state import (
    ChangeKind,
    KeyHead,
    Totals,
    apply_update,
    join_list,
    restored,
)
from checkpoints.domain.status import ENDED
from checkpoints.domain.timeline import WriteKind, is_told
from checkpoints.models import Checkpoint, Execution
from checkpoints.pinned import Pinned, reducers_of
from checkpoints.standing import ready_of, stands_at
from checkpoints.state_store import (
    EMPTY_LIST,
    EXECUTED,
    HISTORY,
    LISTS,
    Held,
    StateRows,
    Written,
    changed_state,
    digest_of_name,
    grown_list,
    replaced_list,
    same_list,
)
from checkpoints.store import CHECKPOINTS, EXECUTIONS, find_current
from checkpoints.written import VersionWritten
from conversations.announcing import is_followed
from conversations.domain import pairing
from conversations.domain.message import Draft
from conversations.writing import Writing
from ctxadmin.accounts.roles import Action
from ctxadmin.audit.record import Change
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.json_bytes import dumps
from workflows.domain.routing import Marking, Next

_REMEMBERED_KEYS: Final = 2000  # heads of one state; some hundred bytes each
_BLIND: Final = (Reducer.OVERWRITE, Reducer.APPEND)  # these need no old value
_DECIDED: Final = (
    "version",
    "status",
    "node_id",
    "decided",
    "marking",
    "waiting_since",
    "deadline",
    "changed_at",
    "ended_at",
)
_TOTALLED: Final = ("state_digest", "state_bytes", "state_keys", "executed_count", "history_count")


@dataclass(frozen=True, slots=True)
class Write:
    """What is on record of one version beside what it did; see Checkpoint."""

    kind: WriteKind
    move: str = ""
    saved_node: str = ""
    reason: str = ""
    checkpoint_id: str | None = None
    body_digest: bytes = b""
    answer: bytes = b""
    routing: tuple[Next, ...] = ()
    restored_from: int | None = None


class ExecutionWriting:
    """What one transaction does to one execution, until ``record`` writes the next version.

    ``now`` is the execution as the rules know it, ``marking`` where the tokens of its workflow
    are. State and lists are changed in memory as the steps go on; ``record`` stores what changed,
    and the caller commits the conversation with ``commit``.
    """

    def __init__(self, opened: Writing, row: Execution, pinned: Pinned | None) -> None:
        self.opened = opened
        self.row = row
        self.pinned = pinned
        self.now = read(bytes(row.decided))
        marking = bytes(row.marking)
        self.marking = Marking.from_json(orjson.loads(marking)) if marking else None
        self.rows = StateRows(row.conversation, row.number)
        self.reducers = reducers_of(bytes(row.reducers))
        self.totals = Totals(bytes.fromhex(row.state_digest), row.state_bytes, row.state_keys)
        self.changed_keys: tuple[str, ...] = ()
        self._is_new = row._state.adding
        self._pending: dict[str, Written] = {}
        self._held, self._loaded = _remembered_state(opened, row)
        self._history: list[bytes] = []
        self._message_bytes = 0
        self._replaced = b""
        self._executed: list[str] | None = None
        self._before = "" if self._is_new else str(self.now.version)
        self._view = _view_of(opened)

    @property
    def rules(self) -> Rules:
        """The wishes for review of the workflow's nodes, none for a free execution."""
        return {} if self.pinned is None else self.pinned.rules

    @property
    def ready(self) -> tuple[str, ...]:
        """The ready nodes as of now."""
        return ready_of(self.now, self.pinned, self.marking)

    def append(self, drafts: Sequence[Draft], pointers: Sequence[str], node_id: str) -> None:
        """Log messages and show them at the end of the view, as an append does."""
        if not drafts:
            return
        self._message_bytes += sum(len(draft.body) for draft in drafts)
        entries = pairing.place(drafts, self.opened.log, pointers)
        # A message names its node by an id of the contract; a free execution's may be any text.
        self.opened.append(entries, node_id=node_id if is_public_id(node_id) else "")

    def change_state(
        self,
        update: Mapping[str, bytes],
        *,
        pointer: str = "/state_data",
        literal: Collection[str] = (),
    ) -> None:
        """Put an update through the reducers; raises what ``state.apply_update`` raises."""
        keys = {name: digest_of_name(name) for name in update}
        self._load(keys.values())
        heads: dict[str, KeyHead] = {}
        for name, key in keys.items():
            held = self._held.get(key)
            if held is not None and held.head is not None:
                heads[name] = held.head
        change = apply_update(
            update,
            totals=self.totals,
            heads=heads,
            current=self._current(heads),
            reducers=self.reducers,
            limit=settings.MAX_STATE_BYTES,
            pointer=pointer,
            literal=literal,
        )
        self._pend(changed_state(change.changes, self._held))
        self.totals = change.totals
        self.changed_keys = change.changed_keys

    def values_after(self, names: Collection[str]) -> dict[str, JsonValue]:
        """The values of some state keys with what is changed so far; missing ones are left out."""
        keys = {digest_of_name(name): name for name in names}
        self._load(keys)
        stored = [
            held
            for key in keys
            if (held := self._held.get(key)) is not None
            and (key not in self._pending or self._pending[key].kind is ChangeKind.APPEND)
        ]
        found = self.rows.values(stored) if stored else {}
        for key in keys.keys() & self._pending.keys():
            written = self._pending[key]
            if written.kind is ChangeKind.SET:
                found[key] = written.value
            elif written.kind is ChangeKind.APPEND:
                found[key] = join_list([found[key], written.value])
        return {keys[key]: orjson.loads(value) for key, value in found.items()}

    def executed(self) -> list[str]:
        """The executed node ids before this write."""
        if self._executed is None:
            self._load(())
            held = self._held.get(EXECUTED)
            found = self.rows.values([held]) if held is not None else {}
            self._executed = orjson.loads(found.get(EXECUTED, EMPTY_LIST))
        return self._executed

    def add_history(self, entries: Sequence[bytes]) -> None:
        """Put entries behind the execution history, and behind those of this write."""
        self._history += entries
        self.row.history_count += len(entries)

    def add_executed(self, done: Done, known: bytes = EMPTY_LIST) -> None:
        """Take over what became of the executed node ids.

        ``known`` is JSON of the decisions on record, to be kept if the ids are replaced.
        """
        added, whole = done.added, done.whole
        if whole is not None:
            before = self.executed()
            if list(whole[: len(before)]) != before:
                self._load(())
                names = [dumps(name) for name in whole]
                self._pend([replaced_list(EXECUTED, names, self._held.get(EXECUTED))])
                self.row.executed_count = len(whole)
                self._replaced = known
                return
            added = whole[len(before) :]
        if added:
            self._load(())
            names = [dumps(name) for name in added]
            self._pend(grown_list(EXECUTED, names, self._held.get(EXECUTED)))
            self.row.executed_count += len(added)

    def go_back(self, to: Checkpoint) -> None:
        """Have state and lists as they were at a former version (semantics 3.9)."""
        now, former = self.rows.held_at(self.now.version), self.rows.held_at(to.version)
        change = restored(_state_heads(now), _state_heads(former))
        self._pend(changed_state(change.changes, now, former))
        for name in LISTS:
            self._pend(same_list(name, now.get(name), former.get(name)))
        self.totals = change.totals
        self.changed_keys = change.changed_keys
        self.row.executed_count = to.executed_count
        self.row.history_count = to.history_count
        marking = bytes(to.marking)
        self.marking = Marking.from_json(orjson.loads(marking)) if marking else None

    def record(self, decision: Decision, write: Write) -> None:
        """Write the next version, which nobody else can: the conversation's head is locked."""
        if self._history:
            self._load(())
            self._pend(grown_list(HISTORY, self._history, self._held.get(HISTORY)))
        self.now = decision.execution
        if _view_of(self.opened) != self._view:
            self.changed_keys = (*self.changed_keys, MESSAGES)
        self._set_row()
        told: tuple[str, ...] = ()
        if is_told(write.kind, self.now.status):  # in the very statement: it costs nothing
            self.row.to_tell, told = self.opened.at, ("to_tell",)
        if self._is_new:
            EXECUTIONS.insert([self.row])
        else:
            self._update((*_DECIDED, *_TOTALLED, *told))
        written = self.rows.write(self.now.version, list(self._pending.values()))
        self.opened.size += written
        self._insert_checkpoint(write, written + self._message_bytes)
        if is_followed():
            self.opened.parts.append(self._written())
        head = self.opened.head
        head.checkpoint_bytes += written
        head.state_bytes = self.row.state_bytes
        head.status = self.row.status
        head.workflow = self.row.workflow or head.workflow
        self._is_new, self._replaced, self._message_bytes = False, b"", 0
        self._history, self._executed = [], None
        self._remember()
        self._pending = {}
        self._view = _view_of(self.opened)

    def _written(self) -> VersionWritten:
        return VersionWritten(
            execution=self.row.number,
            public_id=self.row.public_id,
            version=self.now.version,
            ended=self.now.ended,
            is_new=self._is_new,
            changes=tuple(self._pending.values()),
            changed_keys=self.changed_keys,
        )

    def note(self, decision: Decision) -> None:
        """Keep a decision that writes no version: a pause that was asked for."""
        self.now = decision.execution
        self._set_row()
        self._update(("decided",))

    def commit(self, action: Action, reason: str = "", **detail: object) -> None:
        """Commit the conversation with the one audit entry of this change."""
        head, row = self.opened.head, self.row
        change = Change(
            action=action,
            object_type="execution",
            object_id=row.public_id,
            before=self._before,
            after=f"{row.version}.{head.current_revision}.{head.visible_count}",
            reason=reason,
            detail={
                "conversation": head.public_id,
                "status": row.status,
                "node": row.node_id,
                "keys": len(self.changed_keys),
                "state": row.state_digest,
                **detail,
            },
        )
        self.opened.commit(change)

    def _load(self, keys: Collection[str]) -> None:
        """Read what is held of some keys and of the lists, those that were not read yet."""
        missing = {*keys, *LISTS} - self._loaded
        if missing and not self._is_new:
            self._held.update(self.rows.held(sorted(missing)))
        self._loaded |= missing

    def _remember(self) -> None:
        """Take over what was written, for the next version and for the next writing."""
        version = self.now.version
        for change in self._pending.values():
            self._held[change.key] = change.held(version)
            self._loaded.add(change.key)
        if len(self._loaded) > _REMEMBERED_KEYS:
            self._held, self._loaded = {}, set()
        self.opened.known["execution"] = self.row
        self.opened.known["state"] = (self.row.number, self._held, self._loaded)

    def _current(self, heads: Mapping[str, KeyHead]) -> Callable[[str], bytes]:
        """Reads the value of a key; those that a reducer will ask for are read at once."""
        asked = [name for name in heads if self.reducers.for_key(name) not in _BLIND]
        values: dict[str, bytes] = {}

        def read_values(names: Sequence[str]) -> None:
            held = [self._held[digest_of_name(name)] for name in names]
            found = self.rows.values(held)
            values.update((name, found[digest_of_name(name)]) for name in names)

        def current(name: str) -> bytes:
            if name not in values:
                read_values(asked if name in asked else [name])
            return values[name]

        return current

    def _pend(self, changes: Sequence[Written]) -> None:
        self._pending.update((change.key, change) for change in changes)

    def _set_row(self) -> None:
        row, now = self.row, self.now
        row.version, row.status = now.version, now.status.value
        row.node_id = stands_at(now)[0] or ""
        row.decided = dump(now)
        row.marking = b"" if self.marking is None else dumps(self.marking.as_json())
        row.waiting_since = now.pause.since if now.pause is not None else None
        row.deadline = now.pause.deadline if now.pause is not None else None
        row.state_digest, row.state_bytes = self.totals.digest.hex(), self.totals.size
        row.state_keys = self.totals.keys
        row.changed_at = self.opened.at
        row.ended_at = self.opened.at if now.status in ENDED else None

    def _update(self, fields: Sequence[str]) -> None:
        where = {"conversation": self.row.conversation, "number": self.row.number}
        EXECUTIONS.change(where, {name: getattr(self.row, name) for name in fields})

    def _insert_checkpoint(self, write: Write, written: int) -> None:
        head, row = self.opened.head, self.row
        node_id, side = stands_at(self.now)
        checkpoint = Checkpoint(
            conversation=row.conversation,
            execution=row.number,
            version=row.version,
            kind=write.kind.value,
            move=write.move,
            status=row.status,
            node_id=node_id or "",
            side=side.value,
            saved_node=write.saved_node,
            changed_keys=dumps(self.changed_keys),
            written_bytes=written,
            state_digest=row.state_digest,
            state_bytes=row.state_bytes,
            state_keys=row.state_keys,
            executed_count=row.executed_count,
            history_count=row.history_count,
            revision=head.current_revision,
            visible_count=head.visible_count,
            log_count=head.log_count,
            revision_count=head.revision_count,
            checkpoint_id=write.checkpoint_id,
            body_digest=write.body_digest.hex(),
            answer=write.answer,
            routing=dumps([step.as_json() for step in write.routing]),
            marking=row.marking,
            whole=self._replaced,
            restored_from=write.restored_from,
            change_seq=head.change_seq + 1,
            author=self.opened.actor.label,
            reason=write.reason,
            created_at=self.opened.at,
        )
        CHECKPOINTS.insert([checkpoint])


def current_of(opened: Writing) -> Execution | None:
    """The newest execution of an open conversation, None if it never had one."""
    known = opened.known.get("execution")
    return known if isinstance(known, Execution) else find_current(opened.head.key)


def _remembered_state(opened: Writing, row: Execution) -> tuple[dict[str, Held], set[str]]:
    """The heads of the execution's state that this process knows, and which keys it looked up."""
    match opened.known.get("state"):
        case (int() as number, dict() as held, set() as loaded) if number == row.number:
            return held, loaded
    return {}, set()


def _view_of(opened: Writing) -> tuple[int, int]:
    """What changes when the messages that are visible do."""
    return opened.head.current_revision, opened.head.visible_count


def _state_heads(held: Mapping[str, Held]) -> dict[str, KeyHead]:
    return {
        each.name: each.head
        for each in held.values()
        if each.key not in LISTS and each.head is not None
    }
