"""*Discard all* in the form of a state: a question, and the end of the draft."""

from contextlib import suppress

from django.contrib import messages as flash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints.editing import draft_store
from checkpoints.pages import presenters
from checkpoints.pages.decisions.queue_step import QueueStep
from checkpoints.pages.editing import plain_form
from checkpoints.pages.editing.edit_request import Edit
from ctxadmin.lib.errors import TooLarge, VersionConflict
from ctxadmin.ui.components import Crumb
from ctxadmin.ui.confirm_page import Confirm, ask


def keep_and_ask(task: Edit) -> HttpResponse:
    """Asks before edits are discarded; what is sent is kept first, for those who stay."""
    with suppress(VersionConflict, TooLarge):
        plain_form.save_input(task)
    if not task.of_draft().draft:
        return discard(task)
    step = QueueStep.of(task.request)
    address = step.address("checkpoints:edit", task.head.public_id)
    return redirect(f"{address}{'&' if step.suffix else '?'}discard=1")


def ask_before(task: Edit) -> HttpResponse:
    """Asks, with the number of edits that would be lost."""
    step, draft = QueueStep.of(task.request), task.draft
    count = len(draft.entries) + len(draft.others) + len(draft.texts)
    text = ngettext(
        "%(n)s unapplied change will be lost. The state stays as it is.",
        "%(n)s unapplied changes will be lost. The state stays as it is.",
        count,
    )
    fields = {"step": "discard", "version": str(task.version), "execution": task.execution}
    question = Confirm(
        title=_("Discard all edits"),
        text=text % {"n": count},
        submit=_("Discard all"),
        stay=_("Keep editing"),
        danger=True,
        back=step.address("checkpoints:edit", task.head.public_id),
        action=reverse("checkpoints:edit", args=[task.head.public_id]),
        crumbs=presenters.crumbs(task.head, Crumb(_("Discard all edits"))),
        hidden=fields | dict(step.fields),
    )
    return ask(task.request, question)


def discard(task: Edit) -> HttpResponse:
    """Discards the draft of the execution."""
    if task.now.row is not None:
        draft_store.discard(task.actor, task.now.row)
    flash.info(task.request, _("Your edits are discarded; the state is unchanged."))
    return redirect(QueueStep.of(task.request).address("checkpoints:detail", task.head.public_id))
