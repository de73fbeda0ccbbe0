"""The answers of the workflow endpoints."""

from collections.abc import Sequence
from typing import Annotated, Self

import orjson
from pydantic import ConfigDict, Field, JsonValue

from ctxadmin.http.described import Answer, FromOne, FromZero, JsonOf, Time
from ctxadmin.lib import clock
from workflows.domain.document.elements import Problem, Severity
from workflows.domain.document.graph import Document
from workflows.domain.document.yaml_json import YamlPlace
from workflows.models import Workflow, WorkflowVersion
from workflows.services.use_cases import SavedDraft


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
    """One difference within an element; a side without a value is omitted."""

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
