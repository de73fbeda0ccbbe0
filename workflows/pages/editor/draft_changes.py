"""Saves what was changed on the canvas, as REST does, with refusals in the reader's language."""

from django.http import HttpRequest, HttpResponse

from ctxadmin.identity.actor import Actor
from ctxadmin.lib.contract import Contract
from workflows.api.schemas import Number
from workflows.domain.document.draft_changes import DraftChanges
from workflows.pages.editor.editor_call import json_answer, json_body, saving_call
from workflows.services import use_cases


class SentChanges(Contract):
    """The changes of a draft, and its version that they are of."""

    changes: DraftChanges
    expected_version: Number


@saving_call
def save(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """``{draft_version}`` of the draft with the changes."""
    sent = json_body(request, SentChanges)
    saved = use_cases.change_draft(actor, slug, sent.changes, sent.expected_version)
    return json_answer({"draft_version": saved.workflow.draft_version})
