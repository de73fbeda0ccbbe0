"""Links a message to the step that wrote it, and a version to its messages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.models import Checkpoint, Execution
from checkpoints.store import find_current
from conversations.store import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.pages import page


@require_safe
@page
def provenance_of(
    request: HttpRequest, actor: Actor, conversation_id: str, index: int
) -> HttpResponse:
    """Returns the version with which a message of the log was written, or the next one after it."""
    head = find_head(actor.workspace, conversation_id)
    row = find_current(head.key)
    version = None
    if row is not None and index < head.log_count:
        version = version_that_wrote(row, index)
    if version is None:
        raise NotFound(_("Message #%(n)s was not written by this execution.") % {"n": index})
    return redirect("checkpoints:version", conversation_id, version)


def version_that_wrote(row: Execution, index: int) -> int | None:
    """Returns the first version whose log has the message; None if it predates the execution.

    Searches by bisection: the log only grows, and this rare question needs no index.
    """
    before, after = 0, row.version
    if log_count_at(row, before) > index or log_count_at(row, after) <= index:
        return None
    while after - before > 1:
        middle = (before + after) // 2
        if log_count_at(row, middle) > index:
            after = middle
        else:
            before = middle
    return after


def messages_written(row: Execution, checkpoint: Checkpoint) -> range:
    """Returns the log indices written between the version before and this one."""
    if checkpoint.version == 0:
        return range(0)
    return range(log_count_at(row, checkpoint.version - 1), checkpoint.log_count)


def log_count_at(row: Execution, version: int) -> int:
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    return rows.values_list("log_count", flat=True).get(version=version)
