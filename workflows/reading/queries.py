"""Reads workflows: lists, drafts, versions, differences."""

from collections.abc import Sequence
from typing import Final

from ctxadmin.http.endpoints.pagination import Page, PageRequest, foreign_cursor, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.document.compare import ElementChange, compare
from workflows.domain.document.graph import Document
from workflows.models import Workflow, WorkflowVersion
from workflows.store.definitions import definition
from workflows.store.workflow import find_version, find_workflow

DRAFT: Final = "draft"


def list_workflows(actor: Actor, request: PageRequest) -> Page[Workflow]:
    """Lists workflows by slug, without their drafts."""
    rows = Workflow.objects.for_workspace(actor.workspace).defer("draft")
    match request.after:
        case ():
            pass
        case (str() as slug,):
            rows = rows.filter(slug__gt=slug)
        case _:
            raise foreign_cursor()
    found = list(rows.order_by("slug")[: request.limit + 1])
    return page_of(found, request, lambda row: (row.slug,))


def slug_of(key: int) -> str | None:
    """Returns the current slug of a workflow, None if it was deleted; another can have taken it."""
    found: str | None = Workflow.objects.filter(key=key).values_list("slug", flat=True).first()
    return found


def list_versions(actor: Actor, slug: str, request: PageRequest) -> Page[WorkflowVersion]:
    """Lists published versions, latest first, without their documents."""
    key = find_workflow(actor.workspace, slug).key
    rows = WorkflowVersion.objects.filter(workflow=key).defer("document")
    match request.after:
        case ():
            pass
        case (int() as version,) if 0 <= version < 2**31:
            rows = rows.filter(version__lt=version)
        case _:
            raise foreign_cursor()
    found = list(rows.order_by("-version")[: request.limit + 1])
    return page_of(found, request, lambda row: (row.version,))


def document_of(row: Workflow, which: str, parameter: str) -> Document:
    """Returns the document that ``draft`` or a version number names in a query string.

    Raises ValidationFailed at ``?parameter`` for any other text, NotFound for an unknown number.
    """
    if which == DRAFT:
        return definition(bytes(row.draft)).document
    if not which.isascii() or not which.isdigit() or len(which) > 9:
        message = say("{parameter} must be draft or the number of a version.", parameter=parameter)
        raise ValidationFailed.at(f"?{parameter}", message)
    return definition(bytes(find_version(row.key, int(which)).document)).document


def changes_between(actor: Actor, slug: str, before: str, after: str) -> Sequence[ElementChange]:
    """Returns the changes from one version (or the draft) to another, element by element."""
    row = find_workflow(actor.workspace, slug)
    return compare(document_of(row, before, "from"), document_of(row, after, "to"))
