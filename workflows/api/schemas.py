"""The bodies of the workflow endpoints."""

from typing import Annotated

from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    SkipValidation,
    ValidationInfo,
    field_validator,
)

from conversations.domain.message import Draft, IncomingMessage, IncomingMessages
from ctxadmin.http.described import JsonOf
from ctxadmin.lib import ids
from ctxadmin.lib.contract import Contract
from workflows.domain.context import PromptContext, PromptContextInput
from workflows.domain.graph import MAX_CONDITION, MAX_NAME, Document, ElementId, FilterSource
from workflows.starters import StarterName
from workflows.trials import FilterStep, Given, GivenArrival, PreviewAsked

MAX_STEPS = 100
MAX_ARRIVALS = 100

Name = Annotated[str, Field(max_length=MAX_NAME)]
Text = Annotated[str, Field(max_length=10_000)]
Number = Annotated[int, Field(ge=0, lt=2**31)]
Seen = Annotated[Number | None, Field(examples=[0])]
# Read by the domain, which knows more about it than its form.
ContextSource = Annotated[JsonValue, SkipValidation, JsonOf(PromptContextInput)]


def _slug(text: str) -> str:
    if not ids.is_public_id(text):
        raise ValueError("a slug has 1 to 64 of the characters A-Z a-z 0-9 _ -")
    if ids.is_reserved(text):
        raise ValueError(f"the slug {text!r} is reserved")
    return text


Slug = Annotated[str, AfterValidator(_slug)]


class CreateWorkflow(Contract):
    """``POST /workflows``; without a slug it gets one.

    ``start_with`` names a template whose nodes and edges it starts with.
    """

    slug: Slug | None = None
    name: Name = ""
    description: Text = ""
    start_with: StarterName | None = None


class ChangeWorkflow(Contract):
    """``PATCH /workflows/{slug}``: sets the given fields."""

    name: Annotated[Name, Field(min_length=1)] | None = None
    description: Text | None = None


class PutDraft(Contract):
    """``PUT /workflows/{slug}/draft``; If-Match can replace ``expected_version``."""

    document: Document
    expected_version: Seen = None


class Publish(Contract):
    """``POST /workflows/{slug}/publish``; If-Match can replace ``expected_version``."""

    note: Text = ""
    expected_version: Seen = None


class ImportWorkflow(Contract):
    """``POST /workflows/import`` as JSON; ``expected_version`` is for an existing slug."""

    yaml: str
    slug: Slug | None = None
    expected_version: Number | None = None


class PreviewNode(Contract):
    """``POST /workflows/{slug}/preview``.

    The node is one of the draft, of ``version``, or of a ``document`` that is not saved. It sees a
    conversation (``at`` a version of its execution), or a context and messages. Without ``edges``
    it is entered along the edges that are ready, like ``enter``. If none are, along all edges that
    lead to a merge or join, or the first that leads to any other node. The answer names them.
    """

    node: ElementId
    edges: Annotated[list[ElementId], Field(max_length=MAX_ARRIVALS)] | None = None
    document: Document | None = None
    version: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    conversation_id: str | None = None
    at: Number | None = None
    context: ContextSource | None = None
    messages: IncomingMessages = []

    @field_validator("version", "at", "context", "messages")
    @classmethod
    def _goes_together(cls, value: object, info: ValidationInfo) -> object:
        if info.field_name == "at" and info.data.get("conversation_id") is None:
            raise ValueError("a version of an execution needs its conversation_id")
        other = "document" if info.field_name == "version" else "conversation_id"
        if info.field_name != "at" and info.data.get(other) is not None:
            raise ValueError(f"either this or {other}, not both")
        return value

    def asked(self) -> PreviewAsked:
        """The same as the service takes it; PromptContext.read checks the context."""
        context = PromptContext.read({} if self.context is None else self.context, "/context")
        return PreviewAsked(
            node=self.node,
            edges=self.edges,
            document=self.document,
            version=self.version,
            conversation=self.conversation_id,
            at=self.at,
            given=Given(context, _drafts(self.messages, "/messages")),
        )


class ApplyFilters(Contract):
    """``POST /filters/apply``."""

    context: ContextSource
    messages: IncomingMessages = []
    steps: Annotated[list[FilterStep], Field(max_length=MAX_STEPS)]

    def given(self) -> Given:
        context = PromptContext.read(self.context, "/context")
        return Given(context, _drafts(self.messages, "/messages"))


class JoinArrival(Contract):
    """The context of one edge; an edge without a name is named by its index from 0."""

    edge: ElementId | None = None
    context: ContextSource
    messages: IncomingMessages = []
    edge_filter: FilterSource | None = None


class JoinArrivals(Contract):
    """``POST /filters/join``."""

    arrivals: Annotated[list[JoinArrival], Field(min_length=1, max_length=MAX_ARRIVALS)]

    def given(self) -> list[GivenArrival]:
        return [
            GivenArrival(
                edge=each.edge or str(place),
                given=Given(
                    PromptContext.read(each.context, f"/arrivals/{place}/context"),
                    _drafts(each.messages, f"/arrivals/{place}/messages"),
                ),
                edge_filter=each.edge_filter,
            )
            for place, each in enumerate(self.arrivals)
        ]


class CheckCondition(Contract):
    """``POST /conditions/check``; with a context it is also evaluated."""

    text: Annotated[str, Field(max_length=MAX_CONDITION * 10)]
    context: ContextSource | None = None


def _drafts(messages: list[IncomingMessage], pointer: str) -> tuple[Draft, ...]:
    return tuple(each.draft(f"{pointer}/{place}") for place, each in enumerate(messages))
