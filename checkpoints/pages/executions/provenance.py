"""Leads from a message to the version that wrote it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.reading.message_versions import find_writing_version
from checkpoints.store.executions import find_current
from conversations.store.conversation import find_head
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
        version = find_writing_version(row, index)
    if version is None:
        raise NotFound(_("Message #%(n)s was not written by this execution.") % {"n": index})
    return redirect("checkpoints:version", conversation_id, version)
