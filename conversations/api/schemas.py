"""The request bodies of the conversation endpoints."""

from typing import Annotated, cast

from pydantic import AfterValidator, Field, JsonValue, SkipValidation, WithJsonSchema

from conversations.domain.configs import OperationConfig
from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.imports.append_reader import read_appended
from conversations.domain.message import MOST_MESSAGES, BodyMessages, MessageDraft
from ctxadmin.http.described import FromZero
from ctxadmin.http.endpoints.pagination import MAX_LIMIT
from ctxadmin.lib import ids
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import FieldProblem, TooLarge
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say

MAX_TEXT = 1024 * 1024

Data = Annotated[JsonValue, SkipValidation]
Reason = Annotated[str, Field(max_length=2000)]
Title = Annotated[str, Field(max_length=300)]
Tools = Annotated[str, Field(max_length=MAX_TEXT)]
Number = Annotated[int, Field(ge=0)]
Objects = list[dict[str, Data]]
FormattedMessages = Annotated[Objects, Field(max_length=MOST_MESSAGES, fail_fast=True)]
System = str | Annotated[list[dict[str, Data]], Field(fail_fast=True)] | None


def _public_id(text: str) -> str:
    if not ids.is_public_id(text):
        raise ValueError(say("an id has 1 to 64 of the characters A-Z a-z 0-9 _ -"))
    if ids.is_reserved(text):
        raise ValueError(say("the id {text} is reserved", text=repr(text)))
    return text


PublicId = Annotated[str, AfterValidator(_public_id), WithJsonSchema(ids.FREE_SCHEMA)]


class _NewConversation(Contract):
    """The fields of a new conversation besides its messages."""

    id: PublicId | None = Field(
        None, description="Id that you choose; by default one is made.", examples=["support-42"]
    )
    title: Title = Field("", description="Title, at most 300 characters.", examples=["Lost parcel"])
    workflow: Annotated[str, WithJsonSchema(ids.NAME_SCHEMA)] | None = Field(
        None, description="Slug of the workflow that it will run.", examples=["support"]
    )
    metadata: dict[str, Data] = Field(
        {}, description="Any JSON of the caller, by name.", examples=[{"customer": "c-7"}]
    )
    tools: Tools = Field(
        "",
        description="Text of the tool description.",
        examples=["find_parcel(id): where a parcel is"],
    )


class CreateConversation(_NewConversation):
    """``POST /conversations``."""

    messages: BodyMessages = Field([], description="First messages of the log.")

    def drafts(self) -> tuple[MessageDraft, ...]:
        return tuple(self.messages)


class _InFormat(Contract):
    """Messages as a provider has them."""

    messages: FormattedMessages
    system: System = Field(
        None,
        description="Anthropic's system text, beside the messages.",
        examples=["Answer in one sentence."],
    )

    def drafts(self, name: ProviderFormat) -> tuple[MessageDraft, ...]:
        return read_appended(self.messages, name, cast(JsonValue, self.system)).drafts


class CreateInFormat(_InFormat, _NewConversation):
    """``POST /conversations?format=``: with messages in a provider's format."""

    messages: FormattedMessages = Field(
        [],
        description="First messages of the log, in the format of a provider.",
        examples=[[{"role": "user", "content": "Hi"}]],
    )


class ChangeConversation(Contract):
    """``PATCH /conversations/{id}``: sets the given fields."""

    title: Title | None = Field(None, description="The new title.", examples=["Lost parcel"])
    metadata: dict[str, Data] | None = Field(
        None,
        description="The new metadata; they replace the old ones.",
        examples=[{"customer": "c-7"}],
    )
    tools: Tools | None = Field(
        None,
        description="The new text of the tool description.",
        examples=["find_parcel(id): where a parcel is"],
    )


class AppendMessages(Contract):
    """``POST /conversations/{id}/messages``: at least one; all are appended or none."""

    messages: Annotated[BodyMessages, Field(min_length=1)] = Field(
        description="Messages to append, in order.", examples=[[{"role": "user", "content": "Hi"}]]
    )


class AppendInFormat(_InFormat):
    """``POST /conversations/{id}/messages?format=``: messages in a provider's format."""

    messages: Annotated[FormattedMessages, Field(min_length=1)] = Field(
        description="Messages to append, in the format of a provider.",
        examples=[[{"role": "user", "content": "Hi"}]],
    )


class SeenView(Contract):
    """The reason of a change, and the view that its writer saw."""

    reason: Reason | None = Field(
        None,
        description="Why it was done, in the author's words.",
        examples=["The date was wrong."],
    )
    expected_revision: Number | None = Field(
        None,
        description="The revision that you read; another one now is `version_conflict`.",
        examples=[3],
    )
    expected_count: Number | None = Field(
        None,
        description="Visible messages that you read; another number is `version_conflict`.",
        examples=[12],
    )


class PopMessages(SeenView):
    """``POST /conversations/{id}/messages/pop``: the number of last visible messages."""

    count: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = Field(
        1, description="How many of the last visible messages to hide.", examples=[1]
    )


class ChangeMessage(SeenView):
    """``PATCH /conversations/{id}/messages/{message}``: the changeable fields of a message."""

    pinned: bool | None = Field(
        None, description="Whether it is pinned; null changes nothing.", examples=[True]
    )


class Guarded(SeenView):
    """The common fields of every other change of the view."""

    dry_run: bool = Field(False, description="Only answer what would change.")


class Operate(OperationConfig, Guarded):
    """``POST /conversations/{id}/operations``."""


class OpenBatch(Guarded):
    """``POST /conversations/{id}/batches``."""

    boundary: FromZero = Field(
        description="Hide the messages of the log before this index.", examples=[0]
    )


class Rollback(Guarded):
    """``POST /conversations/{id}/rollback``."""

    batch: FromZero = Field(description="Number of the batch to show again.", examples=[0])


class Restore(Guarded):
    """``POST /conversations/{id}/restore``."""

    revision: FromZero = Field(description="Revision to show again.", examples=[0])


def metadata_bytes(metadata: dict[str, JsonValue]) -> bytes:
    """Returns metadata as they are stored; raises TooLarge over 1 MiB."""
    data = dumps(metadata)
    if len(data) > MAX_TEXT:
        message = f"The metadata are larger than {MAX_TEXT} bytes."
        problem = FieldProblem("/metadata", message, "too_large")
        raise TooLarge(message, limit=MAX_TEXT, problems=[problem])
    return data
