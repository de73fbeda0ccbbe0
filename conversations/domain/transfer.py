"""The export document of a conversation: log, view, revisions and moves, both ways."""

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
    """An entry of the log, with the revision into which it was logged."""

    entry: Entry
    revision: int
    tokens: int
    author: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PinnedMessage:
    """A pinned message by its log index: who pinned it, when and why."""

    index: int
    author: str
    reason: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Transfer:
    """The full content of an exported conversation. Source: semantics 1.15, rest.md ``export``."""

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
    pins: Sequence[PinnedMessage] = ()


def is_export(data: JsonValue) -> bool:
    """Returns True for an object whose ``format`` is one of ctxadmin's, in whatever version."""
    return isinstance(data, dict) and str(data.get("format")).startswith(_FAMILY)


def write_export(transfer: Transfer) -> bytes:
    """Returns the export document as JSON bytes; message bodies are copied unparsed."""
    views = {revision.id: revision.view for revision in transfer.revisions}
    # A document without pins can still be read by a server that knows none.
    pins = {"pins": [_pin_json(pin) for pin in transfer.pins]} if transfer.pins else {}
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
            "messages": [_message_json(message) for message in transfer.messages],
            "view": views[transfer.current_revision].runs,
            "revisions": [_revision_json(revision) for revision in transfer.revisions],
            "moves": [_move_json(move) for move in transfer.moves],
            **pins,
        }
    )


def _message_json(message: LoggedMessage) -> dict[str, object]:
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


def _revision_json(revision: Revision) -> dict[str, object]:
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


def _move_json(move: Move) -> dict[str, object]:
    return {
        "kind": move.kind,
        "from_revision": move.from_revision,
        "to_revision": move.to_revision,
        "author": move.author,
        "reason": move.reason,
        "created_at": clock.iso(move.created_at),
    }


def _pin_json(pin: PinnedMessage) -> dict[str, object]:
    return {
        "index": pin.index,
        "author": pin.author,
        "reason": pin.reason,
        "created_at": clock.iso(pin.created_at),
    }
