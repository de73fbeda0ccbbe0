"""The latest texts of a search, read once: counted by kind, and grouped on a page of results."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from conversations.models import Conversation
from ctxadmin.identity.actor import Actor
from search import queries
from search.domain.query import HitKind, Query
from search.models import SearchDocument

MOST: Final = 2_000  # texts, about what one page of results looks through


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


@dataclass(frozen=True, slots=True)
class LatestTexts:
    """Texts of some kinds, all if none is named, with those of the ``archived`` conversations.

    The latest is first. ``reached`` is the id down to which all were looked at, None if these are
    all.
    """

    documents: Sequence[SearchDocument]
    kinds: Collection[HitKind]
    archived: Collection[int]
    reached: int | None

    def of(self, query: Query) -> tuple[Sequence[SearchDocument], int | None] | None:
        """Returns those that a query wants, as ``documents_of`` does.

        None if most are others: those of the query can all be earlier, or are none of these.
        """
        if self.kinds and not query.kinds.issubset(self.kinds):
            return None
        found = [
            each
            for each in self._wanted(query.archived)
            if not query.kinds or HitKind(each.kind) in query.kinds
        ]
        is_enough = self.reached is None or 2 * len(found) >= len(self.documents)
        return (found, self.reached) if is_enough else None

    def counts(self, archived: bool | None) -> HitCounts:
        """Returns the counts; archived ones are counted apart unless they are searched."""
        wanted = self._wanted(archived)
        apart = 0 if archived else len(self.documents) - len(wanted)
        return HitCounts(
            Counter(HitKind(each.kind) for each in wanted), apart, self.reached is None
        )

    def _wanted(self, archived: bool | None) -> list[SearchDocument]:
        return [
            each
            for each in self.documents
            if archived is None or (each.conversation in self.archived) == archived
        ]


def latest_texts(actor: Actor, query: Query) -> LatestTexts:
    """Returns the latest texts of a search, about MOST, with three queries; no workflows."""
    every = queries.with_kinds(replace(query, kinds=frozenset(), archived=None))
    documents, reached = queries.documents_of(actor.workspace, every, MOST)
    keys = {each.conversation for each in documents}
    archived = Conversation.objects.filter(key__in=keys, archived=True)
    keys_of_archived = set(archived.values_list("key", flat=True))
    return LatestTexts(documents, every.kinds, keys_of_archived, reached)
