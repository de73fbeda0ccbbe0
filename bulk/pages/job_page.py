"""The page of a bulk action: its dry run, its progress, then the result of each item."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.http import require_http_methods, require_safe

from bulk import exports, jobs, store
from bulk.domain.rules import DryRun, refusal
from bulk.exports import ExportSize
from bulk.facts import current_labels, facts_of
from bulk.models import BulkItem, BulkJob
from bulk.pages.selection import list_url
from bulk.pages.wording import (
    HINTS,
    OPPOSITES,
    TITLES,
    done_label,
    opposite_label,
    result_words,
    status_of,
    submit_label,
)
from bulk.store import BulkProblem
from conversations.models import Conversation
from conversations.reading.display_names import display_name, read_display_names
from ctxadmin.background.leases import ACTIVE, is_stopping
from ctxadmin.http.endpoints.pagination import PageRequest, foreign_cursor, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction, BulkList
from ctxadmin.lib import clock
from ctxadmin.lib.errors import InvalidState, ValidationFailed
from ctxadmin.lib.stored_sentence import read_sentence
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Crumb, Tab, Text, Tone
from ctxadmin.ui.confirm_page import REASON, TextEntry
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

NAME: Final = gettext_lazy("Bulk actions")
_LISTED: Final = 50
# The results of items, as an address names them.
_OUTCOMES: Final = {
    "done": BulkItem.Outcome.DONE,
    "refused": BulkItem.Outcome.REFUSED,
    "waiting": BulkItem.Outcome.WAITING,
}
_LABEL: Final = TextEntry(
    name="label",
    label=gettext_lazy("Label"),
    limit=80,
    rows=1,
    wrong=gettext_lazy("Enter a label of 1 to 80 characters."),
)
_COUNT: Final = TextEntry(
    name="count",
    label=gettext_lazy("Number of conversations to erase"),
    limit=10,
    wrong=gettext_lazy("Type the number of conversations that will be erased."),
    help=gettext_lazy("Type the number on the button to confirm."),
)


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One item with its result; ``outcome`` is "" while nothing was done, ``why`` a refusal.

    ``label`` is the one that an action would replace, "" if there is none.
    """

    url: str
    name: str
    public_id: str
    outcome: str
    why: str
    label: str


@dataclass(frozen=True, slots=True)
class JobPage:
    """A job; ``dry_run`` and the fields to start it are there while it is a draft.

    ``size`` is that of the draft of an export.
    ``shown`` is how many matched in the list, if that was another number than the items now.
    ``is_active`` is also one that was cancelled while its worker ``is_stopping``.
    ``changing`` items are not refused, ``worked`` have a result. ``problem`` says why it stopped.
    ``result`` says in words what was done, ``done`` the same of an item. ``opposite`` labels the
    button that does the opposite to the changed items, "" if there is none.
    """

    title: Text
    crumbs: Sequence[Crumb]
    job: BulkJob
    hint: Text
    back: str
    status: Text
    tone: Tone
    done: Text
    is_draft: bool
    is_active: bool
    is_stopping: bool
    is_erasure: bool
    is_export: bool
    size: ExportSize | None
    of_executions: bool
    may_cancel: bool
    dry_run: DryRun | None
    shown: int | None
    refusals: Sequence[str]
    submit: str
    entries: Sequence[TextEntry]
    problem: str
    result: str
    opposite: Text
    archived: bool
    worked: int
    left: int
    tabs: Sequence[Tab]
    lines: Sequence[ItemLine]
    next: str | None


@dataclass(frozen=True, slots=True)
class JobListPage:
    """The latest bulk actions of the workspace, each with title, status label and tone."""

    title: Text
    crumbs: Sequence[Crumb]
    jobs: Sequence[tuple[BulkJob, Text, Text, Tone]]


@require_safe
@page
def job_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    rows = store.latest_jobs(actor.workspace, _LISTED)
    shown = JobListPage(
        title=NAME,
        crumbs=(),
        jobs=[(row, TITLES[BulkAction(row.action)], *status_of(row)) for row in rows],
    )
    return show(request, "bulk/list.html", shown)


@require_safe
@page
def job(request: HttpRequest, actor: Actor, job_id: str) -> HttpResponse:
    """``outcome`` leaves only the items with this result."""
    return _show(request, actor, jobs.open_job(actor, job_id))


@require_http_methods(["GET", "HEAD", "POST"])
@page
def start(request: HttpRequest, actor: Actor, job_id: str) -> HttpResponse:
    """Starts a draft; pressed twice, it is started once. An export is answered with its file."""
    here = redirect("bulk:job", job_id)
    row = jobs.open_job(actor, job_id)
    if row.status != BulkJob.Status.DRAFT:
        return here
    if request.method != "POST":  # as after signing in again
        if row.action == BulkAction.EXPORT:  # what is typed for others comes back, and says so
            flash.warning(request, _("The download was not started."))
        return here
    if row.action == BulkAction.EXPORT:
        # A stream lacks only what a page does not look at.
        return cast("HttpResponse", exports.send(actor, row) or here)
    text = request.POST.get(_text_of(row).name, "").strip()
    typed = [replace(_text_of(row), value=text)]
    if len(text) > typed[0].limit or (typed[0].name == _LABEL.name and not text):
        typed[0] = replace(typed[0], problem=typed[0].wrong)
    if row.action == BulkAction.ERASE:
        typed.append(_count_in(request, jobs.preview_job(row)))
    if any(entry.problem for entry in typed):
        return _show(request, actor, row, entries=typed, status=422)
    try:
        if row.action == BulkAction.LABEL:
            jobs.start(actor, row, reason="", label=text)
        else:
            jobs.start(actor, row, reason=text)
    except InvalidState as error:
        flash.warning(request, translated(error.detail))
    return here


@require_http_methods(["GET", "HEAD", "POST"])
@page
def cancel(request: HttpRequest, actor: Actor, job_id: str) -> HttpResponse:
    if request.method == "POST" and jobs.cancel(actor, jobs.open_job(actor, job_id)):
        flash.success(request, _("Cancelled. What is done stays done."))
    return redirect("bulk:job", job_id)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def undo(request: HttpRequest, actor: Actor, job_id: str) -> HttpResponse:
    """Leads to the dry run of the opposite action on the items that a finished job changed."""
    row = jobs.open_job(actor, job_id)
    opposite = OPPOSITES.get(BulkAction(row.action))
    changed = store.items_of(row, BulkItem.Outcome.DONE).values_list("public_id", flat=True)
    if request.method != "POST" or opposite is None or _is_worked_on(row) or not row.done:
        return redirect("bulk:job", job_id)
    try:
        job = jobs.select(actor, opposite, list(changed), row.filter)
    except ValidationFailed as error:  # all are erased
        flash.warning(request, translated(error.detail))
        return redirect("bulk:job", job_id)
    return redirect("bulk:job", job.public_id)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def rest(request: HttpRequest, actor: Actor, job_id: str) -> HttpResponse:
    """Leads to the dry run of the same action on the items that a stopped job left."""
    row = jobs.open_job(actor, job_id)
    if request.method != "POST" or _is_worked_on(row) or not _left(row):
        return redirect("bulk:job", job_id)
    return redirect("bulk:job", jobs.select_rest(actor, row).public_id)


def _left(row: BulkJob) -> int:
    """Returns how many items of a job have no result."""
    return row.total - row.done - row.refused


def _is_worked_on(row: BulkJob) -> bool:
    """Returns whether the results of a job may still change."""
    return row.status in ACTIVE or is_stopping(row, clock.now())


def _text_of(row: BulkJob) -> TextEntry:
    """Returns the field of the text that goes with an action."""
    return _LABEL if row.action == BulkAction.LABEL else REASON


def _entries_of(row: BulkJob) -> list[TextEntry]:
    """Returns the fields of a draft, with the text of the job whose rest it is."""
    if row.action == BulkAction.EXPORT:
        return []
    text = replace(_text_of(row), value=row.label or row.reason)
    return [text, _COUNT] if row.action == BulkAction.ERASE else [text]


def _count_in(request: HttpRequest, tried: DryRun) -> TextEntry:
    """Returns the typed number, with a problem unless it is that of the items to erase."""
    value = request.POST.get("count", "").strip()
    is_right = value.replace(",", "") == str(tried.changing)
    return replace(_COUNT, value=value, problem="" if is_right else _COUNT.wrong)


def _show(
    request: HttpRequest,
    actor: Actor,
    row: BulkJob,
    *,
    entries: Sequence[TextEntry] = (),
    status: int = 200,
) -> HttpResponse:
    action = BulkAction(row.action)
    is_draft = row.status == BulkJob.Status.DRAFT
    tried = jobs.preview_job(row) if is_draft else None
    outcome = request.GET.get("outcome", "")
    asked = PageRequest.of(request.GET)
    found = page_of(_rows(row, outcome, asked), asked, lambda item: (item.place,))
    label, tone = status_of(row)
    asks = _entries_of(row)
    shown = JobPage(
        title=TITLES[action],
        crumbs=(Crumb(NAME, reverse("bulk:list")), Crumb(TITLES[action])),
        job=row,
        hint=HINTS[action],
        back=list_url(action.list, row.filter),
        status=label,
        tone=tone,
        done=done_label(action),
        is_draft=is_draft,
        is_active=_is_worked_on(row),
        is_stopping=is_stopping(row, clock.now()),
        is_erasure=action is BulkAction.ERASE,
        is_export=action is BulkAction.EXPORT,
        size=exports.size_of(row) if is_draft and action is BulkAction.EXPORT else None,
        of_executions=action.list is BulkList.EXECUTIONS,
        may_cancel=actor.may(action.right),
        dry_run=tried,
        shown=whole_number(request.GET.get("shown", "")) if is_draft else None,
        refusals=[f"{count:,}: {translated(why)}" for why, count in tried.refused] if tried else (),
        submit=submit_label(action, tried.changing) if tried and tried.changing else "",
        entries=entries or (asks if is_draft else ()),
        problem=translated(BulkProblem(row.problem).sentence) if row.problem else "",
        result=result_words(action, row.done),
        opposite=opposite_label(action) if row.done and actor.may(action.right) else "",
        archived=action is BulkAction.ARCHIVE,
        worked=row.done + row.refused,
        left=_left(row),
        tabs=() if is_draft else _tabs(row, outcome),
        lines=_lines(row, action, found.items),
        next=found.next,
    )
    return show(request, "bulk/job.html", shown, status=status)


def _rows(row: BulkJob, outcome: str, asked: PageRequest) -> list[BulkItem]:
    items = store.items_of(row, _OUTCOMES.get(outcome))
    match asked.after:
        case (int() as place,) if 0 <= place < 2**31:
            items = items.filter(place__gt=place)
        case (_, *_):
            raise foreign_cursor()
    return list(items[: asked.limit + 1])


def _tabs(row: BulkJob, outcome: str) -> list[Tab]:
    here = reverse("bulk:job", args=[row.public_id])
    tabs = [
        Tab(_("All"), here, outcome not in _OUTCOMES, row.total),
        Tab(_("Done"), f"{here}?outcome=done", outcome == "done", row.done),
        Tab(_("Refused"), f"{here}?outcome=refused", outcome == "refused", row.refused),
    ]
    if _left(row) or outcome == "waiting":
        left = pgettext("results", "Left")
        tabs.append(Tab(left, f"{here}?outcome=waiting", outcome == "waiting", _left(row)))
    return tabs


def _lines(row: BulkJob, action: BulkAction, items: Sequence[BulkItem]) -> list[ItemLine]:
    """Returns the items with title and result; those of a draft with why they are refused now."""
    keys = [item.conversation for item in items]
    heads = Conversation.objects.for_workspace(row.workspace)
    found = heads.in_bulk(keys)
    read_display_names(found.values())
    if row.status == BulkJob.Status.DRAFT:
        now = [refusal(action, facts) for facts in facts_of(action, row.workspace, items)]
        whys = [translated(why) if why else "" for why in now]
    else:
        whys = [translated(read_sentence(bytes(item.why))) for item in items]
    labels = current_labels(keys) if _replaces_labels(row) else {}
    name = "checkpoints:detail" if action.list is BulkList.EXECUTIONS else "conversations:detail"
    return [
        ItemLine(
            url=reverse(name, args=[item.public_id]) if item.conversation in found else "",
            name=display_name(found[item.conversation])
            if item.conversation in found
            else item.public_id,
            public_id=item.public_id,
            outcome=item.outcome,
            why=why,
            label=labels.get(item.conversation, ""),
        )
        for item, why in zip(items, whys, strict=True)
    ]


def _replaces_labels(row: BulkJob) -> bool:
    return row.status == BulkJob.Status.DRAFT and row.action == BulkAction.LABEL
