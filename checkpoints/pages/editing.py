"""The pages on which the state of a paused execution is edited: form, summary, apply."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import orjson
from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
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
    lost,
    pending,
    presenters,
    repeats,
    state_form,
    values,
)
from checkpoints.pages.adding_up import Typed, WholeText
from checkpoints.pages.edits import Edit
from checkpoints.pages.pending import Kept, PendingView
from checkpoints.pages.presenters import Named
from checkpoints.pages.seen import version_in
from checkpoints.pages.state_form import Changes, Read, Row
from checkpoints.pages.values import KeyView
from checkpoints.services import moving, updating
from conversations.models import Conversation
from conversations.store import find_head
from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import (
    ContextError,
    Forbidden,
    InvalidState,
    NotFound,
    TooLarge,
    VersionConflict,
)
from ctxadmin.web.components import Crumb, Text
from ctxadmin.web.pages import page, show
from ctxadmin.web.phrases import in_the_readers_language
from ctxadmin.web.problems import reads_problems, status_of

_MOST_KEYS: Final = 100
_FILTERED_FROM: Final = 15  # keys of which one is not seen at a glance
_MOST_RAW: Final = 12 * 1024**2  # the largest state, and room for what is typed
_MOST_IN_PAGE: Final = 512 * 1024  # a text area with more takes a browser minutes
_NO_CHANGES: Final[Changes] = {}
_PLAIN: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class EditPage:
    """The form of a state as it was at ``version``: rows by key, or ``raw`` as one JSON object.

    A ``raw`` that is too large for a text area is fetched from ``raw_url`` by a script.
    ``left_out`` are the keys whose values are too large for a form, ``hidden_keys`` how many
    others are not shown, ``filters`` that they can be filtered. ``pending`` is what was typed and
    is not applied, kept ``seq`` times; ``given`` are its marks, ``text_given`` that of a ``raw``
    that cannot be read yet. ``former`` is an execution before, of which something is kept, too.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    node: Named | None
    rows: Sequence[Row]
    kinds: Sequence[str]
    raw: str | None
    raw_url: str
    raw_lines: int
    may_raw: bool
    problem: str
    left_out: Sequence[KeyView]
    hidden_keys: int
    filters: bool
    text: str
    seq: int
    given: str
    text_given: str
    pending: PendingView | None
    former: Sequence[int] = ()


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
    if not task.same_execution:
        return _of_another_execution(task)
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
    before = former.numbers(actor, now)
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
    task = Edit(request, actor, head, now, base, _NO_CHANGES, typed.seq)
    if request.GET.get("raw") == "text":
        text = _text_of(typed, request)
        found = text.text if text else _raw_text(base, _NO_CHANGES, typed)
        made_of = {"X-State": f"{base.version} {typed.seq}"}
        return HttpResponse(found, content_type=_PLAIN, headers=made_of)
    shown = _edit_page(task, _NO_CHANGES, text=request.GET.get("q", ""), raw="raw" in request.GET)
    return show(request, "checkpoints/edit.html", replace(shown, former=before[:1]))


def _discard(task: Edit) -> HttpResponse:
    if task.now.row is not None:
        pending.discard(task.actor, task.now.row)
    flash.info(task.request, _("What you typed is discarded; nothing was changed."))
    return redirect("checkpoints:detail", task.head.public_id)


def _of_another_execution(task: Edit) -> HttpResponse:
    """Its versions begin at 0 again, so an edit of the former one must not be written to it."""
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
        flash.info(task.request, _("Nothing was changed yet."))
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
    shown = _edit_page(task, changes, raw=raw)
    status = 422 if problem else 200
    return show(
        task.request, "checkpoints/edit.html", replace(shown, problem=problem), status=status
    )


def _refuse_form(task: Edit, read: Read, *, raw: bool) -> HttpResponse:
    if raw:
        shown = _edit_page(task, _NO_CHANGES, raw=True)
        shown = replace(shown, raw="" if shown.raw_url else read.raw, problem=read.problem)
        return show(task.request, "checkpoints/edit.html", shown, status=422)
    wrong = [keeping.short(row.name) for row in read.rows if row.problem]
    text = ngettext("Look at the key %(keys)s.", "Look at the keys %(keys)s.", len(wrong))
    problem = text % {"keys": ", ".join(wrong)}
    rows = form_rows.as_typed(task.base, read.rows)
    return _show_form(task, rows, status=422, problem=problem)


def _show_form(task: Edit, rows: Sequence[Row], *, status: int, problem: str = "") -> HttpResponse:
    shown = replace(_edit_page(task, _NO_CHANGES), rows=rows, problem=problem)
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
            now = queries.find_moment(task.actor, task.head.public_id)
            return conflicts.show_conflict(replace(task, now=now))
        return _again(task, task.changes, problem=in_the_readers_language(error.detail))
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
        done = updating.update(task.actor, task.head.public_id, command)
    except (VersionConflict, InvalidState):
        version = repeats.written_as(task)
        if version is None:
            raise
        return version, _("It was written already, as version %(n)s.") % {"n": version}
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
        moving.approve(task.actor, task.head.public_id, wanted)
    except ContextError as error:
        if repeats.is_approved_as(task, version + 1):
            flash.success(task.request, _("Approved."))
            return
        text = _("It was not approved: %(why)s") % {"why": in_the_readers_language(error.detail)}
        flash.warning(task.request, text)
        return
    flash.success(task.request, _("Approved."))


def _edit_page(task: Edit, changes: Changes, *, text: str = "", raw: bool = False) -> EditPage:
    head, base, row = task.head, task.base, task.base.row
    if row is None:
        raise InvalidState(_("This conversation has no execution."), status=Status.IDLE)
    typed = pending.find_at(task.actor, base)
    if typed.version != base.version:
        typed = Typed(base.version)
    view = values.state_view(base, text=text, most=_MOST_KEYS)
    may_raw = row.state_bytes <= _MOST_RAW
    is_large = row.state_bytes > _MOST_IN_PAGE
    raw_text, unread = None, _text_of(typed, task.request) if raw and not changes else None
    given = unread.given if unread else pending.marks_of(base, typed, changes, readable=raw)
    if raw and may_raw:
        made = unread.text if unread else _raw_text(base, changes, typed)
        raw_text = "" if is_large else made
    raw_url = f"{reverse('checkpoints:edit', args=[head.public_id])}?raw=text"
    if unread:
        raw_url += f"&text={unread.mark}"
    return EditPage(
        title=_("Edit the state"),
        crumbs=presenters.crumbs(head, Crumb(_("Edit the state"))),
        head=head,
        execution=row.public_id,
        version=base.version,
        node=presenters.named(base.pinned, base.node_id),
        rows=form_rows.of_state(base, view.keys, changes, typed, text),
        kinds=state_form.KINDS,
        raw=raw_text,
        raw_url=raw_url if is_large else "",
        raw_lines=min(max((raw_text or "").count("\n") + 2, 12), 40),
        may_raw=may_raw,
        problem="" if not raw or may_raw else str(_("This state is too large for one text area.")),
        left_out=[key for key in view.keys if not key.read],
        hidden_keys=view.total - len(view.keys),
        filters=bool(text) or view.total >= _FILTERED_FROM,
        text=text,
        seq=typed.seq,
        given=orjson.dumps(given).decode(),
        text_given=unread.mark if unread else "",
        pending=pending.view_of(typed, base, task.now),
    )


def _raw_text(base: Moment, changes: Changes, typed: Typed) -> str:
    """The whole state as JSON with what was changed."""
    made = changes or pending.changes_of(typed, base)
    return state_form.pretty(state_form.with_changes(values.all_values(base), made))


def _text_of(typed: Typed, request: HttpRequest) -> WholeText | None:
    """The whole state that cannot be read yet and was asked for, else the one typed last."""
    wanted = request.GET.get("text")
    if wanted == "" or not typed.texts:
        return None
    found = [each for each in typed.texts if each.mark == wanted]
    return found[0] if found else typed.texts[-1]
