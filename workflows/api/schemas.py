"""The bodies of the workflow endpoints."""

from typing import Annotated

from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    SkipValidation,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from conversations.domain.message import BodyMessages
from ctxadmin.http.described import JsonOf
from ctxadmin.lib import ids
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say
from workflows.domain.context.prompt_context import PromptContext, PromptContextInput
from workflows.domain.document.draft_changes import DraftChanges
from workflows.domain.document.graph import (
    MAX_CONDITION,
    MAX_NAME,
    Document,
    ElementId,
    FilterSource,
)
from workflows.previews.conversation import PreviewRequest
from workflows.previews.dry_run import FilterStep, GivenContext, GivenEdgeContext
from workflows.starters import StarterName

MAX_STEPS = 100
MAX_ARRIVALS = 100


def _name(text: str) -> str:
    if text and not text.strip():
        raise ValueError(say("a name has letters or digits, this one has only spaces"))
    return text


# Empty, or with something to read.
Name = Annotated[
    str,
    Field(max_length=MAX_NAME, json_schema_extra={"pattern": r"^$|\S"}),
    AfterValidator(_name),
]
Text = Annotated[str, Field(max_length=10_000)]
Number = Annotated[int, Field(ge=0, lt=2**31)]
Seen = Annotated[Number | None, Field(examples=[0])]
# Read by the domain, which knows more about it than its form.
ContextSource = Annotated[JsonValue, SkipValidation, JsonOf(PromptContextInput)]


def _slug(text: str) -> str:
    if not ids.is_public_id(text):
        raise ValueError(say("a slug has 1 to 64 of the characters A-Z a-z 0-9 _ -"))
    if ids.is_reserved(text):
        raise ValueError(say("the slug {text} is reserved", text=repr(text)))
    return text


Slug = Annotated[str, AfterValidator(_slug), WithJsonSchema(ids.FREE_SCHEMA)]


class CreateWorkflow(Contract):
    """``POST /workflows``; without a slug it gets one.

    ``start_with`` names a template whose nodes and edges it starts with.
    """

    slug: Slug | None = Field(
        None, description="Slug that you choose; by default one is made.", examples=["support"]
    )
    name: Name = Field("", description="Name of the workflow.", examples=["Support"])
    description: Text = Field("", description="What it is for.", examples=["Answers customers."])
    start_with: StarterName | None = Field(
        None, description="Template with whose nodes and edges it starts."
    )


class ChangeWorkflow(Contract):
    """``PATCH /workflows/{slug}``: sets the given fields."""

    name: Annotated[Name, Field(min_length=1)] | None = Field(
        None, description="The new name.", examples=["Support"]
    )
    description: Text | None = Field(
        None, description="The new description.", examples=["Answers customers."]
    )


class PutDraft(Contract):
    """``PUT /workflows/{slug}/draft``; If-Match can replace ``expected_version``."""

    document: Document = Field(description="The workflow document.")
    expected_version: Seen = Field(
        None, description="`draft_version` that you read; 0 for the first.", examples=[0]
    )


class ChangeDraft(Contract):
    """``PATCH /workflows/{slug}/draft``; If-Match can replace ``expected_version``."""

    changes: DraftChanges = Field(description="Changes of the workflow document.")
    expected_version: Seen = Field(
        None, description="`draft_version` that you read, which the changes are of.", examples=[1]
    )


class Publish(Contract):
    """``POST /workflows/{slug}/publish``; If-Match can replace ``expected_version``."""

    note: Text = Field("", description="What changed, for others.", examples=["Shorter context"])
    expected_version: Seen = Field(None, description="`draft_version` that you read.", examples=[1])


class ImportWorkflow(Contract):
    """``POST /workflows/import`` as JSON; ``expected_version`` is for an existing slug."""

    yaml: str = Field(
        description="The document as YAML text.", examples=["name: Support\nnodes: []\nedges: []\n"]
    )
    slug: Slug | None = Field(
        None, description="Slug of the workflow to make or to change.", examples=["support"]
    )
    expected_version: Number | None = Field(
        None, description="`draft_version` that you read, of an existing workflow.", examples=[4]
    )


class PreviewNode(Contract):
    """``POST /workflows/{slug}/preview``.

    The node is one of the draft, of ``version``, or of a ``document`` that is not saved. It sees a
    conversation (``at`` a version of its execution), or a context and messages. Without ``edges``
    it is entered along the edges that are ready, like ``enter``. If none are, along all edges that
    lead to a merge or join; to any other node along the first that has no condition or a true one,
    else along the first. The answer names them.
    """

    node: ElementId = Field(description="Id of the node.", examples=["draft"])
    edges: Annotated[list[ElementId], Field(max_length=MAX_ARRIVALS)] | None = Field(
        None,
        description="Ids of the edges to enter along; by default the ready ones.",
        examples=[["to-review"]],
    )
    assume_conditions: bool = Field(
        False, description="Whether the conditions of these edges count as true."
    )
    document: Document | None = Field(
        None, description="A document that is not saved, instead of the draft."
    )
    version: Annotated[int, Field(ge=1, lt=2**31)] | None = Field(
        None, description="Published version, instead of the draft.", examples=[1]
    )
    conversation_id: Annotated[str, WithJsonSchema(ids.NAME_SCHEMA)] | None = Field(
        None, description="Conversation whose context the node would see.", examples=["support-42"]
    )
    at: Number | None = Field(
        None, description="Version of its execution; by default the latest.", examples=[13]
    )
    context: ContextSource | None = Field(
        None,
        description="A prompt context, instead of a conversation.",
        examples=[{"variables": {"score": 4}}],
    )
    messages: BodyMessages = Field([], description="Messages, instead of a conversation.")

    @field_validator("version", "at", "context", "messages")
    @classmethod
    def _goes_together(cls, value: object, info: ValidationInfo) -> object:
        if info.field_name == "at" and info.data.get("conversation_id") is None:
            raise ValueError(say("a version of an execution needs its conversation_id"))
        other = "document" if info.field_name == "version" else "conversation_id"
        if info.field_name != "at" and info.data.get(other) is not None:
            raise ValueError(say("either this or {other}, not both", other=other))
        return value

    def question(self) -> PreviewRequest:
        """Returns the request as the service takes it; PromptContext.read checks the context."""
        context = PromptContext.read({} if self.context is None else self.context, "/context")
        return PreviewRequest(
            node=self.node,
            edges=self.edges,
            assume_conditions=self.assume_conditions,
            document=self.document,
            version=self.version,
            conversation=self.conversation_id,
            at=self.at,
            given=GivenContext(context, self.messages),
        )


class ApplyFilters(Contract):
    """``POST /filters/apply``."""

    context: ContextSource = Field(
        description="The prompt context to filter.", examples=[{"variables": {"score": 4}}]
    )
    messages: BodyMessages = Field([], description="The messages to filter.")
    steps: Annotated[list[FilterStep], Field(max_length=MAX_STEPS)] = Field(
        description="Filters, applied one after the other.",
        examples=[[{"context_type": "llm_context"}]],
    )

    def given_context(self) -> GivenContext:
        context = PromptContext.read(self.context, "/context")
        return GivenContext(context, self.messages)


class JoinArrival(Contract):
    """The context of one edge; an edge without a name is named by its index from 0."""

    edge: ElementId | None = Field(
        None, description="Name of the edge; by default its index.", examples=["a"]
    )
    context: ContextSource = Field(
        description="The prompt context that arrives.", examples=[{"variables": {"score": 4}}]
    )
    messages: BodyMessages = Field([], description="The messages that arrive.")
    edge_filter: FilterSource | None = Field(
        None,
        description="Filter of the edge.",
        examples=[{"type": "include", "include_patterns": ["order.*"]}],
    )


class JoinArrivals(Contract):
    """``POST /filters/join``."""

    arrivals: Annotated[list[JoinArrival], Field(min_length=1, max_length=MAX_ARRIVALS)] = Field(
        description="What arrives along each edge."
    )

    def given_arrivals(self) -> list[GivenEdgeContext]:
        return [
            GivenEdgeContext(
                edge=each.edge or str(place),
                given=GivenContext(
                    PromptContext.read(each.context, f"/arrivals/{place}/context"), each.messages
                ),
                edge_filter=each.edge_filter,
            )
            for place, each in enumerate(self.arrivals)
        ]


class CheckCondition(Contract):
    """``POST /conditions/check``; with a context it is also evaluated."""

    text: Annotated[str, Field(max_length=MAX_CONDITION * 10)] = Field(
        description="The condition.", examples=["context.score > 3"]
    )
    context: ContextSource | None = Field(
        None,
        description="A prompt context in which to evaluate it.",
        examples=[{"variables": {"score": 4}}],
    )
