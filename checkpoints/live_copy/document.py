"""The content of Redis as the JSON of document 004 (sections 2.3, 3.1 and 4.2)."""

from collections.abc import Iterator
from typing import Final

from checkpoints.domain.reducers import MESSAGES
from checkpoints.live_copy import current
from checkpoints.live_copy.contents import Contents, whole_list
from checkpoints.live_copy.marks import mark_of
from checkpoints.live_copy.port import ALL_PARTS, Part
from checkpoints.store.snapshots import StoredSnapshot, current_snapshot
from conversations.models import Conversation
from ctxadmin.lib.json_bytes import dumps

_HISTORY_KEY: Final = "execution_history"


def document_of(head: Conversation) -> Iterator[bytes] | None:
    """Returns ``context:state:{id}`` and ``checkpoint:{id}`` in pieces of one JSON object.

    State, messages, history and executed nodes are the bytes in Redis at the latest mark; node,
    version and time come from SQL. Returns None if Redis has no whole copy at this mark. Writes
    nothing.
    """
    moment = current_snapshot(head)
    marked = mark_of(moment)
    if marked is None:
        return None
    found = current.copy().read(head.key, marked.mark, ALL_PARTS).parts
    return _pieces(moment, found) if found.keys() == set(ALL_PARTS) == marked.parts else None


def _pieces(moment: StoredSnapshot, contents: Contents) -> Iterator[bytes]:
    name = moment.head.public_id
    state = b"".join(_state(contents))
    yield b"{" + dumps(f"context:state:{name}") + b":" + state
    yield b"," + dumps(f"checkpoint:{name}") + b":{"
    yield b'"conversationId":' + dumps(name) + b',"nodeId":' + dumps(moment.node_id)
    yield b',"stateSnapshot":' + state + b',"executedNodeIds":'
    yield from whole_list(contents, Part.EXECUTED)
    yield b',"timestamp":' + dumps(round(moment.at.timestamp() * 1000))
    yield b',"version":' + dumps(moment.version) + b"}}"


def _state(contents: Contents) -> Iterator[bytes]:
    """Returns all keys of section 3.1: those of the state, then the two lists with parts of
    their own.
    """
    values = [(key, value.pieces) for key, value in sorted(contents[Part.STATE].items())]
    values += [
        (MESSAGES, whole_list(contents, Part.MESSAGES)),
        (_HISTORY_KEY, whole_list(contents, Part.HISTORY)),
    ]
    before = b"{"
    for key, pieces in values:
        yield before + dumps(key) + b":"
        yield from pieces
        before = b","
    yield b"}"
