"""Searches a workspace for a page of conversations, each with its latest hits."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.http.endpoints.pagination import PageRequest, encode, foreign_cursor
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from search import queries
from search.domain.query import HitKind, Query
from search.hits import Hit, Hits
from search.indexer import count_unindexed
from search.latest_texts import MOST, LatestTexts
from search.models import SearchDocument

SHOWN: Final = 2  # hits of one kind in a conversation with many


@dataclass(frozen=True, slots=True)
class ConversationHitsPage:
    """The hits of a page of conversations, that with the latest hit first, after workflows.

    Of many hits of one kind in a conversation only the latest are in ``hits``. ``counts`` has all
    by the id of the conversation and the kind, unless not ``complete`` those of the latest texts
    only: a later page can have earlier ones. ``next`` and ``behind`` are those of a SearchPage.
    """

    hits: Sequence[Hit]
    counts: Mapping[tuple[str, HitKind], int]
    complete: bool
    next: str | None
    behind: int


def search_conversations(
    actor: Actor, query: Query, request: PageRequest, latest: LatestTexts | None = None
) -> ConversationHitsPage:
    """Returns one page, of ``request.limit`` conversations, with what it continues at.

    ``latest`` are the texts of the search if someone has read them: the first page is of these.
    """
    actor.require(Action.READ)
    behind = count_unindexed(actor.workspace)
    if not query:
        return ConversationHitsPage((), {}, True, None, behind)
    top, below = _place(request)
    wanted = queries.with_kinds(query)
    known = latest.of(wanted) if latest is not None and not request.after else None
    documents, reached = known or queries.documents_of(actor.workspace, wanted, MOST, top)
    groups: dict[int, list[SearchDocument]] = {}
    for each in documents:
        groups.setdefault(each.conversation, []).append(each)
    left = [group for group in groups.values() if group[0].id < below]
    page = left[: request.limit]
    chosen = [each for group in page for each in _latest(group)]
    shown = Hits(chosen, query).shown()
    if len(shown) < len(chosen):  # very long texts: the conversations that are left come next
        stop = [group[0].conversation for group in page].index(chosen[len(shown)].conversation)
        page = page[: max(stop, 1)]
    kept = {group[0].conversation for group in page}
    found = [(each, hit) for each, hit in shown if hit is not None and each.conversation in kept]
    names = {each.conversation: hit.conversation for each, hit in found}
    counts = Counter((names[key], HitKind(each.kind)) for key in names for each in groups[key])
    following = None if reached is None else encode((reached, reached))
    if len(page) < len(left):
        following = encode((documents[0].id + 1, page[-1][0].id))
    workflows = queries.workflow_hits(actor, query) if not request.after else []
    hits = [*workflows, *(hit for _, hit in found)]
    return ConversationHitsPage(hits, counts, reached is None, following, behind)


def _place(request: PageRequest) -> tuple[int, int]:
    """Returns the id below which texts are grouped, and the one below which their groups begin."""
    match request.after:
        case ():
            return queries.BEHIND_ALL, queries.BEHIND_ALL
        case (int() as top, int() as below) if 0 <= below <= top < queries.BEHIND_ALL:
            return top, below
    raise foreign_cursor()


def _latest(group: Sequence[SearchDocument]) -> Iterator[SearchDocument]:
    """Yields the latest of each kind; a single one more is not worth a link."""
    totals = Counter(each.kind for each in group)
    taken: Counter[str] = Counter()
    for each in group:
        taken[each.kind] += 1
        if taken[each.kind] <= SHOWN or totals[each.kind] == SHOWN + 1:
            yield each
