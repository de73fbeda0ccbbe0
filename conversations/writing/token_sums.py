"""Sums of tokens over runs of the log, by the running total in each message."""

from collections.abc import Iterable

from conversations.domain import runs as run_sets
from conversations.domain.runs import Run
from conversations.domain.view import View
from conversations.models import Message
from conversations.store.log_ranges import chunks


class TokenSums:
    """``sums(start, stop)`` is the number of tokens of the log indices ``[start, stop)``.

    A run costs two lookups, which are made for many runs at once and cached.
    """

    def __init__(self, conversation: int) -> None:
        self.conversation = conversation
        self._upto: dict[int, int] = {-1: 0}

    def __call__(self, start: int, stop: int) -> int:
        return self.total([(start, stop)])

    def total(self, runs: Iterable[Run]) -> int:
        """Returns the tokens of some runs."""
        whole = list(runs)
        self._load({end - 1 for run in whole for end in run})
        return sum(self._upto[stop - 1] - self._upto[start - 1] for start, stop in whole)

    def of_view(self, view: View, known: View, tokens: int) -> int:
        """Returns the tokens of ``view``, by how it differs from ``known``, which has
        ``tokens``.

        Costs the runs of the difference, or those of ``view`` if they are fewer.
        """
        was, now = known.indices_as_runs(), view.indices_as_runs()
        came, went = run_sets.difference(now, was), run_sets.difference(was, now)
        if len(came) + len(went) >= len(now):
            return self.total(now)
        return tokens + self.total(came) - self.total(went)

    def prefix_lost(self, before: View, after: View, tokens: int) -> int:
        """Returns how many of the ``tokens`` of ``before`` come after the common prefix of both
        views.

        Costs the runs of that prefix, or of the rest if they are fewer.
        """
        common = before.common_prefix_length(after)
        start, rest = before.slice(0, common), before.slice(common, len(before))
        if len(start.runs) < len(rest.runs):
            return tokens - self.total(start.runs)
        return self.total(rest.runs)

    def _load(self, indices: set[int]) -> None:
        for part in chunks(sorted(indices - self._upto.keys())):
            rows = Message.objects.filter(conversation=self.conversation, index__in=part)
            self._upto.update(rows.values_list("index", "tokens_upto"))
