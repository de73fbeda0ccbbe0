"""Parses what was selected in a list: an action, and ids or the filter of the list."""

from datetime import date
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from bulk.jobs import Selection
from checkpoints.pages.execution_queries import ExecutionFilter
from conversations.workspace.matching import ARCHIVED, ConversationFilter
from ctxadmin.identity.bulk_actions import BulkAction, BulkList
from ctxadmin.lib.errors import ValidationFailed

_FIELDS = ("status", "workflow", "q", "archived", "since", "until", "started", "sort")
_URLS = {BulkList.CONVERSATIONS: "conversations:list", BulkList.EXECUTIONS: "checkpoints:list"}


def action_in(sent: QueryDict) -> BulkAction:
    """Returns the action of a form; raises ValidationFailed for another one."""
    try:
        return BulkAction(sent.get("action", ""))
    except ValueError:
        raise ValidationFailed(_("The form is incomplete. Reload the page.")) from None


def selection_in(sent: QueryDict, of: BulkList, workspace: int) -> Selection:
    """Returns the ids that are selected, or the filter of the list if all are."""
    if sent.get("scope") != "all":
        return sent.getlist("id")
    workflow = sent.get("workflow", "")
    workflow = workflow if workflow.isascii() else "?"  # of which there is none
    if of is BulkList.EXECUTIONS:
        wanted = ExecutionFilter(
            status=sent.get("status", ""),
            workflow=workflow,
            text=sent.get("q", "").strip(),
            since=_day_in(sent, "since"),
            until=_day_in(sent, "until"),
            started=_day_in(sent, "started"),
            archived=ARCHIVED.get(sent.get("archived", ""), False),
        )
        return wanted.of_conversations(workspace)
    return ConversationFilter(
        status=sent.get("status", ""),
        workflow=workflow,
        text=sent.get("q", "").strip(),
        archived=sent.get("archived") == "true",
    )


def _day_in(sent: QueryDict, name: str) -> date | None:
    try:
        text = sent.get(name, "")
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ValidationFailed(_("The form is incomplete. Reload the page.")) from None


def filter_query(sent: QueryDict) -> str:
    """Returns the filter and the order of the list as a query string."""
    return urlencode({name: sent[name] for name in _FIELDS if sent.get(name)})


def list_url(of: BulkList, query: str) -> str:
    """Returns the address of the list with its filter."""
    return f"{reverse(_URLS[of])}?{query}" if query else reverse(_URLS[of])
