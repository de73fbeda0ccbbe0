"""What was typed into a former execution of a conversation: found, shown for copying, discarded."""

from collections.abc import Sequence

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from checkpoints import pending_store
from checkpoints.models import Execution
from checkpoints.moments import Moment
from checkpoints.pages import pending, presenters, state_form
from checkpoints.pages.adding_up import Typed
from checkpoints.pages.lost import LostPage
from checkpoints.pages.state_form import Changes
from checkpoints.pinned import reducers_of
from conversations.models import Conversation
from ctxadmin.accounts.actor import Actor
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.structural_diff import ABSENT, Value
from ctxadmin.web.components import Crumb
from ctxadmin.web.pages import show


def numbers(actor: Actor, now: Moment) -> Sequence[int]:
    """The executions before that of now into which a person typed what is not applied."""
    if now.row is None:
        return ()
    return pending_store.executions_before(pending.place_of(actor, now.row))


def show_former(
    request: HttpRequest, actor: Actor, head: Conversation, number: int
) -> HttpResponse:
    """What was typed, for copying: the execution that it is of never waits again."""
    row = Execution.objects.filter(conversation=head.key, number=number).first()
    typed = pending.find(actor, row, 0)
    if row is None or not typed:
        raise NotFound(_("Nothing that you typed into it is kept."))
    changes, texts = _read(typed, row)
    shown = LostPage(
        title=_("What you typed into a former execution"),
        crumbs=presenters.crumbs(head, Crumb(_("Edit the state"))),
        head=head,
        execution=row.public_id,
        version=typed.version,
        status=row.status,
        ended=True,
        changes=state_form.pretty(state_form.as_update(changes)),
        texts=texts,
        reason="",
        others=(),
        former=number,
    )
    return show(request, "checkpoints/lost.html", shown)


def discard(request: HttpRequest, actor: Actor, head: Conversation, number: int) -> HttpResponse:
    row = Execution.objects.filter(conversation=head.key, number=number).first()
    if row is not None:
        pending.discard(actor, row)
    flash.info(request, _("What you typed is discarded; nothing was changed."))
    return redirect("checkpoints:detail", head.public_id)


def _read(typed: Typed, row: Execution) -> tuple[Changes, list[str]]:
    """Without the state that it was typed into, which may be gone: every row is a change."""
    changes: dict[str, Value] = {}
    texts = [each.text for each in typed.texts]
    reducers = reducers_of(bytes(row.reducers))
    for each in typed.rows:
        read = state_form.read_rows([each], {}, reducers)
        changes |= {each.name: ABSENT} if each.gone else read.changes
        if not read.valid:
            texts.append(f"{each.name}: {each.text}")
    texts += [f"{each.name}: {each.text}" for each in typed.others if each.text]
    return changes, texts
