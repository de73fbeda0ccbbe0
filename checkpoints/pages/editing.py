"""The pages on which the state of a paused execution is edited: form, summary, apply."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from checkpoints import queries
from checkpoints.domain.commands import MoveExecution, UpdateSnapshot
from checkpoints.domain.status import Status
from checkpoints.moments import Moment
from checkpoints.pages import (
    conflicts,
    form_rows,
    former,
    keeping,
    left,
    lost,
    pending,
    repeats,
    state_form,
    values,
)
from checkpoints.pages.edit_page import NO_CHANGES, edit_page, raw_text, text_of
from checkpoints.pages.edits import Edit, execution_of
from checkpoints.pages.pending import Kept
from checkpoints.pages.seen import version_in
from checkpoints.pages.state_form import Changes, Read, Row
from checkpoints.pages.taking_in import nothing_taken, taken_in
from checkpoints.services import moving, updating
from conversations.models import Conversation
from conversations.store import find_head
from ctxadmin.http.problems import reads_problems, status_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import (
    ContextError,
    Forbidden,
    InvalidState,
    NotFound,
    TooLarge,
    VersionConflict,
)
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

_PLAIN: Final = "text/plain; charset=utf-8"


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edit(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Fill in, look at what would change, apply; or be told what somebody else changed."""
    actor.require(Action.SNAPSHOT_UPDATE)
    head = find_head(actor.workspace, conversation_id)
    now = queries.find_moment(actor, conversation_id)
    if request.method != "POST":
        return _opened(request, actor, head, now)
    former_one = version_in(request.POST, "former")
    if former_one is not None:
        return former.discard(request, actor, head, former_one)
    task = Edit.read(request, actor, head, now)
    step = request.POST.get("step", "")
    if step == "keep":
        return keeping.answer(task)
    if step == "beside":
        return keeping.answer_beside(task)
    if task.of_former:
        return former.go_on(task)
    if not task.same_execution:
        return _of_another_conversation(task)
    if step == "discard":
        return _discard(task)
    if step in ("apply", "approve"):
        return _apply(task)
    if step == "resolve":
        return conflicts.resolved(task)
    if step == "look":
        return _look_again(task)
    if step == "back":
        return _again(task, task.changes)
    return _form_sent(task, step)


def _opened(request: HttpRequest, actor: Actor, head: Conversation, now: Moment) -> HttpResponse:
    """The form, with what the person typed and did not apply; it is of the version seen then."""
    before = left.numbers(actor, now)
    asked = version_in(request.GET, "former")
    if asked is not None:
        return former.show_former(request, actor, head, asked)
    typed = pending.find_at(actor, now)
    base = now
    if typed.version != now.version:
        base = queries.find_moment(actor, head.public_id, typed.version)
    if now.status is not Status.PAUSED:
        if typed:
            changes = pending.changes_of(typed, base)
            return lost.show_lost(Edit(request, actor, head, now, base, changes, typed.seq))
        if before:
            return former.show_former(request, actor, head, before[0])
        raise InvalidState(
            _("The state can be edited only while the execution is paused."), status=now.status
        )
    task = Edit(request, actor, head, now, base, NO_CHANGES, typed.seq)
    if request.GET.get("raw") == "text":
        text = text_of(typed, request)
        taken = nothing_taken(base) if base is now else taken_in(task, typed)
        made = {**taken.changes, **pending.changes_of(typed, base)}
        found = text.text if text else raw_text(base, made)
        made_of = {"X-State": f"{base.version} {typed.seq} {taken.version}"}
        return HttpResponse(found, content_type=_PLAIN, headers=made_of)
    shown = edit_page(task, text=request.GET.get("q", ""), raw="raw" in request.GET)
    return show(request, "checkpoints/edit.html", replace(shown, former=before[:1]))


def _discard(task: Edit) -> HttpResponse:
    if task.now.row is not None:
        pending.discard(task.actor, task.now.row)
    flash.info(task.request, _("Your edits are discarded; the state is unchanged."))
    return redirect("checkpoints:detail", task.head.public_id)


def _of_another_conversation(task: Edit) -> HttpResponse:
    """It names an execution that there is none of: shown for copying, and nothing is written."""
    changes = task.changes or _read(task, task.request.POST).changes
    return lost.show_lost(replace(task, changes=changes))


def _form_sent(task: Edit, step: str) -> HttpResponse:
    """What the form says: show it in another way, or what would change."""
    sent = task.request.POST
    raw = sent.get("mode") == state_form.RAW
    kept: Kept | None = None
    with suppress(VersionConflict, TooLarge):  # then this page goes on alone with what it shows
        kept = keeping.keep(task)
        if kept.beside:
            kept = None  # what is kept is of another version; it is not what this page applies
        else:
            task = replace(task, seq=kept.typed.seq)
        if keeping.taken_back(task):
            return redirect("checkpoints:edit", task.head.public_id)
    if step == "add" and not raw:
        return _show_form(task, _row_texts(task, sent, extra=2), status=200)
    read = _read(task, sent, kept)
    if not read.valid:
        return _refuse_form(task, read, raw=raw)
    if step in ("raw", "form"):
        return _again(task, read.changes, raw=step == "raw")
    if not read.changes:
        flash.info(task.request, _("There are no changes yet."))
        return _again(task, read.changes, raw=raw)
    task = replace(task, changes=read.changes)
    if task.now.status is not Status.PAUSED:
        return lost.show_lost(task)
    return conflicts.show_summary(task)


def _look_again(task: Edit) -> HttpResponse:
    """The summary as it was sent; drafts.js asks for it after signing in."""
    if task.now.status is not Status.PAUSED:
        return lost.show_lost(task)
    return conflicts.show_summary(task)


def _read(task: Edit, sent: QueryDict, kept: Kept | None = None) -> Read:
    """What the form says, with what was ``kept`` of it and of other pages."""
    if sent.get("mode") == state_form.RAW:
        read = keeping.read_whole(task)
        if kept is not None and read.valid:
            read.changes = dict(pending.changes_of(kept.typed, task.base))
        return read
    rows = task.sent_rows
    if kept is None:
        says = [row for row in keeping.said(task).rows.values() if row is not None]
    else:
        says = list(kept.typed.rows)
    base = values.values_of(task.base, {row.name for row in says})
    read = state_form.read_rows(says, base, values.reducers_for(task.base.row))
    read.rows = form_rows.overlaid(rows, says)
    return read


def _again(task: Edit, changes: Changes, *, raw: bool = False, problem: str = "") -> HttpResponse:
    """The form with changes already in it."""
    shown = edit_page(task, changes, raw=raw)
    status = 422 if problem else 200
    return show(
        task.request, "checkpoints/edit.html", replace(shown, problem=problem), status=status
    )


def _refuse_form(task: Edit, read: Read, *, raw: bool) -> HttpResponse:
    if raw:
        shown = edit_page(task, raw=True)
        shown = replace(shown, raw="" if shown.raw_url else read.raw, problem=read.problem)
        return show(task.request, "checkpoints/edit.html", shown, status=422)
    wrong = [keeping.short(row.name) for row in read.rows if row.problem]
    text = ngettext("Check the key %(keys)s.", "Check the keys %(keys)s.", len(wrong))
    problem = text % {"keys": ", ".join(wrong)}
    rows = form_rows.as_typed(task.base, read.rows)
    return _show_form(task, rows, status=422, problem=problem)


def _show_form(task: Edit, rows: Sequence[Row], *, status: int, problem: str = "") -> HttpResponse:
    shown = replace(edit_page(task), rows=rows, problem=problem)
    return show(task.request, "checkpoints/edit.html", shown, status=status)


def _row_texts(task: Edit, sent: QueryDict, *, extra: int) -> list[Row]:
    """The rows as they were typed, with more empty ones behind them."""
    read = _read(task, sent)
    rows = [replace(row, problem="") for row in read.rows]
    return form_rows.as_typed(task.base, rows, extra=extra)


def _apply(task: Edit) -> HttpResponse:
    """Write it. A script is told where to go on; what is refused it sends again, for the page."""
    try:
        version, text = _write(task)
    except (Forbidden, NotFound):
        raise
    except ContextError as error:
        if reads_problems(task.request):
            return JsonResponse({"detail": error.detail}, status=status_of(error))
        if isinstance(error, VersionConflict | InvalidState):
            task = replace(task, now=queries.find_moment(task.actor, task.head.public_id))
            return former.go_on(task) if task.of_former else conflicts.show_conflict(task)
        return _again(task, task.changes, problem=translated(error.detail))
    pending.applied(task.actor, task.base, task.seq, task.changes)
    flash.success(task.request, text)
    if task.request.POST.get("step") == "approve":
        _approve(task, version)
    there = redirect("checkpoints:detail", task.head.public_id)
    return JsonResponse({"to": there.url}) if reads_problems(task.request) else there


def _write(task: Edit) -> tuple[int, str]:
    """The version that has the changes, and the words for it."""
    command = parse(
        UpdateSnapshot,
        {
            "node_id": task.node_id,
            "state_data": state_form.as_update(task.changes),
            "expected_version": task.version,
            "reason": task.reason.strip() or None,
        },
    )
    try:
        execution = execution_of(task.base)
        done = updating.update(task.actor, task.head.public_id, command, execution=execution)
    except (VersionConflict, InvalidState):
        version = repeats.written_as(task)
        if version is None:
            raise
        return version, _("Already saved as version %(n)s.") % {"n": version}
    text = ngettext(
        "%(n)s key changed; the execution is at version %(version)s.",
        "%(n)s keys changed; the execution is at version %(version)s.",
        len(done.changed_keys),
    )
    return done.version, text % {"n": len(done.changed_keys), "version": done.version}


def _approve(task: Edit, version: int) -> None:
    """Approve what was just applied, and nothing that came after it."""
    try:
        reason = task.reason.strip() or None
        wanted = MoveExecution(reason=reason, expected_version=version)
        execution = execution_of(task.base)
        moving.approve(task.actor, task.head.public_id, wanted, execution=execution)
    except ContextError as error:
        if repeats.is_approved_as(task, version + 1):
            flash.success(task.request, _("Approved."))
            return
        text = _("Not approved: %(why)s") % {"why": translated(error.detail)}
        flash.warning(task.request, text)
        return
    flash.success(task.request, _("Approved."))
