"""The pages that create, publish, restore and delete whole workflows and parts of a draft."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import (
    ContextError,
    Forbidden,
    NotFound,
    ValidationFailed,
    VersionConflict,
)
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Crumb, DiffRow, Text
from ctxadmin.ui.confirm_page import Confirm, Redirection, confirm_page
from ctxadmin.ui.forms import ContractForm
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import as_sentence
from workflows.api.schemas import Publish
from workflows.domain.document.compare import ElementChange, compare
from workflows.domain.document.flow_changes import FlowChanges, flow_changes
from workflows.domain.document.graph import Document, title_of
from workflows.models import Workflow
from workflows.pages.definition import draft_conflicts
from workflows.pages.definition.diff_rows import diff_rows_of, moved_line
from workflows.pages.definition.draft_conflicts import (
    Conflict,
    DraftConflict,
    change_draft,
    conflict_of,
)
from workflows.pages.definition.draft_problems import problems_of_draft
from workflows.pages.definition.links import FormLinks, ProblemLine, crumbs, problem_lines
from workflows.pages.definition.publish_costs import PublishCosts, publish_costs
from workflows.pages.drawing.diff_drawing import MOST_CHANGES
from workflows.pages.elements import document_edits
from workflows.pages.elements.forms import DetailsForm
from workflows.pages.elements.problem_places import ends_of
from workflows.services import use_cases
from workflows.store.definitions import definition
from workflows.store.workflow import find_version, find_workflow


@dataclass(frozen=True, slots=True)
class FormPage:
    """A form about a workflow itself.

    ``changes`` is the number of changes that it was made from.
    """

    title: Text
    crumbs: Sequence[Crumb]
    form: ContractForm[Any]
    submit: Text
    back: str
    changes: int | None
    conflict: bool


@dataclass(frozen=True, slots=True)
class PublishPage:
    """The confirmation of publishing, or why it is not possible.

    ``only_notes``: what is listed are notes, and nothing has to be fixed. ``sheet`` is True beside
    a canvas, which asks for this part alone. ``moved`` says that cards were moved.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    problems: Sequence[ProblemLine]
    errors: int
    only_notes: bool
    rows: Sequence[DiffRow]
    changed: str
    moved: str
    since: int | None
    same: bool
    note: str
    wrong_note: str
    conflict: bool
    seen: str
    costs: PublishCosts | None
    sheet: bool


@dataclass(frozen=True, slots=True)
class ChangeDetails:
    """What goes with a change of the draft; ``others`` are elements that go too."""

    others: Sequence[str]
    rows: Sequence[DiffRow]
    conflict: Conflict | None
    moved: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edit(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Edits name and description in the list."""
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    sent = request.method == "POST"
    initial = {"name": row.name, "description": row.description}
    form = DetailsForm(request.POST if sent else None, initial=dict(initial))
    conflict = False
    if form.is_valid():
        given = form.model
        try:
            use_cases.change(
                actor,
                slug,
                name=given.name or row.slug,
                description=given.description or "",
                expected=_seen(request, "changes"),
            )
        except VersionConflict:
            conflict = True
            row = find_workflow(actor.workspace, slug)
        else:
            flash.success(request, _("Saved."))
            return redirect("workflows:detail", slug)
    shown = FormPage(
        title=_("Edit name and description"),
        crumbs=crumbs(row, Crumb(_("Edit"))),
        form=form,
        submit=_("Save"),
        back=reverse("workflows:detail", args=[slug]),
        changes=row.change_seq,
        conflict=conflict,
    )
    status = 409 if conflict else 422 if form.errors else 200
    return show(request, "workflows/form.html", shown, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def publish(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Shows problems and changes, then publishes exactly the draft that was shown.

    A canvas asks with ``?sheet=1`` for that part of the page, and gets the new version as JSON.
    """
    sheet = request.GET.get("sheet") == "1"
    actor.require(Action.WORKFLOW_PUBLISH)
    row = find_workflow(actor.workspace, slug)
    # Forms send each end of a line as two characters.
    note = request.POST.get("note", "").replace("\r\n", "\n").strip()
    wrong_note = _wrong_note(note)
    conflict = False
    if request.method == "POST" and not wrong_note:
        try:
            version = use_cases.publish(actor, slug, _seen(request, "draft_version"), note)
        except VersionConflict:
            conflict = True
            row = find_workflow(actor.workspace, slug)
        except ContextError as error:
            if isinstance(error, NotFound | Forbidden) or not error.problems:
                raise
        else:
            if sheet:
                url = reverse("workflows:version", args=[slug, version.version])
                return JsonResponse({"version": version.version, "url": url})
            text = _("Published as version %(n)s.") % {"n": version.version}
            flash.success(request, text)
            return redirect("workflows:version", slug, version.version)
    shown = _publish_page(actor, row, note, wrong_note, conflict=conflict, sheet=sheet)
    status = 200 if request.method != "POST" else 409 if conflict else 422
    template = "workflows/_publish.html" if sheet else "workflows/publish.html"
    return show(request, template, shown, status=status)


def _wrong_note(note: str) -> str:
    """What is wrong with a note, as the API says it; empty for nothing."""
    try:
        parse(Publish, {"note": note})
    except ValidationFailed as error:
        return as_sentence(error.problems[0].message)
    return ""


def _publish_page(
    actor: Actor, row: Workflow, note: str, wrong_note: str, *, conflict: bool, sheet: bool
) -> PublishPage:
    data = bytes(row.draft)
    document, found = definition(data).document, problems_of_draft(data)
    links = FormLinks(row.slug or "", may_change=True)
    rows: list[DiffRow] = []
    changed: set[tuple[str, str]] | None = None
    found_changes = FlowChanges()
    if row.published_version is not None:
        before = definition(bytes(find_version(row.key, row.published_version).document)).document
        found_changes = flow_changes(compare(before, document))
        rows = diff_rows_of(found_changes.changes[:MOST_CHANGES], before, document)
        changed = {(change.element, change.id) for change in found_changes.changes}
    return PublishPage(
        title=_("Publish %(name)s") % {"name": row.name},
        crumbs=crumbs(row, Crumb(_("Publish"))),
        row=row,
        problems=problem_lines(document, found.problems[:100], links, row.slug or ""),
        errors=found.counts[0],
        only_notes=not any(found.counts),
        rows=rows,
        changed=_changed_words(found_changes.changes),
        moved=moved_line(found_changes),
        since=row.published_version,
        same=row.published_draft == row.draft_version,
        note=note,
        wrong_note=wrong_note,
        conflict=conflict,
        seen=draft_conflicts.draft_token(row),
        costs=publish_costs(actor, row, changed),
        sheet=sheet,
    )


def _changed_words(changes: Sequence[ElementChange]) -> str:
    """Returns how much changed: ``2 nodes, 1 edge``."""
    counts: Counter[str] = Counter(change.element for change in changes)
    said = {
        "node": ngettext("%(n)s node", "%(n)s nodes", counts["node"]),
        "edge": ngettext("%(n)s edge", "%(n)s edges", counts["edge"]),
        "reducer": ngettext("%(n)s reducer", "%(n)s reducers", counts["reducer"]),
    }
    parts = [text % {"n": counts[name]} for name, text in said.items() if counts[name]]
    if counts["workflow"]:
        parts.append(_("the workflow itself"))
    return ", ".join(parts)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def restore(request: HttpRequest, actor: Actor, slug: str, number: int) -> HttpResponse:
    """Makes a version the draft again."""
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    document = definition(bytes(find_version(row.key, number).document)).document
    now = definition(bytes(row.draft)).document
    lost = flow_changes(compare(now, document))
    title = _("Restore version %(n)s into the draft") % {"n": number}
    ask = _Question(
        title=title,
        text=_restored_words(row, number),
        submit=_("Restore"),
        rows=diff_rows_of(lost.changes[:MOST_CHANGES], now, document),
        moved=moved_line(lost),
        done=_("Draft replaced by version %(n)s.") % {"n": number},
    )
    return _ask(request, actor, row, ask, lambda _draft: document)


def _restored_words(row: Workflow, number: int) -> str:
    """Returns what becomes of the draft when a version takes its place."""
    if row.published_draft == row.draft_version:
        text = _(
            "The draft is replaced by version %(n)s. It is published as version %(latest)s, which "
            "stays. This changes in the draft:"
        )
        return text % {"n": number, "latest": row.published_version}
    text = _(
        "The draft is replaced by version %(n)s; what was not published is lost. "
        "This changes in it:"
    )
    return text % {"n": number}


@require_http_methods(["GET", "HEAD", "POST"])
@page
def delete_node(request: HttpRequest, actor: Actor, slug: str, node_id: str) -> HttpResponse:
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    document = definition(bytes(row.draft)).document
    name = title_of(document_edits.find(document.nodes, node_id))
    gone = document_edits.edges_of(document, node_id)
    count = len(gone)
    text = _("No edges are connected to it.")
    if gone:
        text = ngettext(
            "%(n)s connected edge is deleted too:", "%(n)s connected edges are deleted too:", count
        ) % {"n": count}
    ask = _Question(
        title=_("Delete the node “%(name)s”") % {"name": name},
        text=text,
        submit=_("Delete"),
        others=[ends_of(document, edge) for edge in gone[:100]],
        done=_("Node “%(name)s” deleted.") % {"name": name},
    )
    return _ask(request, actor, row, ask, lambda draft: document_edits.without_node(draft, node_id))


@require_http_methods(["GET", "HEAD", "POST"])
@page
def delete_edge(request: HttpRequest, actor: Actor, slug: str, edge_id: str) -> HttpResponse:
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    document = definition(bytes(row.draft)).document
    name = ends_of(document, document_edits.find(document.edges, edge_id))
    ask = _Question(
        title=_("Delete the edge “%(name)s”") % {"name": name},
        text=_("Both nodes stay."),
        submit=_("Delete"),
        done=_("Edge “%(name)s” deleted.") % {"name": name},
    )
    return _ask(request, actor, row, ask, lambda draft: document_edits.without_edge(draft, edge_id))


@dataclass(frozen=True, slots=True)
class _Question:
    """The texts of a confirmation of a change of the draft, and of its success."""

    title: str
    text: str
    submit: str
    done: str
    others: Sequence[str] = ()
    rows: Sequence[DiffRow] = ()
    moved: str = ""


def _ask(
    request: HttpRequest,
    actor: Actor,
    row: Workflow,
    ask: _Question,
    change: Callable[[Document], Document],
) -> HttpResponse:
    slug = row.slug or ""
    back = reverse("workflows:detail", args=[slug])

    def write(_reason: str) -> Redirection:
        change_draft(request, actor, slug, change)
        return Redirection(back, ask.done)

    def question(refusal: ContextError | None) -> Confirm:
        conflict = refusal if isinstance(refusal, DraftConflict) else None
        now = conflict.row if conflict else row
        return Confirm(
            title=ask.title,
            text=ask.text,
            submit=ask.submit,
            back=back,
            crumbs=crumbs(now, Crumb(ask.title)),
            danger=True,
            hidden={draft_conflicts.FIELD: draft_conflicts.draft_token(now)},
            refusal="" if conflict else None,
            template="workflows/confirm.html",
            details=ChangeDetails(
                ask.others,
                ask.rows,
                conflict_of(conflict) if conflict else None,
                ask.moved,
            ),
        )

    return confirm_page(request, question, write)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def delete(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    actor.require(Action.WORKFLOW_CHANGE)
    find_workflow(actor.workspace, slug)

    def write(_reason: str) -> Redirection:
        use_cases.delete(actor, slug, expected=_seen(request, "changes"))
        done = _("Workflow %(slug)s deleted.") % {"slug": slug}
        return Redirection(reverse("workflows:list"), done)

    def question(_refusal: ContextError | None) -> Confirm:
        row = find_workflow(actor.workspace, slug)
        return Confirm(
            title=_("Delete the workflow %(slug)s") % {"slug": slug},
            text=_(
                "No new executions can use it, and its slug becomes available. Existing executions "
                "continue and stay readable."
            ),
            submit=_("Delete"),
            back=reverse("workflows:detail", args=[slug]),
            crumbs=crumbs(row, Crumb(_("Delete"))),
            danger=True,
            hidden={"changes": str(row.change_seq)},
        )

    return confirm_page(request, question, write)


def _seen(request: HttpRequest, name: str) -> int:
    """The number that a form saw; -1, which no workflow has, if it names none."""
    number = whole_number(request.POST.get(name), digits=18)
    return -1 if number is None else number
