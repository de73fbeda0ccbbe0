"""Reads the texts of a conversation that the index lacks, where they were written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Final

import orjson
from pydantic import JsonValue

from checkpoints.models import Checkpoint, Execution
from checkpoints.store.state import LISTS, StateRows, StoredKey
from conversations.models import Comment, Conversation, Message, Move, Revision
from conversations.reading.message_search import searched_text
from ctxadmin.lib.errors import ContextError
from search.domain.query import HitKind
from search.domain.terms import terms_of
from search.domain.value_text import text_of_state
from search.models import SearchMark

MOST_MESSAGES: Final = 300  # of one transaction: 10 to 20 ms on SQLite
_MOST_REASONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Where a text is, as ``SearchDocument`` has it."""

    kind: HitKind
    role: str = ""
    about: str = ""
    index: int | None = None
    execution: int | None = None
    version: int | None = None
    number: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class IndexedText:
    """A text to be indexed: when it was written, and the tools that it calls or comes from."""

    place: TextPlace
    at: datetime
    text: str
    tools: Sequence[str] = ()


def tool_fact(name: str) -> str:
    """Returns the term by which messages of a tool are found."""
    return f"t{''.join(terms_of(name))}"[:60]


def title_digest(head: Conversation) -> str:
    return blake2b(f"{head.public_id}\0{head.title}".encode(), digest_size=16).hexdigest()


def title_of(head: Conversation) -> IndexedText:
    text = f"{head.title}\n{head.public_id}" if head.title else head.public_id
    return IndexedText(TextPlace(HitKind.CONVERSATION), head.created_at, text)


def messages_of(head: Conversation, start: int) -> list[IndexedText]:
    """Returns the texts of the messages from a log index on, at most ``MOST_MESSAGES``."""
    rows = Message.objects.filter(
        conversation=head.key, index__gte=start, index__lt=head.log_count
    ).order_by("index")
    fields = ("index", "role", "created_at", "body", "call_index")
    found = list(rows.values_list(*fields)[:MOST_MESSAGES])
    bodies = {index: body_of(bytes(body)) for index, _, _, body, _ in found}
    calls = {call for *_, call in found if call is not None}
    if missing := calls - bodies.keys():
        further = Message.objects.filter(conversation=head.key, index__in=missing)
        bodies |= {
            index: body_of(bytes(body)) for index, body in further.values_list("index", "body")
        }
    return [
        IndexedText(
            TextPlace(HitKind.MESSAGE, role=role, index=index),
            at,
            searched_text(bodies[index]),
            tools_of(bodies[index], bodies.get(call) if call is not None else None),
        )
        for index, role, at, _, call in found
    ]


def body_of(body: bytes) -> dict[str, JsonValue]:
    """Returns a message as it is stored; an empty one if it is damaged."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:  # damaged: a read of it says so
        return {}
    return found if isinstance(found, dict) else {}


def tools_of(
    body: Mapping[str, JsonValue], call: Mapping[str, JsonValue] | None = None
) -> list[str]:
    """Returns the tools that a message calls, or, of a result, the tool of its ``call``."""
    names = [name for _, name in _calls_of(body)]
    if call is not None:
        wanted = body.get("tool_call_id")
        names += [name for call_id, name in _calls_of(call) if call_id == wanted]
    return names


def _calls_of(body: Mapping[str, JsonValue]) -> Iterator[tuple[JsonValue, str]]:
    calls = body.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        inner = call.get("function") if isinstance(call, dict) else None
        if isinstance(call, dict) and isinstance(inner, dict):
            yield call.get("id"), str(inner.get("name") or "")


def reasons_of(head: Conversation, mark: SearchMark) -> tuple[list[IndexedText], SearchMark]:
    """Returns the reasons of batches and moves since a mark, and the mark after them."""
    key = head.key
    opened = Revision.objects.filter(conversation=key, number__gte=mark.revisions)
    found = [
        IndexedText(TextPlace(HitKind.REASON, about="revision", number=number), at, reason)
        for number, at, reason in opened.exclude(reason="").values_list(
            "number", "created_at", "reason"
        )[:_MOST_REASONS]
    ]
    moves = list(
        Move.objects.filter(conversation=key, seq__gt=mark.move).values_list(
            "seq", "created_at", "reason"
        )
    )
    found += [
        IndexedText(TextPlace(HitKind.REASON, about="move", number=seq), at, reason)
        for seq, at, reason in moves
        if reason
    ]
    last = max((seq for seq, *_ in moves), default=mark.move)
    return found, _with(mark, revisions=head.revision_count, move=last)


def comments_of(key: int, after: int) -> list[IndexedText]:
    rows = Comment.objects.filter(conversation=key, number__gt=after).order_by("number")
    return [
        IndexedText(TextPlace(HitKind.COMMENT, number=number), at, text)
        for number, at, text in rows.values_list("number", "created_at", "text")
    ]


@dataclass(frozen=True, slots=True)
class ExecutionTexts:
    """What an execution wrote since a version; ``held`` are the digests of all keys it has."""

    texts: Sequence[IndexedText]
    changed: frozenset[str]
    held: frozenset[str]


def execution_texts(row: Execution, after: int) -> ExecutionTexts:
    """Returns the changed keys with their current values, and the reasons of the versions.

    A key that is damaged, or deleted meanwhile, is left out.
    """
    rows = StateRows(row.conversation, row.number)
    try:
        held = {key: each for key, each in rows.heads_at(row.version).items() if key not in LISTS}
    except ContextError:
        held = {}
    versions = Checkpoint.objects.filter(
        conversation=row.conversation,
        execution=row.number,
        version__gt=after,
        version__lte=row.version,
    )
    reasons_by_version = {
        version: (at, reason)
        for version, at, reason in versions.values_list("version", "created_at", "reason")
    }
    texts = [
        IndexedText(
            TextPlace(HitKind.REASON, about="version", execution=row.number, version=version),
            at,
            reason,
        )
        for version, (at, reason) in reasons_by_version.items()
        if reason
    ]
    changed = [each for each in held.values() if each.version > after]
    for each in changed:
        at = (
            reasons_by_version[each.version][0]
            if each.version in reasons_by_version
            else row.changed_at
        )
        text = state_text(rows, each)
        if text is not None:
            place = TextPlace(
                HitKind.STATE, execution=row.number, version=each.version, key=each.key
            )
            texts.append(IndexedText(place, at, text))
    return ExecutionTexts(texts, frozenset(each.key for each in changed), frozenset(held))


def state_text(rows: StateRows, held: StoredKey) -> str | None:
    """Returns what is searched of a key; None if its value cannot be read."""
    try:
        value = rows.values([held]).get(held.key, b"")
    except ContextError:
        return None
    return text_of_state(held.name, value)


def _with(mark: SearchMark, **fields: int) -> SearchMark:
    copy = SearchMark(**{each.attname: getattr(mark, each.attname) for each in mark._meta.fields})
    for name, value in fields.items():
        setattr(copy, name, value)
    return copy
