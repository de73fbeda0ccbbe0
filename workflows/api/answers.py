"""The answers of the workflow endpoints."""

from collections.abc import Sequence
from typing import Annotated, Self

import orjson
from pydantic import ConfigDict, Field, JsonValue

from conversations.api.answers import MessageFields
from conversations.api.formats import ProviderMessage
from ctxadmin.http.described import Answer, FromOne, FromZero, JsonOf, Time
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import dumps
from workflows.domain.context import PromptContextInput
from workflows.domain.elements import Problem, Severity
from workflows.domain.graph import Document
from workflows.domain.yaml_json import YamlPlace
from workflows.dry_run import DryRunResult, PreviewResult
from workflows.models import Workflow, WorkflowVersion
from workflows.node_inputs import notices_of
from workflows.services import SavedDraft


class WorkflowAnswer(Answer):
    """A workflow; ``published_draft_version`` is the version of the draft that was published."""

    slug: str = Field(description="Slug of the workflow, its id in paths.", examples=["support"])
    name: str = Field(description="Name of the workflow.", examples=["Support"])
    description: str = Field(
        description="What it is for, in a few words.", examples=["Answers customers."]
    )
    draft_version: FromZero = Field(description="Number of the draft's changes.", examples=[4])
    published_version: FromOne | None = Field(
        description="Latest published version; null without.", examples=[1]
    )
    published_draft_version: FromZero | None = Field(
        description="Version of the draft that was published.", examples=[4]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")
    updated_at: Time = Field(description="When it was last changed (ISO 8601, UTC).")

    @classmethod
    def of(cls, row: Workflow) -> "WorkflowAnswer":
        return WorkflowAnswer(
            slug=row.slug or row.deleted_slug,
            name=row.name,
            description=row.description,
            draft_version=row.draft_version,
            published_version=row.published_version,
            published_draft_version=row.published_draft,
            created_at=clock.iso(row.created_at),
            updated_at=clock.iso(row.updated_at),
        )


class ProblemAnswer(Answer):
    """A problem of a document; ``pointer`` is its place in the document.

    An error prevents publishing. Conditions also have line, column, start, end and hint.
    """

    model_config = ConfigDict(extra="allow")

    pointer: str = Field(
        description="JSON pointer to the place in the document.", examples=["/nodes/0"]
    )
    code: str = Field(description="Stable code of the problem.", examples=["incompatible_context"])
    message: str = Field(
        description="What is wrong, for a person.",
        examples=["the filter leaves this node neither a message nor a variable that it could use"],
    )
    severity: Severity = Field(description="An error prevents publishing, a warning does not.")
    node: str | None = Field(None, description="Id of the node.", examples=["draft"])
    edge: str | None = Field(None, description="Id of the edge.", examples=["to-review"])


Problems = Annotated[object, JsonOf(list[ProblemAnswer])]
DocumentJson = Annotated[object, JsonOf(Document)]


class SavedDraftAnswer(Answer):
    """The new version of a draft, and its problems."""

    draft_version: FromZero = Field(description="Number of the draft's changes.", examples=[4])
    problems: Problems = Field(description="Problems of the document, in order.")

    @classmethod
    def of(cls, saved: SavedDraft) -> Self:
        return cls(
            draft_version=saved.workflow.draft_version,
            problems=[each.as_json() for each in saved.problems],
        )


class DraftAnswer(Answer):
    """A draft with its version and problems."""

    document: DocumentJson = Field(description="The workflow document.")
    draft_version: FromZero = Field(description="Number of the draft's changes.", examples=[4])
    problems: Problems = Field(description="Problems of the document, in order.")

    @classmethod
    def of(cls, saved: SavedDraft) -> Self:
        return cls(
            document=orjson.Fragment(bytes(saved.workflow.draft)),
            draft_version=saved.workflow.draft_version,
            problems=[each.as_json() for each in saved.problems],
        )


class PlacedProblemAnswer(ProblemAnswer):
    """A problem of an imported text; lines and columns count from 1."""

    file_line: FromOne = Field(description="Line in the text, from 1.", examples=[12])
    file_column: FromOne = Field(description="Column in the text, from 1.", examples=[5])


class ImportedAnswer(WorkflowAnswer):
    """The workflow of an imported document, and the problems of the document."""

    problems: Annotated[object, JsonOf(list[PlacedProblemAnswer])] = Field(
        description="Problems of the document, in order."
    )

    @classmethod
    def of_saved(cls, saved: SavedDraft, places: Sequence[YamlPlace]) -> Self:
        workflow = WorkflowAnswer.of(saved.workflow)
        problems = [
            each.as_json() | {"file_line": place.line, "file_column": place.column}
            for each, place in zip(saved.problems, places, strict=True)
        ]
        return cls(**workflow.model_dump(), problems=problems)


class PublishedAnswer(Answer):
    """A published version."""

    version: FromOne = Field(description="Number of the published version, from 1.", examples=[1])
    note: str = Field(
        description="What changed, in the author's words.", examples=["First version"]
    )
    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")

    @classmethod
    def of(cls, row: WorkflowVersion) -> "PublishedAnswer":
        return PublishedAnswer(
            version=row.version,
            note=row.note,
            author=row.author,
            created_at=clock.iso(row.created_at),
        )


class PublishedNowAnswer(PublishedAnswer):
    """The version that the draft became, and its warnings."""

    problems: Problems = Field(
        description="Warnings of the document, in order; errors would have prevented publishing."
    )

    @classmethod
    def of_new(cls, row: WorkflowVersion, problems: Sequence[Problem]) -> Self:
        found = [each.as_json() for each in problems]
        return cls(**PublishedAnswer.of(row).model_dump(), problems=found)


class VersionAnswer(PublishedAnswer):
    """A published version with its document. It never changes."""

    document: DocumentJson = Field(description="The workflow document.")

    @classmethod
    def of_row(cls, row: WorkflowVersion) -> Self:
        document = orjson.Fragment(bytes(row.document))
        return cls(**PublishedAnswer.of(row).model_dump(), document=document)


class FieldChangeAnswer(Answer):
    """One difference within an element; a side without a value is left out."""

    path: str = Field(description="JSON pointer to the place.", examples=["/plan/0"])
    kind: str = Field(description="Kind of the difference.", examples=["changed"])
    before: JsonValue = Field(None, description="The value before.", examples=["It is in Lyon."])
    after: JsonValue = Field(
        None, description="The value after.", examples=["It arrives tomorrow."]
    )


class ElementChangeAnswer(Answer):
    """A node, edge, reducer or field of the workflow that differs.

    Added and removed elements are in ``after`` or ``before``, changes in ``fields``.
    """

    element: str = Field(
        description="Kind of the element: node, edge, reducer or field.", examples=["node"]
    )
    id: str = Field(description="Id or name of the element.", examples=["draft"])
    kind: str = Field(description="Kind of the difference.", examples=["changed"])
    before: JsonValue = Field(
        None,
        description="The element before; absent if it was added.",
        examples=[{"id": "draft", "type": "llm", "name": "Draft"}],
    )
    after: JsonValue = Field(
        None,
        description="The element after; absent if it was removed.",
        examples=[{"id": "draft", "type": "llm", "name": "Draft the answer"}],
    )
    fields: list[FieldChangeAnswer] = Field([], description="Differences within the element.")


class NoticeAnswer(Answer):
    """A warning about messages, by their indices."""

    code: str = Field(description="Stable code.", examples=["split_pair"])
    message: str = Field(
        description="Explanation for a person.",
        examples=["A tool call is visible without its result."],
    )
    indices: list[FromZero] = Field(description="Log indices of the messages.", examples=[[4, 5]])
    step: str | FromZero = Field(
        description="Step of the filters: a name, or a number from 0.", examples=["filter"]
    )


class ConflictAnswer(Answer):
    """Two edges have different values under one name; the later edge won."""

    section: str = Field(
        description="Section of the context: variables, history, metadata or messages.",
        examples=["variables"],
    )
    name: str = Field(description="Name.", examples=["score"])
    winner: str = Field(description="Edge whose value was kept.", examples=["b"])
    loser: str = Field(description="Edge whose value was dropped.", examples=["a"])


class DecisionAnswer(Answer):
    """What happened to one name or message, by which step and rule, and why."""

    section: str = Field(
        description="Section of the context: variables, history, metadata or messages.",
        examples=["variables"],
    )
    name: str | None = Field(
        None, description="Name, in the sections of names.", examples=["draft"]
    )
    index: FromZero | None = Field(None, description="Log index, of a message.", examples=[8])
    verdict: str = Field(description="kept, dropped, changed or added.", examples=["kept"])
    step: str | FromZero = Field(
        description="Step of the filters: a name, or a number from 0.", examples=["filter"]
    )
    rule: FromZero | None = Field(
        None, description="Number of the rule in its filter, from 0.", examples=[0]
    )
    filter: FromZero | None = Field(
        None, description="Number of the filter in its step, from 0.", examples=[0]
    )
    renamed: str | None = Field(
        None, description="The new name, if it was renamed.", examples=["summary"]
    )
    reason: str = Field(
        description="Why the rule decided so.", examples=["no rule matches it, the default is pass"]
    )
    before: JsonValue = Field(None, description="The value before.", examples=["It is in Lyon."])
    after: JsonValue = Field(
        None, description="The value after.", examples=["It arrives tomorrow."]
    )


class SeenMessageAnswer(MessageFields):
    """A message as a node sees it, with its additional fields."""

    index: FromZero = Field(description="Index in the message log, counted from 0.", examples=[0])
    id: str = Field(description="Id of the message.", examples=["log-0"])
    visible: bool = Field(description="Whether it is in the current view.")
    tokens: FromZero = Field(
        description="Tokens of a model: as reported by the engine, else estimated.", examples=[120]
    )
    tokens_estimated: bool = Field(description="Whether the tokens are an estimate.")


Context = Annotated[object, JsonOf(PromptContextInput)]
SeenMessages = Annotated[object, JsonOf(list[SeenMessageAnswer])]
Explanation = Annotated[object, JsonOf(list[DecisionAnswer])]
Notices = Annotated[object, JsonOf(list[NoticeAnswer])]
Conflicts = Annotated[object, JsonOf(list[ConflictAnswer])]


def _fragment(data: dict[str, JsonValue]) -> orjson.Fragment:
    """Data that may be large as finished JSON, so that nothing walks through it again."""
    return orjson.Fragment(dumps(data))


class AppliedAnswer(Answer):
    """A context and messages after filters, and why each item was kept, dropped or changed."""

    context: Context = Field(description="The prompt context.")
    messages: SeenMessages = Field(description="The messages, in order.")
    explanation: Explanation = Field(description="For each name and message, which rule decided.")
    warnings: Notices = Field(description="Warnings; nothing was refused because of them.")

    @classmethod
    def of(cls, tried: DryRunResult) -> Self:
        return cls(
            context=_fragment(tried.context.as_json()),
            messages=tried.messages,
            explanation=[each.as_json() for each in tried.explanation],
            warnings=[each.as_json() for each in tried.warnings],
        )


class JoinedAnswer(Answer):
    """The merged context of several edges."""

    context: Context = Field(description="The prompt context.")
    messages: SeenMessages = Field(description="The messages, in order.")
    conflicts: Conflicts = Field(description="Names with different values on several edges.")
    warnings: Notices = Field(description="Warnings; nothing was refused because of them.")

    @classmethod
    def of(cls, tried: DryRunResult) -> Self:
        return cls(
            context=_fragment(tried.context.as_json()),
            messages=tried.messages,
            conflicts=[each.as_json() for each in tried.conflicts],
            warnings=[each.as_json() for each in tried.warnings],
        )


class PreviewAnswer(AppliedAnswer):
    """What a node would see, with the problems of the document and the tokens.

    ``edges`` are the incoming edges that were used. The messages are in the ``format`` that was
    asked for; ``system`` is null where that has none beside them.
    """

    messages: Annotated[object, JsonOf(list[SeenMessageAnswer] | list[ProviderMessage])] = Field(
        description="The messages that the node would see, in order."
    )
    format: str = Field(description="Name of the format of the messages.", examples=["openai"])
    system: Annotated[object, JsonOf(list[ProviderMessage] | None)] = Field(
        description="System messages, in formats that keep them apart."
    )
    conflicts: Conflicts = Field(description="Names with different values on several edges.")
    edges: list[str] = Field(
        description="Ids of the incoming edges that were used.", examples=[["to-review"]]
    )
    problems: Problems = Field(description="Problems of the document, in order.")
    tokens_before: FromZero = Field(
        description="Tokens of the visible messages before.", examples=[2400]
    )
    tokens_after: FromZero = Field(
        description="Tokens of the visible messages after.", examples=[900]
    )
    cached_prefix_lost: FromZero = Field(
        description="Tokens of the cached prefix that are lost.", examples=[300]
    )

    @classmethod
    def of_preview(cls, found: PreviewResult, name: str) -> Self:
        fields = AppliedAnswer.of(found.seen).model_dump()
        written = found.seen.written
        system = None
        if written is not None:
            fields["messages"] = written.messages
            fields["warnings"] += notices_of(written)
            system = written.system
        return cls(
            **fields,
            format=name,
            system=None if system is None else list(system),
            conflicts=[each.as_json() for each in found.seen.conflicts],
            edges=list(found.edges),
            problems=[each.as_json() for each in found.problems],
            tokens_before=found.tokens_before,
            tokens_after=found.tokens_after,
            cached_prefix_lost=found.cached_prefix_lost,
        )


class CheckedAnswer(Answer):
    """A valid condition; with a context also its value, and whether that counts as true.

    ``names`` are the names that it mentions.
    """

    ok: bool = Field(description="Always true; an invalid condition is `validation`.")
    names: list[str] = Field(description="Names that the condition mentions.", examples=[["score"]])
    value: JsonValue = Field(None, description="Its value in the given context.", examples=[True])
    holds: bool | None = Field(None, description="Whether that value counts as true.")


class RegisteredAnswer(Answer):
    """A processor or a transform with its origin; ``fault`` if it cannot be loaded."""

    name: str = Field(description="Name, as documents use it.", examples=["filter_in"])
    origin: str = Field(
        description="`builtin`, `registered` or the name of a package.", examples=["builtin"]
    )
    description: str = Field(
        description="What it is for, in a few words.", examples=["Passes the template only."]
    )
    fault: str | None = Field(
        description="Why it cannot be loaded; null if it can.",
        examples=["ModuleNotFoundError: acme_filters"],
    )


class ReducerAnswer(Answer):
    """A reducer, and the state keys that have it by default."""

    name: str = Field(description="Name of the reducer.", examples=["append"])
    description: str = Field(
        description="What it is for, in a few words.",
        examples=["Appends a list to the existing one."],
    )
    default_for: list[str] = Field(
        description="State keys that have it by default.", examples=[["messages"]]
    )


class SchemaAnswer(Answer):
    """A config whose JSON Schema is at ``url``."""

    name: str = Field(description="Name of the config.", examples=["budget"])
    description: str = Field(
        description="What it is for, in a few words.",
        examples=["Over ``max_tokens`` a view is cut until at most ``target_tokens`` remain."],
    )
    url: str = Field(description="Address of its JSON Schema.", examples=["/api/v1/schemas/budget"])
