"""Searches a workspace: the index names candidates, and each is read again where it was written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Max, Min, Q, QuerySet

from conversations.models import Conversation, ConversationQuerySet
from conversations.reading.navigation import ROLES
from ctxadmin.http.endpoints.pagination import PageRequest, encode
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from search import words
from search.document_ids import first_id_at
from search.domain.passages import passage_of
from search.domain.query import HitKind, Query
from search.hits import Hit, Hits
from search.indexer import count_unindexed
from search.models import SearchDocument
from search.texts import tool_fact
from search.words import WordQuery
from workflows.models import Workflow

MOST: Final = 100  # hits of one page
BEHIND_ALL: Final = (1 << 63) - 1
_SOON: Final = 150  # candidates that are looked at first: most pages are full by then
_LATER: Final = 2_000
_MOST_LOOKED_AT: Final = 20_000  # candidates of one page, with filters that leave few: 0.2 s
_MOST_STRETCHES: Final = 5  # of texts that a page looks through without an index: 1 s
_SPARE: Final = 5  # documents that are read beyond a page, for those that are left out
_MOST_WORKFLOWS: Final = 20
_WORKFLOWS: Final = 1_000
_FEW: Final = 300  # conversations that a filter leaves: their documents are looked for by key


@dataclass(frozen=True, slots=True)
class SearchPage:
    """Hits, latest first; ``next`` continues behind them, None at the end.

    It can have fewer hits than asked for, even none, and a ``next``: one page looks at so many
    texts only. ``behind`` is how many changes the index does not have yet.
    """

    hits: Sequence[Hit]
    next: str | None
    behind: int


def search(actor: Actor, query: Query, request: PageRequest) -> SearchPage:
    """Returns one page of a search in the actor's workspace; nothing for an empty query.

    Workflows whose name has the words come before all others, on the first page.
    """
    actor.require(Action.READ)
    behind = count_unindexed(actor.workspace)
    if not query:
        return SearchPage((), None, behind)
    below = _below(request)
    hits = workflow_hits(actor, query) if below == BEHIND_ALL else []
    reached: int | None = below
    first = _LATER if query.role or query.status or query.workflow else _SOON
    for documents, reached in _candidates(actor.workspace, with_kinds(query), below, first):
        size = request.limit + _SPARE
        for at in range(0, len(documents), size):
            part = documents[at : at + size]
            shown = Hits(part, query).shown()
            for place, (document, hit) in enumerate(shown):
                if hit is not None:
                    hits.append(hit)
                is_last = reached is None and at + place + 1 == len(documents)
                if len(hits) >= request.limit and not is_last:
                    return SearchPage(hits, encode((document.id,)), behind)
            if len(shown) < len(part):
                return SearchPage(hits, encode((shown[-1][0].id,)), behind)
    return SearchPage(hits, None if reached is None else encode((reached,)), behind)


def _below(request: PageRequest) -> int:
    match request.after:
        case ():
            return BEHIND_ALL
        case (int() as below,) if 0 <= below < BEHIND_ALL:
            return below
    raise ValidationFailed.at("?cursor", say("This cursor belongs to another list."))


def with_kinds(query: Query) -> Query:
    """Returns the query with the kinds that its filters can leave.

    Without words these are messages, if the filters are of messages, else conversations.
    """
    if query.of_messages_only:
        kinds = query.kinds & {HitKind.MESSAGE} if query.kinds else frozenset({HitKind.MESSAGE})
        return replace(query, kinds=kinds or frozenset({HitKind.WORKFLOW}))
    if not query.phrases and not query.kinds:
        return replace(query, kinds=frozenset({HitKind.CONVERSATION}))
    return query


def documents_of(
    workspace: int, query: Query, most: int, below: int = BEHIND_ALL
) -> tuple[Sequence[SearchDocument], int | None]:
    """Returns the latest documents of a query, about ``most``, with ids below one.

    Beside it the id down to which all were looked at, None if these are all.
    """
    found: list[SearchDocument] = []
    reached: int | None = below
    for documents, reached in _candidates(workspace, query, below, most):
        found += documents
        if reached is None or len(found) >= most:
            break
    return found, reached


def _candidates(
    workspace: int, query: Query, below: int, first: int
) -> Iterator[tuple[list[SearchDocument], int | None]]:
    """Yields documents, latest first, and the id down to which all were looked at.

    That is None at the end; it stops before it where the filters leave too few, or very many texts
    have the words but not together. ``first`` candidates are looked at at once.
    """
    since = first_id_at(query.since) if query.since is not None else 0
    if query.conversation:
        ids = SearchDocument.objects.filter(workspace=workspace, conversation=query.conversation)
        span = ids.aggregate(first=Min("id"), last=Max("id"))
        below = min(below, (span["last"] or 0) + 1)
        since = max(since, span["first"] or 0)
    rows = _narrowed(workspace, query)
    size, looked_at, stretches = first, 0, 0
    reached: int | None = below
    while reached is not None and looked_at < _MOST_LOOKED_AT and stretches < _MOST_STRETCHES:
        facts = [tool_fact(query.tool)] if query.tool else []
        if query.phrases or facts:
            found = words.find(WordQuery(workspace, query.phrases, facts, reached, since), size)
            documents = list(rows.filter(id__in=found.ids).order_by("-id"))
            reached = found.reached
            stretches += len(found.ids) < size
        else:
            within = rows.filter(id__lt=reached, id__gte=since)
            documents = list(within.order_by("-id")[:size])
            reached = documents[-1].id if len(documents) == size else None
        looked_at += size
        size = _LATER
        yield _of_wanted(documents, query), reached


def _narrowed(workspace: int, query: Query) -> QuerySet[SearchDocument]:
    rows = SearchDocument.objects.filter(workspace=workspace)
    if query.kinds:
        rows = rows.filter(kind__in=[kind.value for kind in query.kinds])
    if query.role:
        rows = rows.filter(role__in=ROLES.get(query.role, (query.role,)))
    if query.conversation:
        rows = rows.filter(conversation=query.conversation)
    if not query.phrases and (query.status or query.workflow):
        heads = _wanted(query).filter(workspace=workspace)
        few = list(heads.order_by().values_list("key", flat=True)[: _FEW + 1])
        if len(few) <= _FEW:
            rows = rows.filter(conversation__in=few)
    return rows


def _of_wanted(documents: Sequence[SearchDocument], query: Query) -> list[SearchDocument]:
    """Returns the documents of conversations that are there and that the filters leave."""
    keys = {each.conversation for each in documents}
    if not keys:
        return []
    left = set(_wanted(query).filter(key__in=keys).values_list("key", flat=True))
    return [each for each in documents if each.conversation in left]


def _wanted(query: Query) -> ConversationQuerySet:
    heads = Conversation.objects.all()
    if query.archived is not None:
        heads = heads.that_are(archived=query.archived)
    if query.status:
        heads = heads.filter(status=query.status)
    if query.workflow:
        heads = heads.filter(workflow=query.workflow)
    return heads


def workflow_hits(actor: Actor, query: Query) -> list[Hit]:
    """Returns the workflows that have the words in name, slug or description: they are few."""
    narrowed = (
        query.conversation
        or query.status
        or query.workflow
        or query.of_messages_only
        or query.since
    )
    if not query.phrases or narrowed or (query.kinds and HitKind.WORKFLOW not in query.kinds):
        return []
    rows = Workflow.objects.for_workspace(actor.workspace).order_by("-updated_at")
    found: list[Hit] = []
    for row in rows.only("slug", "name", "description", "updated_at")[:_WORKFLOWS]:
        passage = passage_of("\n".join((row.name, row.slug or "", row.description)), query)
        if passage is not None and len(found) < _MOST_WORKFLOWS:
            found.append(
                Hit(
                    kind=HitKind.WORKFLOW,
                    at=row.updated_at,
                    passage=passage,
                    title=row.name,
                    workflow=row.slug or "",
                )
            )
    return found


def unknown_workflow(actor: Actor, query: Query) -> str:
    """Returns the id of the wanted workflow if there is none, not even a deleted one."""
    named = Q(slug=query.workflow) | Q(deleted_slug=query.workflow)
    wanted = query.workflow if query.workflow.isascii() else ""  # MySQL compares no other slug
    known = Workflow.objects.filter(named, workspace=actor.workspace) if wanted else None
    return query.workflow if known is None or not known.exists() else ""
