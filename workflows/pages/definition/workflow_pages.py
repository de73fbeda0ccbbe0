"""The pages on which workflows are read: list, draft, versions, differences, YAML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

import orjson
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ctxadmin.http.endpoints.pagination import PageRequest, encode, position_after
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Crumb, DiffRow, Tab, Text
from ctxadmin.ui.pages import page, show
from workflows.domain.document import graph, yaml_io
from workflows.domain.document.compare import ElementChange, compare
from workflows.domain.document.flow_changes import flow_changes
from workflows.domain.document.graph import Document
from workflows.models import Workflow, WorkflowVersion
from workflows.pages.definition.diff_rows import Link, diff_rows_of, moved_line
from workflows.pages.definition.draft_problems import problems_of_draft
from workflows.pages.definition.links import (
    FormLinks,
    OutlineLinks,
    ProblemLine,
    crumbs,
    problem_lines,
)
from workflows.pages.definition.outline import PER_PAGE, Outline, outline_of
from workflows.pages.drawing.diff_drawing import MOST_CHANGES, draw_difference
from workflows.pages.drawing.svg import MARK_WORDS, Drawing, draw
from workflows.reading import exports, queries
from workflows.reading.sources import runs_of
from workflows.store.definitions import definition
from workflows.store.workflow import find_version, find_workflow

_LISTED: Final = 50
# Drafts larger than this are not checked for a list; their own page does it.
_CHECKED_BYTES: Final = 512 * 1024
_MOST_PROBLEMS: Final = 100


@dataclass(frozen=True, slots=True)
class WorkflowLine:
    """A row of the list; ``errors`` is None if the draft was too large to check."""

    row: Workflow
    errors: int | None
    warnings: int
    unpublished: bool


@dataclass(frozen=True, slots=True)
class ListPage:
    """The list of workflows."""

    title: Text
    crumbs: Sequence[Crumb]
    lines: Sequence[WorkflowLine]
    next: str | None
    may_change: bool


@dataclass(frozen=True, slots=True)
class DetailPage:
    """A workflow's draft: drawn, as an outline, with its problems.

    ``only_notes``: what is listed are notes, and nothing has to be fixed.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    tabs: Sequence[Tab]
    drawing: Drawing | None
    outline: Outline
    next: str | None
    problems: Sequence[ProblemLine]
    more_problems: int
    errors: int
    only_notes: bool
    may_change: bool
    may_publish: bool
    may_preview: bool
    unpublished: bool


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A published version and how often it was run."""

    row: WorkflowVersion
    runs: int


@dataclass(frozen=True, slots=True)
class VersionsPage:
    """The published versions, latest first."""

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    tabs: Sequence[Tab]
    versions: Sequence[VersionLine]
    next: str | None
    choices: Sequence[str]
    pair: tuple[str, str]
    may_change: bool
    may_audit: bool
    counts_runs: bool


@dataclass(frozen=True, slots=True)
class VersionPage:
    """One published version, read-only."""

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    version: WorkflowVersion
    drawing: Drawing | None
    outline: Outline
    next: str | None
    may_change: bool
    may_audit: bool


@dataclass(frozen=True, slots=True)
class DiffPage:
    """The changes from one version, or the draft, to another.

    ``moved`` says that cards were moved. ``signs`` are the marks of the legend.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    before: str
    after: str
    rows: Sequence[DiffRow]
    total: int
    moved: str
    choices: Sequence[str]
    drawing: Drawing | None
    signs: Sequence[str]
    restore: int | None


@require_safe
@page
def workflow_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    asked = PageRequest.of(request.GET)
    wanted = PageRequest(asked.after, min(asked.limit, _LISTED))
    found = queries.list_workflows(actor, wanted)
    shown = ListPage(
        title=_("Workflows"),
        crumbs=(),
        lines=_lines(found.items),
        next=found.next,
        may_change=actor.may(Action.WORKFLOW_CHANGE),
    )
    return show(request, "workflows/list.html", shown)


def _lines(rows: Sequence[Workflow]) -> list[WorkflowLine]:
    """Returns the rows with the problems of their drafts, which are read in one query."""
    drafts = _small_drafts([row.key for row in rows])
    lines: list[WorkflowLine] = []
    for row in rows:
        data = drafts.get(row.key)
        errors, warnings = (None, 0) if data is None else problems_of_draft(data).counts
        unpublished = row.published_draft != row.draft_version
        lines.append(WorkflowLine(row, errors, warnings, unpublished))
    return lines


def _small_drafts(keys: Sequence[int]) -> Mapping[int, bytes]:
    rows = Workflow.objects.filter(key__in=keys).annotate(size=Length("draft"))
    found = rows.filter(size__lte=_CHECKED_BYTES).values_list("key", "draft")
    return {key: bytes(draft) for key, draft in found}


@require_safe
@page
def detail(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    row = find_workflow(actor.workspace, slug)
    may_change = actor.may(Action.WORKFLOW_CHANGE)
    data = bytes(row.draft)
    document, found = definition(data).document, problems_of_draft(data)
    links = FormLinks(slug, may_change=may_change)
    start, following = outline_page(request, document)
    shown = DetailPage(
        title=row.name,
        crumbs=(Crumb(_("Workflows"), reverse("workflows:list")), Crumb(row.name)),
        row=row,
        tabs=tabs(row, "draft"),
        drawing=draw(document, found.problems, links),
        outline=outline_of(document, found.problems, links, start),
        next=following,
        problems=problem_lines(document, found.problems[:_MOST_PROBLEMS], links, slug),
        more_problems=max(len(found.problems) - _MOST_PROBLEMS, 0),
        errors=found.counts[0],
        only_notes=not any(found.counts),
        may_change=may_change,
        may_publish=actor.may(Action.WORKFLOW_PUBLISH),
        may_preview=actor.may(Action.PREVIEW),
        unpublished=row.published_draft != row.draft_version,
    )
    return show(request, "workflows/detail.html", shown)


@require_safe
@page
def versions(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    row = find_workflow(actor.workspace, slug)
    asked = PageRequest.of(request.GET)
    found = queries.list_versions(actor, slug, PageRequest(asked.after, min(asked.limit, _LISTED)))
    runs = runs_of(actor.workspace, row.key, [each.version for each in found.items])
    shown = VersionsPage(
        title=_("Versions of %(name)s") % {"name": row.name},
        crumbs=crumbs(row, Crumb(_("Versions"))),
        row=row,
        tabs=tabs(row, "versions"),
        versions=[VersionLine(each, (runs or {}).get(each.version, 0)) for each in found.items],
        next=found.next,
        choices=_choices(row),
        pair=_usual_pair(row),
        may_change=actor.may(Action.WORKFLOW_CHANGE),
        may_audit=actor.may(Action.AUDIT_READ),
        counts_runs=runs is not None,
    )
    return show(request, "workflows/versions.html", shown)


@require_safe
@page
def version(request: HttpRequest, actor: Actor, slug: str, number: int) -> HttpResponse:
    row = find_workflow(actor.workspace, slug)
    found = find_version(row.key, number)
    document = definition(bytes(found.document)).document
    links = OutlineLinks()
    start, following = outline_page(request, document)
    title = _("%(name)s, version %(n)s") % {"name": row.name, "n": number}
    versions_url = reverse("workflows:versions", args=[slug])
    shown = VersionPage(
        title=title,
        crumbs=crumbs(
            row, Crumb(_("Versions"), versions_url), Crumb(_("Version %(n)s") % {"n": number})
        ),
        row=row,
        version=found,
        drawing=draw(document, (), links),
        outline=outline_of(document, (), links, start),
        next=following,
        may_change=actor.may(Action.WORKFLOW_CHANGE),
        may_audit=actor.may(Action.AUDIT_READ),
    )
    return show(request, "workflows/version.html", shown)


@require_safe
@page
def diff(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    row = find_workflow(actor.workspace, slug)
    before, after = _asked_pair(request, row)
    documents = (
        queries.document_of(row, before, "from"),
        queries.document_of(row, after, "to"),
    )
    found = flow_changes(compare(*documents))
    changes = found.changes
    drawing = draw_difference(*documents, changes) if changes else None
    differs = bool(changes or found.moved or found.placed)
    old = int(before) if before != queries.DRAFT and after == queries.DRAFT else None
    shown = DiffPage(
        title=_("From %(a)s to %(b)s") % {"a": version_label(before), "b": version_label(after)},
        crumbs=crumbs(row, Crumb(_("Difference"))),
        row=row,
        before=before,
        after=after,
        rows=diff_rows_of(changes[:MOST_CHANGES], *documents, canvas_link(slug, before, after)),
        total=len(changes),
        choices=_choices(row),
        moved=moved_line(found),
        drawing=drawing,
        signs=[] if drawing is None else _signs(drawing),
        restore=old if differs and actor.may(Action.WORKFLOW_CHANGE) else None,
    )
    return show(request, "workflows/diff.html", shown)


@require_safe
@page
def yaml_file(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    which = request.GET.get("version", queries.DRAFT)
    text = yaml_io.dump(exports.export(actor, slug, which))
    return _file(text.encode(), "text/yaml; charset=utf-8", slug, which, "yaml")


@require_safe
@page
def json_file(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    which = request.GET.get("version", queries.DRAFT)
    document = graph.dump(exports.export(actor, slug, which))
    data = orjson.dumps(document, option=orjson.OPT_INDENT_2)
    return _file(data, "application/json", slug, which, "json")


def _file(data: bytes, content_type: str, slug: str, which: str, ending: str) -> HttpResponse:
    version = "" if which == queries.DRAFT else f"-v{which}"
    name = content_disposition_header(as_attachment=True, filename=f"{slug}{version}.{ending}")
    headers = {"Content-Disposition": str(name)}
    return HttpResponse(data, content_type=content_type, headers=headers)


def tabs(row: Workflow, current: str) -> list[Tab]:
    """Returns the tabs: the draft, the versions and the reducers of a workflow."""
    return [
        Tab(_("Draft"), reverse("workflows:detail", args=[row.slug]), current == "draft"),
        Tab(
            _("Versions"),
            reverse("workflows:versions", args=[row.slug]),
            current == "versions",
            row.published_version or 0,
        ),
    ]


def version_label(which: str) -> str:
    """Returns ``draft`` or a number as shown to a reader."""
    return _("the draft") if which == queries.DRAFT else _("version %(n)s") % {"n": which}


def canvas_link(slug: str, before: str, after: str) -> Link:
    """Returns where the nodes and edges of a comparison are drawn, each selected."""
    canvas = reverse("workflows:diff-canvas", args=[slug, before, after])

    def link(change: ElementChange) -> str:
        if change.element not in ("node", "edge"):
            return ""
        return f"{canvas}?{urlencode({str(change.element): change.id})}"

    return link


def _signs(drawing: Drawing) -> list[str]:
    """Returns the marks that a drawing has, in the order of its legend."""
    used = {card.mark for card in drawing.cards} | {line.mark for line in drawing.lines}
    return [mark for mark in MARK_WORDS if mark in used]


def _asked_pair(request: HttpRequest, row: Workflow) -> tuple[str, str]:
    if "from" not in request.GET and "to" not in request.GET:
        return _usual_pair(row)
    latest = str(row.published_version or queries.DRAFT)
    return request.GET.get("from", latest), request.GET.get("to", queries.DRAFT)


def _usual_pair(row: Workflow) -> tuple[str, str]:
    """Returns what is compared first: the latest version with the draft.

    A draft that equals the latest version says nothing: then the two latest versions.
    """
    latest = row.published_version or 0
    if row.published_draft == row.draft_version and latest > 1:
        return str(latest - 1), str(latest)
    return (str(latest) if latest else queries.DRAFT), queries.DRAFT


def _choices(row: Workflow) -> list[str]:
    """Returns what can be compared: the draft and the latest versions."""
    newest = row.published_version or 0
    return [queries.DRAFT, *(str(number) for number in range(newest, max(newest - 100, 0), -1))]


def outline_page(request: HttpRequest, document: Document) -> tuple[int, str | None]:
    """Returns where the page of the outline starts, and the cursor of the next one."""
    start = position_after(PageRequest.of(request.GET))
    last = start + PER_PAGE
    more = last < max(len(document.nodes), len(document.edges))
    return start, encode((last - 1,)) if more else None
