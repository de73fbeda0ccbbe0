"""Reads an export document into a conversation, checked whole."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from pydantic import JsonValue, TypeAdapter

from conversations.domain.export_document import Document, MessageInDocument, RevisionInDocument
from conversations.domain.message import OWN_FIELDS, Entry, MessageDraft, check_ids, read_logged
from conversations.domain.revisions import Move, Revision
from conversations.domain.transfer import FORMAT, LoggedMessage, PinnedMessage, Transfer
from conversations.domain.view import View
from ctxadmin.lib import json_bytes
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_DOCUMENT: Final = TypeAdapter(Document)


def read_export(data: JsonValue, pointer: str = "") -> Transfer:
    """Returns the conversation of an export document, fully validated.

    Raises ValidationFailed or TooLarge with pointers: an unknown format, gaps in indices or ids,
    views of unknown messages, parents that come later, results of missing calls.
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
    drafts: list[MessageDraft] = []
    for found, place in zip(document.messages, places, strict=True):
        if found.index != len(drafts):
            raise ValidationFailed.at(
                f"{place}/index", say("the next log index is {drafts}", drafts=len(drafts))
            )
        drafts.append(_read_body(found, place))
    check_ids(drafts, 0, places.__getitem__)
    answered: set[tuple[int, int, str]] = set()
    messages: list[LoggedMessage] = []
    for found, draft, place in zip(document.messages, drafts, places, strict=True):
        _check_call(found, draft, drafts, place)
        entry = Entry(found.index, draft, found.call_index)
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


def _read_body(found: MessageInDocument, place: str) -> MessageDraft:
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
    found: MessageInDocument, draft: MessageDraft, drafts: Sequence[MessageDraft], place: str
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
            view = View.from_runs([(start, stop) for start, stop in found.view], found.log_length)
        except ValueError as error:
            raise ValidationFailed.at(f"{place}/view", error.args[0]) from None
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
    """Returns the recorded config.

    That of a replace must be valid, because the diff relies on it.
    """
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


def _read_pins(document: Document, pointer: str) -> tuple[PinnedMessage, ...]:
    pins: dict[int, PinnedMessage] = {}
    for number, found in enumerate(document.pins):
        place = f"{pointer}/pins/{number}/index"
        if found.index >= len(document.messages):
            raise ValidationFailed.at(place, say("there is no such message"))
        if found.index in pins:
            raise ValidationFailed.at(place, say("this message has a pin already"))
        at = _moment(found.created_at)
        pins[found.index] = PinnedMessage(found.index, found.author, found.reason, at)
    return tuple(pins.values())
