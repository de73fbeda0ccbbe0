"""The export document of a conversation as models that check its form."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import AfterValidator, Field, JsonValue, ValidatorFunctionWrapHandler, WrapValidator

from conversations.domain.revisions import MoveKind, RevisionKind
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.ids import PATTERN
from ctxadmin.lib.sentence import say


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
    """Validates pairs of numbers without a copy, which takes 100 MB for a million of them.

    ``read`` validates anything else; ``View.from_runs`` checks their meaning.
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
    """A message of an export document, with its place beside its body."""

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
    """A revision of an export document, with its view as runs of log indices in view order."""

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
