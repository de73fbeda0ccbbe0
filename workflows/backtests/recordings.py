"""Stored conversations as backtests replay them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from django.http import QueryDict

from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Conversation, Message
from conversations.reading import queries
from conversations.store.conversation import find_revision, metadata_of_head, read_details, view_of
from conversations.store.message_rows import message_rows
from conversations.workspace.matching import ConversationFilter
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError
from workflows.domain.backtests.recorded import Recorded, RecordedMessage

_PAGE: Final = 100


def recorded_conversations(
    actor: Actor, wanted: ConversationFilter, most: int, *, tool_tokens: int = 0
) -> Iterator[Recorded]:
    """Yields the conversations of a list with the latest changes, at most ``most``.

    ``tool_tokens`` are those of the tool schemas that each call sends first.
    """
    heads = latest_heads(actor, wanted, most)
    while part := list(islice(heads, _PAGE)):
        for head in read_details(part):
            yield recorded_of(head, tool_tokens=tool_tokens)


def recorded_by_keys(
    keys: Sequence[int], replayed: list[int], *, tool_tokens: int = 0
) -> Iterator[Recorded]:
    """The conversations of some keys that are still there, in their order.

    The keys of those that are read are added to ``replayed``: damaged ones are left out, and those
    that were erased meanwhile.
    """
    for start in range(0, len(keys), _PAGE):
        part = keys[start : start + _PAGE]
        found = {head.key: head for head in Conversation.objects.filter(key__in=part)}
        for head in read_details([found[key] for key in part if key in found]):
            try:
                recorded = recorded_of(head, tool_tokens=tool_tokens)
            except ContextError:
                continue
            replayed.append(head.key)
            yield recorded


def latest_heads(actor: Actor, wanted: ConversationFilter, most: int) -> Iterator[Conversation]:
    """The heads of the conversations of a list that changed last, at most ``most``."""
    after: str | None = None
    while most > 0:
        query = QueryDict(mutable=True)
        query["limit"] = str(min(most, _PAGE))
        if after is not None:
            query["cursor"] = after
        page = queries.list_conversations(actor, wanted, PageRequest.of(query))
        yield from page.items
        most -= len(page.items)
        after = page.next
        if after is None:
            return


def recorded_of(head: Conversation, *, tool_tokens: int = 0) -> Recorded:
    """Returns a stored conversation: its whole log, and what was visible at each call."""
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
        seen=_visible_before(head),
    )


def _visible_before(head: Conversation) -> Mapping[int, Runs]:
    """Returns what was visible before each assistant message when it was logged, by its index."""
    rows = Message.objects.filter(conversation=head.key, role="assistant", index__lt=head.log_count)
    views: dict[int, View] = {}
    seen: dict[int, Runs] = {}
    for index, revision in rows.values_list("index", "revision"):
        if revision not in views:
            views[revision] = view_of(find_revision(head.key, revision))
        view = views[revision]
        seen[index] = view.slice(0, view.position_of(index) or 0).runs
    return seen
