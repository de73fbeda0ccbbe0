"""The export document of a conversation: log, view, revisions and moves, there and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

import orjson
from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from conversations.domain.message import OWN_FIELDS, Draft, Entry, read_logged, with_ids
from conversations.domain.revisions import Move, MoveKind, Revision, RevisionKind
from conversations.domain.view import View
from ctxadmin.lib import clock, json_bytes
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.ids import PATTERN
from ctxadmin.lib.sentence import say

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


def _time(text: str) -> str:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(say("a time needs its zone"))
    return text


Time = Annotated[str, Field(max_length=40), AfterValidator(_time)]
_LARGEST: Final = 2**53
Place = Annotated[int, Field(ge=0, le=_LARGEST)]
Text = Annotated[str, Field(max_length=2000)]
RunInDocument = Annotated[list[Place], Field(min_length=2, max_length=2)]


def _as_they_are(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """Pairs of numbers without a copy, which of a million takes 100 MB; ``read`` says what is not.

    ``View.checked`` looks at what they mean.
    """
    return value if isinstance(value, list) and all(map(_is_run, value)) else read(value)


def _is_run(value: object) -> bool:
    if type(value) is not list or len(value) != 2:
        return False
    start, stop = value
    is_whole = type(start) is type(stop) is int
    return is_whole and 0 <= start <= _LARGEST and 0 <= stop <= _LARGEST


RunsInDocument = Annotated[list[RunInDocument], WrapValidator(_as_they_are)]


class MessageInDocument(Contract):
    """A message of an export document, its place beside its body."""

    index: Place
    id: str
    revision: Place
    call_index: Place | None = None
    tokens: Annotated[int, Field(ge=0, le=10**9)]
    tokens_reported: bool = False
    node_id: str | None = None
    author: Text
    created_at: Time
    message: dict[str, JsonValue]


class RevisionInDocument(Contract):
    """A revision of an export document, its view as runs of log indices in view order."""

    id: Place
    parent: Place | None = None
    number: Place
    operation: RevisionKind
    config: dict[str, JsonValue] | None = None
    boundary: Place | None = None
    view: RunsInDocument
    log_length: Place
    branched_at: Place | None = None
    author: Text
    reason: Text | None = None
    created_at: Time


class MoveInDocument(Contract):
    """A rollback or restore of an export document."""

    kind: MoveKind
    from_revision: Place
    to_revision: Place
    author: Text
    reason: Text | None = None
    created_at: Time


class PinInDocument(Contract):
    """A pinned message of an export document."""

    index: Place
    author: Text
    reason: Text | None = None
    created_at: Time


class Document(Contract):
    """The whole export document."""

    format: str
    id: Annotated[str, Field(pattern=f"^{PATTERN}$")]
    title: Text = ""
    workflow: Text | None = None
    metadata: dict[str, JsonValue] = {}
    tools: str | None = None
    created_at: Time
    updated_at: Time
    current_revision: Place
    messages: list[MessageInDocument]
    view: RunsInDocument
    revisions: Annotated[list[RevisionInDocument], Field(min_length=1)]
    moves: list[MoveInDocument] = []
    pins: list[PinInDocument] = []


_DOCUMENT: Final = TypeAdapter(Document)


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


def read_export(data: JsonValue, pointer: str = "") -> Transfer:
    """The conversation of an export document, checked whole.

    Raises ValidationFailed or TooLarge with pointers: an unknown format, gaps in indices or ids,
    views of unknown messages, parents that come later, results of calls that are none.
    """
    if isinstance(data, dict) and data.get("format") != FORMAT:
        raise ValidationFailed.at(
            f"{pointer}/format",
            say("this format is not known; exports have {format}", format=repr(FORMAT)),
        )
    document = parse(_DOCUMENT, data, pointer)
    messages = _read_messages(document, pointer)
    revisions = _read_revisions(document, messages, pointer)
    _check_branches(messages, revisions, pointer)
    if document.current_revision not in revisions:
        raise ValidationFailed.at(f"{pointer}/current_revision", say("there is no such revision"))
    current = revisions[document.current_revision]
    if [list(run) for run in current.view.runs] != document.view:
        raise ValidationFailed.at(
            f"{pointer}/view", say("this is not the view of the current revision")
        )
    return Transfer(
        conversation_id=document.id,
        title=document.title,
        metadata=document.metadata,
        tools=document.tools,
        created_at=_moment(document.created_at),
        updated_at=_moment(document.updated_at),
        current_revision=document.current_revision,
        messages=messages,
        revisions=tuple(revisions.values()),
        moves=_read_moves(document, revisions, pointer),
        workflow=document.workflow,
        pins=_read_pins(document, pointer),
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _read_messages(document: Document, pointer: str) -> tuple[LoggedMessage, ...]:
    places = [f"{pointer}/messages/{number}" for number in range(len(document.messages))]
    drafts: list[Draft] = []
    for found, place in zip(document.messages, places, strict=True):
        if found.index != len(drafts):
            raise ValidationFailed.at(
                f"{place}/index", say("the next log index is {drafts}", drafts=len(drafts))
            )
        drafts.append(_read_body(found, place))
    names = with_ids(drafts, 0, places)
    answered: set[tuple[int, int, str]] = set()
    messages: list[LoggedMessage] = []
    for found, draft, name, place in zip(document.messages, drafts, names, places, strict=True):
        _check_call(found, draft, drafts, place)
        entry = Entry(found.index, draft, name, found.call_index)
        if entry.call_index is not None:
            answer = (found.revision, entry.call_index, draft.answers or "")
            if answer in answered:
                raise ValidationFailed.at(
                    f"{place}/call_index", say("this call has its result already")
                )
            answered.add(answer)
        created_at = _moment(found.created_at)
        messages.append(
            LoggedMessage(entry, found.revision, found.tokens, found.author, created_at)
        )
    return tuple(messages)


def _read_body(found: MessageInDocument, place: str) -> Draft:
    own = OWN_FIELDS.intersection(found.message)
    if own:
        message = say("{own} belong beside the message, not in it", own=", ".join(sorted(own)))
        raise ValidationFailed.at(f"{place}/message", message)
    body: dict[str, JsonValue] = dict(found.message)
    if found.id != f"log-{found.index}":
        body["id"] = found.id
    if found.tokens_reported:
        body["tokens"] = found.tokens
    if found.node_id is not None:
        body["node_id"] = found.node_id
    return read_logged(body, f"{place}/message")


def _check_call(
    found: MessageInDocument, draft: Draft, drafts: Sequence[Draft], place: str
) -> None:
    if found.call_index is None:
        return
    earlier = found.call_index < found.index
    if not earlier or draft.answers not in drafts[found.call_index].call_ids:
        message = say("there is no earlier message with the call that this one answers")
        raise ValidationFailed.at(f"{place}/call_index", message)


def _read_revisions(
    document: Document, messages: Sequence[LoggedMessage], pointer: str
) -> dict[int, Revision]:
    sums = [0]
    for message in messages:
        sums.append(sums[-1] + message.tokens)
    revisions: dict[int, Revision] = {}
    for number, found in enumerate(document.revisions):
        place = f"{pointer}/revisions/{number}"
        if found.id != number:
            raise ValidationFailed.at(
                f"{place}/id", say("the next revision is {number}", number=number)
            )
        _check_parent(found, revisions, place)
        if found.log_length > len(messages):
            raise ValidationFailed.at(f"{place}/log_length", say("the log is shorter than that"))
        try:
            view = View.checked([(start, stop) for start, stop in found.view], found.log_length)
        except ValueError as error:
            raise ValidationFailed.at(f"{place}/view", str(error)) from None
        revisions[number] = Revision(
            id=number,
            parent=found.parent,
            number=found.number,
            view=view,
            operation=found.operation,
            config=_read_config(found, revisions, place),
            boundary=found.boundary,
            author=found.author,
            reason=found.reason,
            created_at=_moment(found.created_at),
            visible_count=len(view),
            tokens=sum(sums[stop] - sums[start] for start, stop in view.runs),
            log_length=found.log_length,
            branched_at=found.branched_at,
        )
    return revisions


def _check_parent(found: RevisionInDocument, earlier: Mapping[int, Revision], place: str) -> None:
    if found.parent is None or found.id == 0:
        if (found.id, found.number, found.operation, found.parent) != (0, 0, "start", None):
            message = say(
                "revision 0, and no other, has no parent, batch number 0 and operation start"
            )
            raise ValidationFailed.at(place, message)
        return
    parent = earlier.get(found.parent)
    if parent is None:
        raise ValidationFailed.at(f"{place}/parent", say("there is no such earlier revision"))
    expected = parent.number + (found.operation != "append")
    if found.operation == "start" or found.number != expected:
        message = say(
            "a revision opened from batch {number} cannot have this number", number=parent.number
        )
        raise ValidationFailed.at(f"{place}/number", message)
    if found.branched_at is not None and found.branched_at > parent.log_length:
        message = say("the parent has only {log_length} messages", log_length=parent.log_length)
        raise ValidationFailed.at(f"{place}/branched_at", message)


def _read_config(
    found: RevisionInDocument, earlier: Mapping[int, Revision], place: str
) -> bytes | None:
    """The config on record; of a replace the diff relies on what it says."""
    if found.config is None:
        return None
    if found.operation == "replace" and found.parent is not None:
        block = found.config.get("replace")
        position = block.get("index") if isinstance(block, dict) else None
        message = block.get("message") if isinstance(block, dict) else None
        index = message.get("index") if isinstance(message, dict) else None
        if not (
            _within(position, len(earlier[found.parent].view)) and _within(index, found.log_length)
        ):
            raise ValidationFailed.at(f"{place}/config", say("it does not say what it replaced"))
    return json_bytes.dumps(found.config)


def _within(value: JsonValue, stop: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < stop


def _check_branches(
    messages: Sequence[LoggedMessage], revisions: Mapping[int, Revision], pointer: str
) -> None:
    for message in messages:
        revision = revisions.get(message.revision)
        if revision is None or message.entry.index >= revision.log_length:
            place = f"{pointer}/messages/{message.entry.index}/revision"
            raise ValidationFailed.at(place, say("that revision does not contain this message"))


def _read_moves(
    document: Document, revisions: Mapping[int, Revision], pointer: str
) -> tuple[Move, ...]:
    moves: list[Move] = []
    for number, found in enumerate(document.moves):
        for name in ("from_revision", "to_revision"):
            if getattr(found, name) not in revisions:
                place = f"{pointer}/moves/{number}/{name}"
                raise ValidationFailed.at(place, say("there is no such revision"))
        moves.append(
            Move(
                found.kind,
                found.from_revision,
                found.to_revision,
                found.author,
                found.reason,
                _moment(found.created_at),
            )
        )
    return tuple(moves)


def _read_pins(document: Document, pointer: str) -> tuple[Pinned, ...]:
    pins: dict[int, Pinned] = {}
    for number, found in enumerate(document.pins):
        place = f"{pointer}/pins/{number}/index"
        if found.index >= len(document.messages):
            raise ValidationFailed.at(place, say("there is no such message"))
        if found.index in pins:
            raise ValidationFailed.at(place, say("this message has a pin already"))
        at = _moment(found.created_at)
        pins[found.index] = Pinned(found.index, found.author, found.reason, at)
    return tuple(pins.values())
