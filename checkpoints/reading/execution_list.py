"""The executions of a conversation, as the contract lists them."""

from checkpoints.models import Execution
from checkpoints.reading.queries import place_after
from conversations.store.conversation import find_head
from ctxadmin.http.endpoints.pagination import Page, PageRequest, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock

_COLUMNS = (
    *("number", "public_id", "workflow", "workflow_version", "status", "version"),
    *("author", "created_at", "ended_at"),
)


def executions_page(actor: Actor, public_id: str, request: PageRequest) -> Page[Execution]:
    """Returns a page of the executions of a conversation, latest first."""
    head = find_head(actor.workspace, public_id)
    rows = Execution.objects.filter(conversation=head.key, number__lt=place_after(request))
    found = rows.order_by("-number").only(*_COLUMNS)[: request.limit + 1]
    return page_of([*found], request, lambda row: (row.number,))


def execution_json(row: Execution) -> dict[str, object]:
    """Returns an execution as the contract lists it."""
    return {
        "execution": row.public_id,
        "workflow": row.workflow or None,
        "workflow_version": row.workflow_version,
        "status": row.status,
        "version": row.version,
        "author": row.author,
        "created_at": clock.iso(row.created_at),
        "ended_at": None if row.ended_at is None else clock.iso(row.ended_at),
    }
