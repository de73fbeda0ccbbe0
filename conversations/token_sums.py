"""Sums of tokens over runs of the log, by the running total that each message keeps."""

from collections.abc import Iterable
from typing import Final

from conversations.domain.view import View
from conversations.models import Message

_CHUNK: Final = 500


class TokenSums:
    """``sums(start, stop)`` is the number of tokens of the log indices ``[start, stop)``.

    A run costs two look-ups; ``prepare`` makes them for whole views at once.
    """

    def __init__(self, conversation: int) -> None:
        self.conversation = conversation
        self._upto: dict[int, int] = {-1: 0}

    def prepare(self, *views: View) -> None:
        """Look up every boundary of the views' runs in a few queries."""
        ends = {end - 1 for view in views for run in view.runs for end in run}
        self._load(ends - self._upto.keys())

    def __call__(self, start: int, stop: int) -> int:
        self._load({start - 1, stop - 1} - self._upto.keys())
        return self._upto[stop - 1] - self._upto[start - 1]

    def _load(self, indices: Iterable[int]) -> None:
        missing = sorted(indices)
        for place in range(0, len(missing), _CHUNK):
            rows = Message.objects.filter(
                conversation=self.conversation, index__in=missing[place : place + _CHUNK]
            )
            self._upto.update(rows.values_list("index", "tokens_upto"))
