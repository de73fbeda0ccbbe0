"""The export document of a conversation: log, view, revisions and moves, there and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import orjson
from pydantic import JsonValue

from conversations.domain.message import Entry
from conversations.domain.revisions import Move, Revision
from ctxadmin.lib import clock, json_bytes

_FAMILY: Final = "ctxadmin-conversation/"
FORMAT: Final = _FAMILY + "1"


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """An entry as it stands in the log: with the revision into which it was logged."""

    entry: Entry
    revision: int
    tokens: int
    author: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Pinned:
    """A pinned message by its log index: who pinned it, when and why."""

    index: int
    author: str
    reason: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Transfer:
    """Everything that travels with a conversation. Source: semantics 1.15, rest.md ``export``."""

    conversation_id: str
    title: str
    metadata: dict[str, JsonValue]
    tools: str | None
    created_at: datetime
    updated_at: datetime
    current_revision: int
    messages: Sequence[LoggedMessage]
    revisions: Sequence[Revision]
    moves: Sequence[Move]
    workflow: str | None = None
    pins: Sequence[Pinned] = ()


def is_export(data: JsonValue) -> bool:
    """True for an object whose ``format`` is one of ours, in whatever version."""
    return isinstance(data, dict) and str(data.get("format")).startswith(_FAMILY)


def write_export(transfer: Transfer) -> bytes:
    """The export document as JSON bytes; message bodies go in as they are."""
    views = {revision.id: revision.view for revision in transfer.revisions}
    # A document without pins can still be read by a server that knows none.
    pins = {"pins": [_written_pin(pin) for pin in transfer.pins]} if transfer.pins else {}
    return json_bytes.dumps(
        {
            "format": FORMAT,
            "id": transfer.conversation_id,
            "title": transfer.title,
            "workflow": transfer.workflow,
            "metadata": transfer.metadata,
            "tools": transfer.tools,
            "created_at": clock.iso(transfer.created_at),
            "updated_at": clock.iso(transfer.updated_at),
            "current_revision": transfer.current_revision,
            "messages": [_written_message(message) for message in transfer.messages],
            "view": views[transfer.current_revision].runs,
            "revisions": [_written_revision(revision) for revision in transfer.revisions],
            "moves": [_written_move(move) for move in transfer.moves],
            **pins,
        }
    )


def _written_message(message: LoggedMessage) -> dict[str, object]:
    entry = message.entry
    return {
        "index": entry.index,
        "id": entry.message_id,
        "revision": message.revision,
        "call_index": entry.call_index,
        "tokens": message.tokens,
        "tokens_reported": entry.draft.reported_tokens is not None,
        "node_id": entry.draft.node_id,
        "author": message.author,
        "created_at": clock.iso(message.created_at),
        "message": orjson.Fragment(entry.draft.body),
    }


def _written_revision(revision: Revision) -> dict[str, object]:
    return {
        "id": revision.id,
        "parent": revision.parent,
        "number": revision.number,
        "operation": revision.operation,
        "config": None if revision.config is None else orjson.Fragment(revision.config),
        "boundary": revision.boundary,
        "view": revision.view.runs,
        "log_length": revision.log_length,
        "branched_at": revision.branched_at,
        "author": revision.author,
        "reason": revision.reason,
        "created_at": clock.iso(revision.created_at),
    }


def _written_move(move: Move) -> dict[str, object]:
    return {
        "kind": move.kind,
        "from_revision": move.from_revision,
        "to_revision": move.to_revision,
        "author": move.author,
        "reason": move.reason,
        "created_at": clock.iso(move.created_at),
    }


def _written_pin(pin: Pinned) -> dict[str, object]:
    return {
        "index": pin.index,
        "author": pin.author,
        "reason": pin.reason,
        "created_at": clock.iso(pin.created_at),
    }
