"""The indexer: follows the feed of each workspace, and adds what was written to the index.

It compares the mark of a conversation with the conversation itself, so a change that it meets twice
does nothing, and one that it missed is in with the next. Nothing that is written waits for it.
"""

import logging
from collections.abc import Callable, Iterable
from typing import Final

from django.db.models import Max, QuerySet

from checkpoints.store.executions import find_current
from conversations.models import Comment, Conversation, Feed
from conversations.workspace import feed
from ctxadmin.accounts.models import Workspace
from search import store
from search.domain.query import HitKind
from search.models import SearchDocument, SearchMark, SearchProgress
from search.texts import (
    IndexedText,
    comments_of,
    execution_texts,
    messages_of,
    reasons_of,
    title_digest,
    title_of,
)

_log = logging.getLogger("ctxadmin.search")

_CHANGES: Final = 200  # of the feed at once
_WALKED: Final = 50  # conversations of a walk at once

ProgressReport = Callable[[SearchProgress], None]


def run_round() -> bool:
    """Makes one round over all workspaces; returns False if there was nothing to do."""
    keys = list(Workspace.objects.order_by("key").values_list("key", flat=True))
    return bool([key for key in keys if index_changes(key)])  # every one has its turn


def run_until_done(report: ProgressReport = lambda _: None) -> None:
    """Indexes everything that is committed now; ``report`` gets the progress of each walk."""
    for key in Workspace.objects.order_by("key").values_list("key", flat=True):
        while index_changes(key):
            report(SearchProgress.objects.get(workspace=key))


def rebuild(report: ProgressReport = lambda _: None) -> None:
    """Empties the index and builds it again; meanwhile searches find what is in it by then."""
    for key in Workspace.objects.order_by("key").values_list("key", flat=True):
        store.remove_workspace(key)
        SearchProgress.objects.filter(workspace=key).delete()
    run_until_done(report)


def index_changes(workspace: int) -> bool:
    """Indexes the next changes of a workspace; returns True if there may be more."""
    progress = SearchProgress.objects.filter(workspace=workspace).first()
    if progress is None:
        _start_walk(SearchProgress(workspace=workspace))
        return True
    part = feed.read(workspace, progress.cursor, _CHANGES)
    if part.is_reset or _lost_the_first(progress):
        _start_walk(progress)
        return True
    _index(workspace, {each.conversation for each in part.entries})
    if part.cursor != progress.cursor:
        SearchProgress.objects.filter(workspace=workspace).update(cursor=part.cursor)
    walked = progress.walk is not None and _walk(progress)
    return walked or len(part.entries) == _CHANGES


def catch_up(head: Conversation) -> None:
    """Indexes all that a conversation has and its mark does not."""
    mark = store.find_mark(head)
    if mark.erased or mark.seq >= head.change_seq:
        return
    while mark.messages < head.log_count:
        texts = messages_of(head, mark.messages)
        after = _copy(mark, messages=mark.messages + len(texts))
        if not texts or not store.commit(mark, after, texts):
            return
        mark = after
    _add_others(head, mark)


def _add_others(head: Conversation, mark: SearchMark) -> None:
    """Indexes everything but messages: title, reasons, comments, state."""
    texts, after = reasons_of(head, mark)
    removed: list[int] = []
    if mark.title != (title := title_digest(head)):
        texts.append(title_of(head))
        after.title = title
        titles = _documents(head).filter(kind=HitKind.CONVERSATION)
        removed += titles.values_list("id", flat=True)
    for part in (_comments, _execution):
        more, gone = part(head, after)
        texts += more
        removed += gone
    after.seq = head.change_seq
    store.commit(mark, after, texts, removed)


def _comments(head: Conversation, mark: SearchMark) -> tuple[list[IndexedText], list[int]]:
    """Returns new comments, and the documents of those that were removed."""
    texts = comments_of(head.key, mark.comment)
    rows = _documents(head).filter(kind=HitKind.COMMENT)
    known = dict(rows.values_list("number", "id"))
    there: set[int] = set()
    if known:
        left = Comment.objects.filter(conversation=head.key)
        there = set(left.values_list("number", flat=True))
    mark.comment = max((text.place.number or 0 for text in texts), default=mark.comment)
    return texts, [name for number, name in known.items() if number not in there]


def _execution(head: Conversation, mark: SearchMark) -> tuple[list[IndexedText], list[int]]:
    """Returns what the current execution wrote, and the documents that this replaces.

    Those of an execution before it go: there is no page to show its state.
    """
    row = find_current(head.key)
    if row is None:
        return [], []
    is_new = row.number != mark.execution
    if not is_new and row.version == mark.version:
        return [], []
    found = execution_texts(row, -1 if is_new else mark.version)
    rows = _documents(head).filter(execution__isnull=False)
    removed = [
        name
        for name, kind, execution, key in rows.values_list("id", "kind", "execution", "key")
        if execution != row.number
        or (kind == HitKind.STATE and (key in found.changed or key not in found.held))
    ]
    mark.execution, mark.version = row.number, row.version
    return list(found.texts), removed


def _documents(head: Conversation) -> QuerySet[SearchDocument]:
    return SearchDocument.objects.filter(workspace=head.workspace, conversation=head.key)


def _index(workspace: int, keys: Iterable[int]) -> None:
    """Indexes some conversations; what is left of erased ones goes."""
    wanted = set(keys)
    heads = list(Conversation.objects.filter(key__in=wanted, workspace=workspace))
    for head in heads:
        catch_up(head)
    for key in wanted - {head.key for head in heads}:
        store.remove_erased(workspace, key)


def _lost_the_first(progress: SearchProgress) -> bool:
    """Returns whether changes that no cursor was behind are no longer in the feed."""
    feeds = Feed.objects.filter(workspace=progress.workspace, removed__gt=0)
    return progress.cursor == 0 and feeds.exists()


def _start_walk(progress: SearchProgress) -> None:
    """Begins a walk; what changes from now on is in the feed behind the cursor."""
    progress.cursor = feed.last_position(progress.workspace)
    heads = Conversation.objects.filter(workspace=progress.workspace)
    latest = heads.aggregate(latest=Max("key"))["latest"]
    progress.walk = None if latest is None else latest + 1
    progress.walked, progress.total = 0, heads.count()
    progress.save()


def _walk(progress: SearchProgress) -> bool:
    """Indexes the next conversations of a walk; returns False at its end."""
    rows = Conversation.objects.filter(workspace=progress.workspace, key__lt=progress.walk)
    heads = list(rows.order_by("-key")[:_WALKED])
    for head in heads:
        catch_up(head)
    SearchProgress.objects.filter(workspace=progress.workspace).update(
        walk=heads[-1].key if heads else None, walked=progress.walked + len(heads)
    )
    return bool(heads)


def _copy(mark: SearchMark, *, messages: int) -> SearchMark:
    fields = {each.attname: getattr(mark, each.attname) for each in mark._meta.concrete_fields}
    return SearchMark(**{**fields, "messages": messages})


def count_unindexed(workspace: int) -> int:
    """Returns how many committed changes are not in the index yet; conversations count as one.

    While the index is being built, it counts the conversations that are still to be looked at.
    """
    progress = SearchProgress.objects.filter(workspace=workspace).first()
    if progress is None:
        return Conversation.objects.filter(workspace=workspace).count()
    last = Feed.objects.filter(workspace=workspace).values_list("last", flat=True).first() or 0
    unfed = Conversation.objects.filter(workspace=workspace, unfed=True).count()
    left = progress.total - progress.walked if progress.walk is not None else 0
    return max(last - progress.cursor, 0) + unfed + max(left, 0)
