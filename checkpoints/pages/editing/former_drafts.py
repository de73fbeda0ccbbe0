"""Drafts of an earlier execution of a conversation: shown for copying, or discarded."""

from dataclasses import replace

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from checkpoints.editing import draft_store, state_form
from checkpoints.editing.draft import StateDraft, WholeText
from checkpoints.editing.entries import mark_of, row_of
from checkpoints.editing.form_changes import DraftPatch
from checkpoints.editing.state_form import Changes
from checkpoints.models import Execution
from checkpoints.pages import presenters
from checkpoints.pages.editing import conflicts, plain_form, repeated_applies
from checkpoints.pages.editing.edit_request import Edit
from checkpoints.pages.editing.lost_edit_page import LostEditPage
from checkpoints.store.pinned_workflow import reducers_of
from conversations.models import Conversation
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError, NotFound
from ctxadmin.lib.structural_diff import ABSENT, Value
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import show
from ctxadmin.ui.sentences import translated


def show_former(
    request: HttpRequest, actor: Actor, head: Conversation, number: int
) -> HttpResponse:
    """Shows the input for copying: its execution never waits again."""
    row = Execution.objects.filter(conversation=head.key, number=number).first()
    typed = draft_store.find(actor, row, 0)
    if row is None or not typed:
        raise NotFound(_("You have no unapplied edits there."))
    title = _("Your edits to an earlier execution")
    return show(request, "checkpoints/lost.html", _page_of(head, row, typed, title))


def save_former(task: Edit) -> HttpResponse:
    """Saves the input of a page of an earlier execution, and shows all of it.

    It must never be written to the current execution, whose versions began at 0 again.
    """
    row = task.base.row
    if row is None or _is_written(task):
        return redirect("checkpoints:detail", task.head.public_id)
    if task.request.POST.get("step") == "discard":
        return discard(task.request, task.actor, task.head, row.number)
    typed, unkept = _all_input(task)
    if not typed and not task.reason:
        text = _("Another execution has started. You had no edits in the earlier one.")
        flash.info(task.request, text)
        return redirect("checkpoints:detail", task.head.public_id)
    shown = _page_of(task.head, row, typed, _("Another execution has started"))
    shown = replace(shown, reason=task.reason, unkept=unkept)
    if not draft_store.find(task.actor, row, 0):
        shown = replace(shown, execution="")
    return show(task.request, "checkpoints/lost.html", shown, status=409)


def _all_input(task: Edit) -> tuple[StateDraft, str]:
    """Returns all input, stored and sent, and why the sent input could not be stored."""
    patch = plain_form.patch_of_request(task)
    written = "\n\n".join(conflicts.entered_values(task.of_draft()))
    if written:
        mark = mark_of(written.encode(errors="surrogatepass"))
        patch = replace(patch, text=WholeText(written, {}, mark))
    try:
        plain_form.save_input(task, patch)
    except ContextError as error:
        kept = draft_store.find(task.actor, task.base.row, task.version)
        return _with_all(kept, patch), translated(error.detail)
    plain_form.is_pressed(task)
    return draft_store.find(task.actor, task.base.row, task.version), ""


def _with_all(draft: StateDraft, patch: DraftPatch) -> StateDraft:
    """Returns the stored draft with the unsent input of a page, for display only."""
    mine = {place: each for place, each in patch.entries.items() if each is not None}
    texts = (*draft.texts, patch.text) if patch.text else draft.texts
    others = (*draft.others, *draft.entries.values())
    return replace(draft, entries=mine, others=others, texts=texts)


def _is_written(task: Edit) -> bool:
    """Returns True if the same request was applied before, while its execution waited."""
    if task.request.POST.get("step") not in ("apply", "approve"):
        return False
    version = repeated_applies.find_written_version(task)
    if version is None:
        return False
    task = task.of_draft()
    draft_store.drop_applied(task.actor, task.base, replace(task.draft, seq=task.seq), task.changes)
    text = _("Already saved as version %(n)s of the earlier execution.")
    flash.success(task.request, text % {"n": version})
    return True


def _page_of(head: Conversation, row: Execution, typed: StateDraft, title: Text) -> LostEditPage:
    changes, texts = _read(typed, row)
    values, deleted = state_form.typed_values(changes)
    return LostEditPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(_("Edit the state"))),
        head=head,
        execution=row.public_id,
        version=typed.version,
        status=row.status,
        ended=True,
        changes=state_form.format_json(values) if values else "",
        deleted=deleted,
        texts=texts,
        reason="",
        others=(),
        former=row.number,
    )


def discard(request: HttpRequest, actor: Actor, head: Conversation, number: int) -> HttpResponse:
    row = Execution.objects.filter(conversation=head.key, number=number).first()
    if row is not None:
        draft_store.discard(actor, row)
    flash.info(request, _("Your edits are discarded; the state is unchanged."))
    return redirect("checkpoints:detail", head.public_id)


def _read(typed: StateDraft, row: Execution) -> tuple[Changes, list[str]]:
    """Reads the draft without its base state, which can be removed: every row is a change."""
    changes: dict[str, Value] = {}
    texts = [each.text for each in typed.texts]
    reducers = reducers_of(bytes(row.reducers))
    for each in typed.entries.values():
        read = state_form.read_rows([row_of(each)], {}, reducers)
        changes |= {each.name: ABSENT} if each.gone else read.changes
        if not read.valid:
            texts.append(f"{each.name}: {each.text}")
    texts += [f"{each.name}: {each.text}" for each in typed.others if each.text]
    return changes, texts
