"""The use cases of workflows: each loads, decides, commits."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState
from ctxadmin.lib.id_words import id_words
from ctxadmin.lib.ids import is_reserved, new_key, new_public_id
from ctxadmin.lib.sentence import say
from workflows.domain.checks import problems
from workflows.domain.checks.problems import Problem
from workflows.domain.document.draft_changes import DraftChanges
from workflows.domain.document.graph import MAX_NAME, Document
from workflows.domain.document.recorded_changes import LONGEST_NAME, recorded_changes
from workflows.models import Workflow, WorkflowVersion
from workflows.starters import StarterName, starter
from workflows.store.definitions import cache_definition, definition, problems_of, stored
from workflows.store.workflow import (
    draft_conflict,
    find_workflow,
    insert,
    slug_is_taken,
    workflow_exists,
    writing,
)

_MOST_OF_NAME: Final = 50  # letters of a slug


@dataclass(frozen=True, slots=True)
class NewWorkflow:
    """The initial data of a workflow; without a slug it gets one, without a template no nodes."""

    slug: str | None = None
    name: str = ""
    description: str = ""
    start_with: StarterName | None = None


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """A workflow whose draft was saved, and its problems."""

    workflow: Workflow
    problems: Sequence[Problem]
    created: bool = False


def create(actor: Actor, new: NewWorkflow) -> Workflow:
    """Creates a workflow with an empty draft, version 0, or that of a template, version 1.

    Without a slug it gets one from its name. Raises Duplicate if the slug is taken.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    slug = new.slug or free_slug(actor, new.name)
    name = new.name or slug
    document = Document(name=name, nodes=(), edges=())
    detail: dict[str, object] = {"what": "created"}
    if new.start_with is not None:
        document = starter(new.start_with, name)
        detail |= {"from": new.start_with, **_sizes(document)}
    row = _new_row(actor, slug, name, document)
    row.description = new.description
    row.draft_version = 0 if new.start_with is None else 1
    insert(row, actor, detail)
    return row


def _new_row(actor: Actor, slug: str, name: str, document: Document) -> Workflow:
    return Workflow(
        key=new_key(),
        workspace=actor.workspace,
        slug=slug,
        name=name,
        draft=stored(document),
    )


def change(
    actor: Actor,
    slug: str,
    *,
    name: str | None = None,
    description: str | None = None,
    expected: int | None = None,
) -> Workflow:
    """Sets name or description, if given; ``expected`` is the row's number of changes."""
    actor.require(Action.WORKFLOW_CHANGE)
    given = {"name": name, "description": description}
    fields = {field: value for field, value in given.items() if value is not None}
    with writing(actor, slug) as opened:
        opened.require_unchanged(expected)
        if fields:
            detail: dict[str, object] = {"what": "described", "fields": sorted(fields)}
            if name is not None and name != opened.row.name:
                detail["former_name"] = opened.row.name[:LONGEST_NAME]
            opened.commit(Action.WORKFLOW_CHANGE, detail, **fields)
    return opened.row


def delete(actor: Actor, slug: str, *, expected: int | None = None) -> None:
    """Removes a workflow from every list and frees its slug.

    Its versions stay, so that executions pinned to them continue and can be read; nothing new
    starts with it.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    with writing(actor, slug) as opened:
        opened.require_unchanged(expected)
        detail = {"what": "deleted"}
        opened.commit(Action.WORKFLOW_CHANGE, detail, slug=None, deleted_slug=slug)


def save_draft(actor: Actor, slug: str, document: Document, expected_version: int) -> SavedDraft:
    """Saves the draft, even with problems; raises VersionConflict if another was saved since."""
    actor.require(Action.WORKFLOW_CHANGE)
    data = stored(document)
    cache_definition(data, document)
    found = problems_of(data)
    with writing(actor, slug) as opened:
        opened.require_draft(expected_version)
        before = definition(bytes(opened.row.draft)).document
        detail = {"what": "draft", **_sizes(document), **recorded_changes(before, document)}
        version = expected_version + 1
        opened.commit(Action.WORKFLOW_CHANGE, detail, draft=data, draft_version=version)
    return SavedDraft(opened.row, found)


def change_draft(
    actor: Actor, slug: str, changes: DraftChanges, expected_version: int
) -> SavedDraft:
    """Saves the draft of ``expected_version`` with changes of some of its elements.

    Raises VersionConflict if another was saved since, ValidationFailed for an element it lacks.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    if row.draft_version != expected_version:
        raise draft_conflict(expected_version, row.draft_version)
    document = changes.apply_to(definition(bytes(row.draft)).document, "/changes")
    return save_draft(actor, slug, document, expected_version)


def publish(actor: Actor, slug: str, expected_version: int, note: str = "") -> WorkflowVersion:
    """Publishes the draft as the next version, which never changes.

    Raises VersionConflict if the draft is not the one that was shown, ValidationFailed with all its
    problems if it has errors, InvalidState if exactly this draft is published already.
    """
    actor.require(Action.WORKFLOW_PUBLISH)
    seen = find_workflow(actor.workspace, slug)
    if seen.draft_version != expected_version:
        raise draft_conflict(expected_version, seen.draft_version)
    data = bytes(seen.draft)
    problems.refuse_unpublishable(problems_of(data))
    with writing(actor, slug) as opened:
        opened.require_draft(expected_version)
        row = opened.row
        if row.published_draft == expected_version:
            message = say(
                "This draft is published already, as version {version}.",
                version=row.published_version,
            )
            raise InvalidState(message)
        number = (row.published_version or 0) + 1
        version = WorkflowVersion(
            workflow=row.key,
            version=number,
            document=data,
            note=note,
            author=actor.label,
            created_at=opened.at,
        )
        opened.commit(
            Action.WORKFLOW_PUBLISH,
            {"version": number, **_sizes(definition(data).document)},
            published_version=number,
            published_draft=expected_version,
        )
        version.save(force_insert=True)
    return version


def import_document(
    actor: Actor, document: Document, slug: str | None, expected_version: int | None
) -> SavedDraft:
    """Creates a workflow of a document, or saves it as the draft of the one with that slug.

    An existing workflow needs ``expected_version``, as every save of a draft does: without one its
    slug is Duplicate. Without a slug one is made of the document's name.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    if slug is not None and expected_version is not None:
        return save_draft(actor, slug, document, expected_version)
    if slug is not None and workflow_exists(actor.workspace, slug):
        raise slug_is_taken(slug, may_write=True)
    chosen = slug or free_slug(actor, document.name)
    row = _new_row(actor, chosen, document.name.strip()[:MAX_NAME] or chosen, document)
    found = problems_of(bytes(row.draft))
    row.draft_version = 1
    insert(row, actor, {"what": "imported", **_sizes(document)})
    return SavedDraft(row, found, created=True)


def free_slug(actor: Actor, name: str) -> str:
    """Returns a slug for the name, followed by a number if that is taken.

    A name without letters of ids, as in Chinese, gets ``workflow``, ``workflow-2``.
    """
    if not name:
        return new_public_id("workflow")
    plain = _slug_words(name) or "workflow"
    rows = Workflow.objects.for_workspace(actor.workspace)
    used = set(rows.filter(slug__startswith=plain).values_list("slug", flat=True))
    free = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
    return next(slug for slug in free if slug not in used)


def makes_slug(name: str) -> bool:
    """Returns True if a slug can be made of the name itself."""
    return bool(_slug_words(name))


def _slug_words(name: str) -> str:
    words = id_words(name.replace("_", " "), _MOST_OF_NAME)
    return "" if is_reserved(words) else words


def _sizes(document: Document) -> dict[str, object]:
    return {"nodes": len(document.nodes), "edges": len(document.edges)}
