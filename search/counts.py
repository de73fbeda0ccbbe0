"""How many texts a search finds, by kind, as the index knows them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from conversations.models import Conversation
from ctxadmin.identity.actor import Actor
from search import queries
from search.domain.query import HitKind, Query

MOST: Final = 2_000  # texts that are counted: about what one page of results looks through


@dataclass(frozen=True, slots=True)
class HitCounts:
    """Counted texts by kind, those of archived conversations apart.

    Not ``complete``: there are more texts than were counted. A page of hits can have fewer,
    because it leaves out what was changed since the index was written.
    """

    found: Mapping[HitKind, int]
    archived: int
    complete: bool

    @property
    def total(self) -> int:
        return sum(self.found.values())


def count_hits(actor: Actor, query: Query) -> HitCounts:
    """Returns the counts of a search of all kinds, with three queries; workflows are not counted.

    Archived ones are counted apart unless they are searched.
    """
    both = queries.with_kinds(replace(query, archived=None))
    documents, reached = queries.documents_of(actor.workspace, both, MOST)
    keys = {each.conversation for each in documents}
    rows = Conversation.objects.filter(key__in=keys).values_list("key", "archived")
    is_archived = dict(rows)
    found: Counter[HitKind] = Counter()
    archived = 0
    for each in documents:
        if query.archived is not None and is_archived[each.conversation] != query.archived:
            archived += not query.archived
        else:
            found[HitKind(each.kind)] += 1
    return HitCounts(found, archived, reached is None)
