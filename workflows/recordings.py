"""Stored conversations as backtests replay them."""

from collections.abc import Iterator, Mapping
from typing import Final

from django.http import QueryDict

from conversations import queries
from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.message_rows import message_rows
from conversations.models import Conversation, Message
from conversations.store import find_revision, metadata_of_head, read_details, view_of
from ctxadmin.http.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from workflows.domain.backtests.recorded import Recorded, RecordedMessage

_PAGE: Final = 100


def recorded_conversations(
    actor: Actor, wanted: queries.ConversationFilter, most: int, *, tool_tokens: int = 0
) -> Iterator[Recorded]:
    """The conversations of a list that changed last, one after the other; at most ``most``.

    ``tool_tokens`` are those of the tool schemas that each call sends in front.
    """
    after: str | None = None
    while most > 0:
        query = QueryDict(mutable=True)
        query["limit"] = str(min(most, _PAGE))
        if after is not None:
            query["cursor"] = after
        page = queries.list_conversations(actor, wanted, PageRequest.of(query))
        for head in read_details(list(page.items)):
            yield recorded_of(head, tool_tokens=tool_tokens)
        most -= len(page.items)
        after = page.next
        if after is None:
            return


def recorded_of(head: Conversation, *, tool_tokens: int = 0) -> Recorded:
    """A stored conversation: its whole log, and what was visible at each call."""
    whole = View(((0, head.log_count),))
    rows = message_rows(head.key, whole)
    messages = [
        RecordedMessage(bytes(body), tokens, call, node or "", name or "")
        for _, name, _, body, tokens, _, node, _, _, call, *_ in map(rows.__getitem__, whole)
    ]
    return Recorded(
        name=head.public_id,
        messages=messages,
        tools=head.details.tools or None,
        tool_tokens=tool_tokens,
        metadata=metadata_of_head(head),
        seen=_seen(head),
    )


def _seen(head: Conversation) -> Mapping[int, Runs]:
    """What was visible in front of each assistant message when it was logged, by its index."""
    rows = Message.objects.filter(conversation=head.key, role="assistant", index__lt=head.log_count)
    views: dict[int, View] = {}
    seen: dict[int, Runs] = {}
    for index, revision in rows.values_list("index", "revision"):
        if revision not in views:
            views[revision] = view_of(find_revision(head.key, revision))
        view = views[revision]
        seen[index] = view.slice(0, view.position_of(index) or 0).runs
    return seen
