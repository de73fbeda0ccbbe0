"""Approves several reviews at once, each of which the person has opened as it is now."""

from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from checkpoints.domain.move_commands import MoveExecution
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint
from checkpoints.pages.decisions.changes_since_read import changes_since_look
from checkpoints.pages.decisions.decision import claim_of_another
from checkpoints.pages.decisions.edits_of_others import edits_of_others
from checkpoints.pages.decisions.past_decision import find_decision
from checkpoints.pages.decisions.review_looks import Look, read_look
from checkpoints.reading.waiting_reviews import QueueFilter
from checkpoints.services import status_changes
from checkpoints.store.executions import find_current
from checkpoints.store.snapshots import current_snapshot
from conversations.models import Conversation
from conversations.reading.display_names import display_name
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, Forbidden, NotFound, ValidationFailed
from ctxadmin.ui.components import author_label, join_sentences
from ctxadmin.ui.pages import page
from ctxadmin.ui.sentences import translated
from ctxadmin.ui.visible_text import visible

MOST: Final = 50
_MOST_NAMED: Final = 5
_MOST_CHANGES: Final = 2  # of one review
_LONGEST_REASON: Final = 2000


@require_http_methods(["GET", "HEAD", "POST"])
@page
def approve_several(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Approves each review of the form that is as it was seen; says of each other one why not."""
    wanted = QueueFilter.of(request.POST if request.method == "POST" else request.GET)
    back = redirect(f"{reverse('reviews')}?{wanted.list_query}")
    if request.method != "POST":
        return back
    actor.require(Action.EXECUTION_APPROVE)
    sent = list(dict.fromkeys(request.POST.getlist("look")))
    if not sent:
        flash.warning(request, _("Select the reviews to approve. Open each of them first."))
        return back
    if len(sent) > MOST:
        raise ValidationFailed(_("Approve at most %(n)s reviews at once.") % {"n": MOST})
    refusals = [_approve(actor, text, request.POST.get("reason", "")) for text in sent]
    refused = [each for each in refusals if each]
    if done := len(sent) - len(refused):
        text = ngettext("%(n)s review approved.", "%(n)s reviews approved.", done)
        flash.success(request, text % {"n": done})
    if refused:
        text = ngettext(
            "%(n)s review was not approved: %(why)s",
            "%(n)s reviews were not approved: %(why)s",
            len(refused),
        )
        named = [*refused[:_MOST_NAMED], *(["…"] if len(refused) > _MOST_NAMED else [])]
        why = join_sentences(conditional_escape(each) for each in named)
        words = escape(text) % {"n": len(refused), "why": why}
        flash.warning(request, mark_safe(words))  # noqa: S308 - both parts are escaped
    return back


def _approve(actor: Actor, text: str, reason: str) -> str:
    """Approves one review; returns why not with a link to it, "" if it is approved."""
    look = read_look(actor, text)
    if look is None:
        return _("Open it before you approve it.")
    try:
        head = find_head(actor.workspace, look.conversation)
    except NotFound as error:
        return translated(error.detail)
    row = find_current(head.key)
    held = claim_of_another(actor, row)
    if held.holder:
        text = _("%(who)s has claimed this. Open it to approve it anyway.")
        return _refusal(head, text % {"who": author_label(held.holder)})
    if edits := edits_of_others(actor, row).who:
        text = _("Edits that are not applied: %(who)s. Open it to approve it anyway.")
        return _refusal(head, text % {"who": edits})
    command = MoveExecution(
        reason=reason.strip()[:_LONGEST_REASON] or None,
        expected_version=look.version,
        expected_revision=look.revision,
        expected_count=look.visible_count,
    )
    try:
        status_changes.approve(actor, look.conversation, command, execution=look.execution)
    except Forbidden:
        raise
    except ContextError as error:
        if _was_approved(actor, head, look):
            return ""
        return _refusal(head, _why_not(actor, head, look) or translated(error.detail))
    return ""


def _refusal(head: Conversation, why: str) -> SafeString:
    review = reverse("checkpoints:detail", args=[head.public_id])
    return format_html('<a href="{}">{}</a>: {}', review, visible(display_name(head)), visible(why))


def _why_not(actor: Actor, head: Conversation, look: Look) -> str:
    """Returns who decided since the look, or else who changed what; "" if nobody did."""
    row = find_current(head.key)
    if row is None or row.public_id != look.execution:
        return ""
    if row.status == Status.PAUSED:
        since = changes_since_look(actor, current_snapshot(head), look)
        return join_sentences(
            [*since[:_MOST_CHANGES], *(["…"] if len(since) > _MOST_CHANGES else [])]
        )
    decision = find_decision(actor, row, after=look.version)
    return decision.words if decision is not None else ""


def _was_approved(actor: Actor, head: Conversation, look: Look) -> bool:
    """Returns True if this person approved exactly this: the form was sent again."""
    row = find_current(head.key)
    if row is None or row.public_id != look.execution:
        return False
    rows = Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, version=look.version + 1
    )
    own = rows.filter(author=actor.label, kind=WriteKind.MOVE, move="approve")
    return own.exists()
