"""The pages on which the state of a paused execution is edited: form, summary, apply."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from checkpoints.domain.commands import UpdateSnapshot
from checkpoints.domain.move_commands import MoveExecution
from checkpoints.domain.status import Status
from checkpoints.editing import draft_store, state_form
from checkpoints.editing.entries import mark_of_changes, row_of
from checkpoints.editing.state_form import FormInput, Row
from checkpoints.pages.decisions.decision import unconfirmed_claim
from checkpoints.pages.decisions.edits_of_others import unconfirmed_edits
from checkpoints.pages.decisions.queue_step import QueueStep, short_name
from checkpoints.pages.editing import (
    conflicts,
    draft_discard,
    former_drafts,
    lost_edit_page,
    plain_form,
    repeated_applies,
    summary,
)
from checkpoints.pages.editing.edit_page import edit_page, merged_text_of, raw_text, text_of
from checkpoints.pages.editing.edit_request import Edit, execution_of
from checkpoints.pages.executions import unapplied_edits
from checkpoints.pages.expected_version_fields import version_in
from checkpoints.reading import queries
from checkpoints.reading.state_values import reducers_for, values_of
from checkpoints.services import state_updates, status_changes
from checkpoints.store.snapshots import StoredSnapshot
from conversations.domain import revisions
from conversations.domain.revisions import Seen
from conversations.models import Conversation
from conversations.store.conversation import find_head
from ctxadmin.http.problems import status_of, wants_json
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
from ctxadmin.ui.components import author_label
from ctxadmin.ui.error_pages import refusal_page
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

_PLAIN: Final = "text/plain; charset=utf-8"


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edit(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Shows the form or the summary, applies an edit, or shows what someone else changed."""
    actor.require(Action.SNAPSHOT_UPDATE)
    head = find_head(actor.workspace, conversation_id)
    now = queries.find_moment(actor, conversation_id)
    if request.method != "POST":
        return _open_form(request, actor, head, now)
    former_one = version_in(request.POST, "former")
    if former_one is not None:
        return former_drafts.discard(request, actor, head, former_one)
    task = Edit.read(request, actor, head, now)
    step = request.POST.get("step", "")
    if task.of_former:
        return former_drafts.save_former(task)
    if not task.same_execution:
        return _of_another_conversation(task)
    if step == "discard":
        return draft_discard.discard(task)
    if step == "ask-discard":
        return draft_discard.keep_and_ask(task)
    if step in ("apply", "approve"):
        return _apply(task.of_draft())
    if step == "resolve":
        return conflicts.apply_choices(task)
    if step == "look":
        return _show_summary_again(task.of_draft())
    return _form_sent(task, step)


def _open_form(
    request: HttpRequest, actor: Actor, head: Conversation, now: StoredSnapshot
) -> HttpResponse:
    """Returns the form with the person's draft, on the version of the draft."""
    before = unapplied_edits.numbers(actor, now)
    asked = version_in(request.GET, "former")
    if asked is not None:
        return former_drafts.show_former(request, actor, head, asked)
    task = Edit.open(request, actor, head, now)
    if now.status is not Status.PAUSED:
        if task.draft:
            return lost_edit_page.show_lost_edit(task)
        if before:
            return former_drafts.show_former(request, actor, head, before[0])
        text = _("The state can be edited only while the execution is paused.")
        error = InvalidState(text, status=now.status)
        there = QueueStep.of(request).address("checkpoints:detail", head.public_id)
        return refusal_page(request, error, url=there, label=_("Open the execution"))
    if request.GET.get("raw") == "text":
        return _whole(task)
    if "discard" in request.GET and task.draft:
        return draft_discard.ask_before(task)
    text = request.GET.get("q", "")
    shown = edit_page(task, text=text, raw="raw" in request.GET, raw_at=text)
    return show(request, "checkpoints/edit.html", replace(shown, former=before[:1]))


def _whole(task: Edit) -> HttpResponse:
    """Returns the whole state as text, for a page that does not contain it."""
    text, taken = text_of(task.draft, task.request), merged_text_of(task)
    found = text.text if text else raw_text(task, taken)
    made_of = {"X-State": f"{task.version} {task.draft.seq} {taken.version}"}
    return HttpResponse(found, content_type=_PLAIN, headers=made_of)


def _of_another_conversation(task: Edit) -> HttpResponse:
    """Shows the input for copying: it names an execution that does not exist; writes nothing."""
    return lost_edit_page.show_lost_edit(replace(task, changes=_read(task).changes))


def _form_sent(task: Edit, step: str) -> HttpResponse:
    """Reads the form and shows it in another way, or the summary."""
    raw = task.request.POST.get("mode") == state_form.RAW
    try:
        kept = plain_form.save_input(task)
    except (VersionConflict, TooLarge) as error:
        return _refuse_unkept(task, translated(error.detail), raw=raw)
    form_url = QueueStep.of(task.request).address("checkpoints:edit", task.head.public_id)
    if plain_form.is_pressed(task):
        return redirect(form_url)
    if kept.beside:
        flash.warning(task.request, plain_form.other_tab_message(kept.over))
        return redirect(form_url)
    read = _read(task)
    task = task.of_draft(kept.draft)
    if step == "add" and not raw:
        return _show_form(task, adds=True)
    if step == "back":
        return _show_form(task)
    if not read.valid:
        return _refuse_form(task, read, raw=raw)
    if step in ("raw", "form"):
        raw_at = task.request.POST.get("raw-at", "")
        return _show_form(task, raw=step == "raw", raw_at=raw_at)
    if not task.changes:
        flash.info(task.request, _("There are no changes yet."))
        return _show_form(task, raw=raw)
    return conflicts.show_changes(task)


def _show_summary_again(task: Edit) -> HttpResponse:
    """Shows the sent summary again; drafts.js requests it after signing in."""
    if task.now.status is not Status.PAUSED:
        return lost_edit_page.show_lost_edit(task)
    return conflicts.show_changes(task) if task.changes else conflicts.show_moved(task)


def _read(task: Edit) -> FormInput:
    """Returns the changes of the form, or the draft of a page whose script has saved them all."""
    sent, base = task.request.POST, task.base
    draft = draft_store.find(task.actor, base.row, task.version)
    if sent.get("mode") == state_form.RAW:
        unread = [each.text for each in draft.texts if each.mark == sent.get("text-given")]
        for text in [sent["raw"]] if "raw" in sent else unread:
            return draft_store.read_whole(base, text)
    rows = task.sent_rows or [row_of(each) for each in draft.entries.values()]
    names = {row.name for row in rows}
    return state_form.read_rows(rows, values_of(base, names), reducers_for(base.row))


def _refuse_form(task: Edit, read: FormInput, *, raw: bool) -> HttpResponse:
    if raw and read.raw:
        return _show_form(task, raw=True, problem=read.problem, text=read.raw)
    wrong = {place: row for place, row in state_form.places_of(read.rows).items() if row.problem}
    names = ", ".join(plain_form.shorten_name(row.name) for row in wrong.values())
    text = ngettext("Check the key %(keys)s.", "Check the keys %(keys)s.", len(wrong))
    return _show_form(task, raw=raw, problem=text % {"keys": names}, wrong=wrong)


def _refuse_unkept(task: Edit, problem: str, *, raw: bool) -> HttpResponse:
    """Shows the form with the input that could not be saved."""
    task = Edit.open(task.request, task.actor, task.head, task.now)
    if raw:
        return _show_form(task, raw=True, problem=problem, text=task.request.POST.get("raw", ""))
    return _show_form(task, problem=problem, wrong=state_form.places_of(task.sent_rows))


def _show_form(
    task: Edit,
    *,
    raw: bool = False,
    raw_at: str = "",
    problem: str = "",
    adds: bool = False,
    text: str | None = None,
    wrong: Mapping[str, Row] | None = None,
) -> HttpResponse:
    """Shows the form with the draft; ``text`` and the ``wrong`` rows as they were typed."""
    shown = edit_page(task, raw=raw, raw_at=raw_at, adds=adds)
    if text is not None and not shown.raw_url:
        shown = replace(shown, raw=text)
    if wrong:
        rows = [*state_form.places_of(shown.rows[:-1]).items()]
        there = {place for place, _row in rows}
        rows += [(place, row) for place, row in wrong.items() if place not in there]
        marked = [_with_problem(row, wrong.get(place)) for place, row in rows]
        shown = replace(shown, rows=[*marked, *shown.rows[-1:]])
    if problem:
        shown = replace(shown, problem=problem)
    status = 422 if problem else 200
    return show(task.request, "checkpoints/edit.html", shown, status=status)


def _with_problem(row: Row, sent: Row | None) -> Row:
    if sent is None:
        return row
    typed = replace(row, kind=sent.kind, text=sent.text, gone=sent.gone)
    return replace(typed, problem=sent.problem, of_name=sent.of_name)


def _apply(task: Edit) -> HttpResponse:
    """Applies the draft. A script gets the next address, and sends again what was refused."""
    try:
        step = QueueStep.before_decision(task.actor, task.request)
        if task.request.POST.get("step") == "approve":
            _check_seen(task)
            _check_claim(task)
        version, text = _write(task)
    except (Forbidden, NotFound):
        raise
    except ContextError as error:
        if wants_json(task.request):
            return JsonResponse({"detail": translated(error.detail)}, status=status_of(error))
        return _refused(task, error)
    draft_store.drop_applied(task.actor, task.base, task.draft, task.changes)
    there = step.address("checkpoints:detail", task.head.public_id)
    if task.request.POST.get("step") != "approve":
        flash.success(task.request, text)
    elif _approve(task, version, text):
        row = task.base.row
        decided = (task.head.key, row.number if row else 0)
        there = step.after_decision(task.actor, task.head.public_id, decided)
    return JsonResponse({"to": there}) if wants_json(task.request) else redirect(there)


def _refused(task: Edit, error: ContextError) -> HttpResponse:
    if not isinstance(error, VersionConflict | InvalidState):
        return _show_form(task, problem=translated(error.detail))
    now = queries.find_moment(task.actor, task.head.public_id)
    task = replace(task, now=now)
    if task.of_former:
        return former_drafts.save_former(task)
    if _is_moved(task) and now.status is Status.PAUSED:
        return conflicts.show_moved(task)
    if now.version == task.version and now.status is Status.PAUSED:
        return summary.show_summary(task, status=409, problem=translated(error.detail))
    if task.draft.texts and now.status is Status.PAUSED:
        text = _("An incomplete JSON text is kept, too. Fix or discard it before you merge.")
        return _show_form(task, problem=text)
    return conflicts.show_conflict(task)


def _write(task: Edit) -> tuple[int, str]:
    """Writes the changes; returns the version and its message."""
    try:
        if _is_moved(task):
            raise VersionConflict(
                _("You edited this in another tab. Check the changes again."),
                expected=task.seq,
                actual=task.draft.seq,
            )
        command = parse(
            UpdateSnapshot,
            {
                "node_id": task.node_id,
                "state_data": state_form.as_update(task.changes),
                "expected_version": task.version,
                "reason": task.reason.strip() or None,
            },
        )
        execution = execution_of(task.base)
        done = state_updates.update(task.actor, task.head.public_id, command, execution=execution)
    except (VersionConflict, InvalidState):
        version = repeated_applies.find_written_version(task)
        if version is None:
            raise
        return version, _("Already saved as version %(n)s.") % {"n": version}
    text = ngettext(
        "%(n)s key changed; the execution is at version %(version)s.",
        "%(n)s keys changed; the execution is at version %(version)s.",
        len(done.changed_keys),
    )
    return done.version, text % {"n": len(done.changed_keys), "version": done.version}


def _is_moved(task: Edit) -> bool:
    """Returns False only if the draft is what the summary showed: its number and its changes."""
    is_other = task.request.POST.get("edit", "") != mark_of_changes(task.changes)
    return is_other or task.draft.seq != task.seq or not task.changes


def _seen_view(task: Edit) -> Seen:
    """Returns the messages that an approval has seen."""
    sent = task.request.POST
    return Seen(version_in(sent, "expected_revision"), version_in(sent, "expected_count"))


def _check_seen(task: Edit) -> None:
    """Raises VersionConflict before any write if the messages are not those that were shown."""
    if task.now.status is not Status.PAUSED:
        return
    try:
        revisions.require_seen(_seen_view(task), task.now.revision, task.now.visible_count)
    except VersionConflict as error:
        text = _("The visible messages have changed. Look at the conversation, then approve again.")
        raise VersionConflict(text, expected=error.expected, actual=error.actual) from None


def _check_claim(task: Edit) -> None:
    """Raises InvalidState if someone else claimed or edited it since the changes were shown."""
    claim = unconfirmed_claim(task.actor, task.now.row, task.request.POST)
    if claim.holder:
        who = author_label(claim.holder)
        text = _("%(who)s has claimed this meanwhile. Nothing is applied yet.") % {"who": who}
        raise InvalidState(text, status=task.now.status)
    if edits := unconfirmed_edits(task.actor, task.now.row, task.request.POST).who:
        text = _("Others edit this meanwhile: %(who)s. Nothing is applied yet.") % {"who": edits}
        raise InvalidState(text, status=task.now.status)


def _approve(task: Edit, version: int, applied: str) -> bool:
    """Approves exactly the version that was just applied; returns False if that is refused.

    The notice names the review, because the next page is about another one.
    """
    title = {"title": short_name(task.head)}
    approved = _("Approved with your changes: %(title)s") % title
    try:
        seen = _seen_view(task)
        wanted = MoveExecution(
            reason=task.reason.strip() or None,
            expected_version=version,
            expected_revision=seen.revision,
            expected_count=seen.count,
        )
        execution = execution_of(task.base)
        status_changes.approve(task.actor, task.head.public_id, wanted, execution=execution)
    except ContextError as error:
        if repeated_applies.is_approved_as(task, version + 1):
            flash.success(task.request, approved)
            return True
        flash.success(task.request, f"{title['title']}: {applied}")
        text = _("Not approved: %(why)s") % {"why": translated(error.detail)}
        flash.warning(task.request, text)
        return False
    flash.success(task.request, approved)
    return True
