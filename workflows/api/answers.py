"""The answers of the workflow endpoints."""

from collections.abc import Sequence
from typing import Annotated, Self

import orjson
from pydantic import ConfigDict, JsonValue

from ctxadmin.http.described import Answer, JsonOf
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import dumps
from workflows.domain.context import PromptContextInput
from workflows.domain.elements import Severity
from workflows.domain.graph import Document
from workflows.domain.yaml_json import Place
from workflows.models import Workflow, WorkflowVersion
from workflows.services import SavedDraft
from workflows.sights import notices_of
from workflows.trials import Previewed, Tried


class WorkflowAnswer(Answer):
    """A workflow; ``published_draft_version`` is the version of the draft that was published."""

    slug: str
    name: str
    description: str
    draft_version: int
    published_version: int | None
    published_draft_version: int | None
    created_at: str
    updated_at: str

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

    pointer: str
    code: str
    message: str
    severity: Severity
    node: str | None = None
    edge: str | None = None


Problems = Annotated[object, JsonOf(list[ProblemAnswer])]
DocumentJson = Annotated[object, JsonOf(Document)]


class SavedDraftAnswer(Answer):
    """The new version of a draft, and its problems."""

    draft_version: int
    problems: Problems

    @classmethod
    def of(cls, saved: SavedDraft) -> Self:
        return cls(
            draft_version=saved.workflow.draft_version,
            problems=[each.as_json() for each in saved.problems],
        )


class DraftAnswer(Answer):
    """A draft with its version and problems."""

    document: DocumentJson
    draft_version: int
    problems: Problems

    @classmethod
    def of(cls, saved: SavedDraft) -> Self:
        return cls(
            document=orjson.Fragment(bytes(saved.workflow.draft)),
            draft_version=saved.workflow.draft_version,
            problems=[each.as_json() for each in saved.problems],
        )


class PlacedProblemAnswer(ProblemAnswer):
    """A problem of an imported text; lines and columns count from 1."""

    file_line: int
    file_column: int


class ImportedAnswer(WorkflowAnswer):
    """The workflow of an imported document, and the problems of the document."""

    problems: Annotated[object, JsonOf(list[PlacedProblemAnswer])]

    @classmethod
    def of_saved(cls, saved: SavedDraft, places: Sequence[Place]) -> Self:
        workflow = WorkflowAnswer.of(saved.workflow)
        problems = [
            each.as_json() | {"file_line": place.line, "file_column": place.column}
            for each, place in zip(saved.problems, places, strict=True)
        ]
        return cls(**workflow.model_dump(), problems=problems)


class PublishedAnswer(Answer):
    """A published version."""

    version: int
    note: str
    author: str
    created_at: str

    @classmethod
    def of(cls, row: WorkflowVersion) -> "PublishedAnswer":
        return PublishedAnswer(
            version=row.version,
            note=row.note,
            author=row.author,
            created_at=clock.iso(row.created_at),
        )


class VersionAnswer(PublishedAnswer):
    """A published version with its document. It never changes."""

    document: DocumentJson

    @classmethod
    def of_row(cls, row: WorkflowVersion) -> Self:
        document = orjson.Fragment(bytes(row.document))
        return cls(**PublishedAnswer.of(row).model_dump(), document=document)


class FieldChangeAnswer(Answer):
    """One difference within an element; a side without a value is left out."""

    path: str
    kind: str
    before: JsonValue = None
    after: JsonValue = None


class ElementChangeAnswer(Answer):
    """A node, edge, reducer or field of the workflow that differs.

    Added and removed elements are in ``after`` or ``before``, changes in ``fields``.
    """

    element: str
    id: str
    kind: str
    before: JsonValue = None
    after: JsonValue = None
    fields: list[FieldChangeAnswer] = []


class NoticeAnswer(Answer):
    """A warning about messages, by their indices."""

    code: str
    message: str
    indices: list[int]
    step: str | int


class ConflictAnswer(Answer):
    """Two edges have different values under one name; the later edge won."""

    section: str
    name: str
    winner: str
    loser: str


class DecisionAnswer(Answer):
    """What happened to one name or message, by which step and rule, and why."""

    section: str
    name: str | None = None
    index: int | None = None
    verdict: str
    step: str | int
    rule: int | None = None
    filter: int | None = None
    renamed: str | None = None
    reason: str
    before: JsonValue = None
    after: JsonValue = None


class SeenMessageAnswer(Answer):
    """A message as a node sees it, with its additional fields."""

    model_config = ConfigDict(extra="allow")

    index: int
    id: str
    role: str
    visible: bool
    tokens: int
    tokens_estimated: bool


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

    context: Context
    messages: SeenMessages
    explanation: Explanation
    warnings: Notices

    @classmethod
    def of(cls, tried: Tried) -> Self:
        return cls(
            context=_fragment(tried.context.as_json()),
            messages=tried.messages,
            explanation=[each.as_json() for each in tried.explanation],
            warnings=[each.as_json() for each in tried.warnings],
        )


class JoinedAnswer(Answer):
    """The merged context of several edges."""

    context: Context
    messages: SeenMessages
    conflicts: Conflicts
    warnings: Notices

    @classmethod
    def of(cls, tried: Tried) -> Self:
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

    messages: Annotated[object, JsonOf(list[SeenMessageAnswer] | list[dict[str, JsonValue]])]
    format: str
    system: list[dict[str, JsonValue]] | None
    conflicts: Conflicts
    edges: list[str]
    problems: Problems
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int

    @classmethod
    def of_preview(cls, found: Previewed, name: str) -> Self:
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

    ok: bool
    names: list[str]
    value: JsonValue = None
    holds: bool | None = None


class RegisteredAnswer(Answer):
    """A processor or a transform with its origin; ``fault`` if it cannot be loaded."""

    name: str
    origin: str
    description: str
    fault: str | None


class ReducerAnswer(Answer):
    """A reducer, and the state keys that have it by default."""

    name: str
    description: str
    default_for: list[str]


class SchemaAnswer(Answer):
    """A config whose JSON Schema is at ``url``."""

    name: str
    description: str
    url: str
