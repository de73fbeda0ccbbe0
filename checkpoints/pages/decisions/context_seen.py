"""What the node of a proposal saw, in one line for the review card."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.contexts.version_inputs import preview_version_input
from checkpoints.reading import queries
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.pages import page, part_of
from workflows.domain.context.explain import Decision
from workflows.previews.conversation import NodePreview


@dataclass(frozen=True, slots=True)
class ContextSeen:
    """The messages and tokens that reached a node, and how many variables filters ``dropped``."""

    name: str
    version: int
    messages: int
    of_messages: int
    tokens: int
    dropped: int


@require_safe
@part_of("checkpoints:saw", "conversation_id", "number")
@page
def context_seen(
    request: HttpRequest, actor: Actor, conversation_id: str, number: int
) -> HttpResponse:
    """Returns the line as a part of a page; ``saw`` is the page with all of it."""
    head = find_head(actor.workspace, conversation_id)
    row = queries.find_moment(actor, conversation_id).row
    if row is None:
        raise NotFound(_("This conversation has no execution."))
    node_preview = preview_version_input(head, row, number)
    seen = preview_line(node_preview, head.public_id, number)
    return render(request, "checkpoints/_context_seen.html", {"seen": seen})


def preview_line(node_preview: NodePreview, name: str, version: int) -> ContextSeen:
    """Returns the line of a preview."""
    decisions = node_preview.entered.explanation
    messages = [each for each in decisions if each.section == "messages"]
    return ContextSeen(
        name=name,
        version=version,
        messages=sum(each.verdict != "dropped" for each in messages),
        of_messages=sum(each.verdict != "added" for each in messages),
        tokens=node_preview.tokens_after,
        dropped=_dropped_variables(decisions),
    )


def _dropped_variables(decisions: Sequence[Decision]) -> int:
    variables = (each for each in decisions if each.section == "variables" and each.name)
    return sum(each.verdict == "dropped" for each in variables)
