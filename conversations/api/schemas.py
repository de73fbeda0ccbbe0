"""The request bodies of the conversation endpoints."""

from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue, SkipValidation

from conversations.domain.configs import OperationConfig
from conversations.domain.message import Draft, IncomingMessage, IncomingMessages
from ctxadmin.http.pagination import MAX_LIMIT
from ctxadmin.lib import ids
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import FieldProblem, TooLarge
from ctxadmin.lib.json_bytes import dumps

MAX_TEXT = 1024 * 1024

Data = Annotated[JsonValue, SkipValidation]
Reason = Annotated[str, Field(max_length=2000)]
Title = Annotated[str, Field(max_length=300)]
Tools = Annotated[str, Field(max_length=MAX_TEXT)]
Number = Annotated[int, Field(ge=0)]


def _public_id(text: str) -> str:
    if not ids.is_public_id(text):
        raise ValueError("an id has 1 to 64 of the characters A-Z a-z 0-9 _ -")
    if ids.is_reserved(text):
        raise ValueError(f"the id {text!r} is reserved")
    return text


PublicId = Annotated[str, AfterValidator(_public_id)]


class CreateConversation(Contract):
    """``POST /conversations``."""

    id: PublicId | None = None
    title: Title = ""
    workflow: str | None = None
    metadata: dict[str, Data] = {}
    messages: IncomingMessages = []
    tools: Tools = ""

    def drafts(self) -> tuple[Draft, ...]:
        return drafts_of(self.messages)


class ChangeConversation(Contract):
    """``PATCH /conversations/{id}``: sets the given fields."""

    title: Title | None = None
    metadata: dict[str, Data] | None = None
    tools: Tools | None = None


class AppendMessages(Contract):
    """``POST /conversations/{id}/messages``: at least one; all are appended or none."""

    messages: Annotated[IncomingMessages, Field(min_length=1)]

    def drafts(self) -> tuple[Draft, ...]:
        return drafts_of(self.messages)


class SeenView(Contract):
    """The reason of a change, and what its writer saw of the view."""

    reason: Reason | None = None
    expected_revision: Number | None = None
    expected_count: Number | None = None


class PopMessages(SeenView):
    """``POST /conversations/{id}/messages/pop``: how many of the last visible messages."""

    count: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 1


class Guarded(SeenView):
    """What every other change of the view may say beside itself."""

    dry_run: bool = False


class Operate(OperationConfig, Guarded):
    """``POST /conversations/{id}/operations``."""


class OpenBatch(Guarded):
    """``POST /conversations/{id}/batches``."""

    boundary: int


class Rollback(Guarded):
    """``POST /conversations/{id}/rollback``."""

    batch: int


class Restore(Guarded):
    """``POST /conversations/{id}/restore``."""

    revision: int


def metadata_bytes(metadata: dict[str, JsonValue]) -> bytes:
    """Metadata as they are stored; TooLarge over 1 MiB."""
    data = dumps(metadata)
    if len(data) > MAX_TEXT:
        message = f"The metadata are larger than {MAX_TEXT} bytes."
        problem = FieldProblem("/metadata", message, "too_large")
        raise TooLarge(message, limit=MAX_TEXT, problems=[problem])
    return data


def drafts_of(messages: list[IncomingMessage]) -> tuple[Draft, ...]:
    """The drafts of messages that stand under ``/messages``."""
    return tuple(message.draft(f"/messages/{place}") for place, message in enumerate(messages))
