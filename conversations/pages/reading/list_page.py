"""The list of conversations: what was said last in each, and what waits to be approved."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.models import Conversation
from conversations.pages.reading.workflow_names import workflow_names
from conversations.reading import queries
from conversations.reading.display_names import read_display_names
from conversations.reading.node_names import names_of_writing_nodes
from conversations.reading.proposed_answers import ProposedAnswer, proposed_answers
from conversations.workspace.last_messages import LastMessage, last_messages
from conversations.workspace.matching import ConversationFilter, count_matching
from ctxadmin.http.endpoints.pagination import Page, PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import MOST_ITEMS, BulkList
from ctxadmin.identity.roles import Action
from ctxadmin.ui.bulk_bar import BulkBar, bulk_actions
from ctxadmin.ui.components import STATUSES, Crumb, Text
from ctxadmin.ui.pages import page, show

_MOST_LARGEST: Final = 100


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation with what was said last, the name of its workflow, and the proposed answer.

    ``answer`` is None unless it waits for review, and if it is what was said last. ``node`` is
    what the node is called that spoke last, "" if none did.
    """

    head: Conversation
    last: LastMessage | None
    node: str
    answer: ProposedAnswer | None
    workflow: str


@dataclass(frozen=True, slots=True)
class ListPage:
    """The list of conversations.

    ``wanted`` is what the filter bar shows. ``by_size`` lists the largest first; ``only`` is how
    many of them if there are more, which have no further pages. ``problem`` says what is wrong
    with the address; then there are no conversations.
    """

    title: Text
    crumbs: Sequence[Crumb]
    conversations: Sequence[ListedConversation]
    next: str | None
    wanted: ConversationFilter
    statuses: Sequence[str]
    may_import: bool
    filtered: bool
    by_size: bool
    only: int | None
    bulk: BulkBar | None
    problem: Text


@require_safe
@page
def conversation_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    status = request.GET.get("status", "")
    problem = _("Select a status of the list.") if status and status not in STATUSES else ""
    wanted = ConversationFilter(
        status="" if problem else status,
        workflow=request.GET.get("workflow", ""),
        text=request.GET.get("q", "").strip(),
        archived=request.GET.get("archived") == "true",
    )
    asked = PageRequest.of(request.GET)
    by_size = request.GET.get("sort") == "size"
    only = None
    if problem:
        found: Page[Conversation] = Page([], None)
    elif by_size:
        most = min(asked.limit, _MOST_LARGEST)
        rows = queries.largest_conversations(actor, wanted, most + 1)
        found, only = Page(rows[:most], None), most if len(rows) > most else None
    else:
        found = queries.list_conversations(actor, wanted, asked)
    messages = last_messages(found.items)
    waiting = [head.key for head in found.items if head.status == "PAUSED"]
    proposals = proposed_answers(waiting, messages)
    read_display_names(found.items)
    names = workflow_names(actor, found.items)
    spoke = {key: (key, last.node_id) for key, last in messages.items()}
    nodes = names_of_writing_nodes(spoke.values())
    shown = ListPage(
        title=_("Conversations"),
        crumbs=(),
        conversations=[
            ListedConversation(
                head,
                messages.get(head.key),
                nodes.get(spoke.get(head.key, (0, "")), ""),
                proposals.get(head.key),
                names.get(head.workflow, head.workflow),
            )
            for head in found.items
        ],
        next=found.next,
        wanted=wanted,
        statuses=tuple(STATUSES),
        may_import=actor.may(Action.CONVERSATION_IMPORT),
        filtered=wanted != ConversationFilter() or bool(problem),
        by_size=by_size,
        only=only,
        bulk=_bulk_bar(actor, wanted, found, by_size=by_size),
        problem=problem,
    )
    return show(request, "conversations/list.html", shown, status=422 if problem else 200)


def _bulk_bar(
    actor: Actor, wanted: ConversationFilter, shown: Page[Conversation], *, by_size: bool
) -> BulkBar | None:
    actions = bulk_actions(actor, BulkList.CONVERSATIONS, archived=bool(wanted.archived))
    if not actions or not shown.items:
        return None
    fields = {
        "status": wanted.status,
        "workflow": wanted.workflow,
        "q": wanted.text,
        "archived": "true" if wanted.archived else "",
        "sort": "size" if by_size else "",
    }
    total = count_matching(actor, wanted, MOST_ITEMS + 1)
    return BulkBar(BulkList.CONVERSATIONS, actions, fields, total)
