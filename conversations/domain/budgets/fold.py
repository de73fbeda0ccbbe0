"""The fold of a budget: its effect on a view, message by message."""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from conversations.domain import runs as run_sets
from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.message import CountsAs, MessageDraft
from conversations.domain.pointers import LINE_TOKENS, emptied_text
from conversations.domain.runs import Runs
from conversations.domain.tokens import tokens_of_plain
from conversations.domain.view import View


@dataclass(frozen=True, slots=True)
class Weight:
    """The tokens of a logged message, its role, and the log index of the call that it answers."""

    index: int
    tokens: int
    counts_as: CountsAs
    call: int | None = None

    def reduced_by(self, freed: int) -> "Weight":
        """Returns the weight of the message without some of its tokens."""
        return replace(self, tokens=self.tokens - freed)

    def as_notice(self) -> "Weight":
        """The weight of a line about hidden messages: no instruction, and it begins no turn."""
        return replace(self, counts_as="assistant")


class FoldStore(Protocol):
    """A cache of earlier folds; it saves time and never changes a result."""

    def find(self, key: Hashable, view: View) -> "Fold | None":
        """Returns the longest fold under ``key`` over a prefix of ``view``."""

    def continued(self, fold: "Fold") -> "Fold":
        """Returns what the caller continues instead of a fold that was found.

        A copy of it, unless nobody else has the fold.
        """

    def store(self, key: Hashable, view: View, fold: "Fold") -> None:
        """Stores a fold over the whole of ``view``, which nobody continues any longer."""


class _TurnStart(NamedTuple):
    """An unprotected user message, and the number of protected ones before it."""

    message: int
    tokens: int
    rank: int


class _Place(NamedTuple):
    """A position at which the view may be cut.

    ``before`` are the tokens of all unprotected messages before it; ``turn`` is the user message
    whose turn a cut here would split.
    """

    position: int
    before: int
    turn: _TurnStart | None


class _Placed(NamedTuple):
    """A message and its position."""

    position: int
    message: int


class Fold:
    """A budget's fold over the first ``count`` positions of a view.

    ``tokens`` are those of what remains, with room for a line if one is left. In front of position
    ``cut`` only protected messages remain and the start of the turn that was cut, behind it all but
    results whose call is gone.
    Each message costs constant time, whatever came before: tokens are running sums, and places
    that a later cut cannot use any more are forgotten. Source: semantics 4.1.
    """

    def __init__(
        self,
        config: BudgetConfig,
        protected: frozenset[int] = frozenset(),
        leaves_pointer: bool = False,
    ) -> None:
        """An empty fold; ``protected`` are log indices of messages that stay, in whole groups of
        calls and results. With ``leaves_pointer`` a line stands in front of the cut, and emptied
        results name the message that had the content (semantics 4.6)."""
        self._config = config
        self._protected = protected
        self._leaves_pointer = leaves_pointer
        self._emptied_tokens = tokens_of_plain(config.placeholder)
        self.count = 0
        self.tokens = 0
        self.cut = 0
        # The line that names these hidden messages, once someone has drawn it.
        self.line: tuple[Runs, MessageDraft] | None = None
        self._before = 0  # tokens of all unprotected messages
        self._before_cut = 0
        self._stays: set[int] = set()  # all that were protected
        self._kept: list[int] = []  # those of them in front of the cut
        self._window: deque[_Placed] = deque()  # and behind it
        self._held: _TurnStart | None = None
        self._turn: _TurnStart | None = None
        self._places: deque[_Place] = deque()
        self._widowed: list[_Placed] = []
        self._emptied: list[tuple[int, int]] = []
        self._old_results: deque[tuple[int, int]] = deque()  # log index, what emptying it frees
        self._last_results: deque[tuple[int, int]] = deque()
        self._removable = 0  # what emptying all old results frees

    def copy(self) -> "Fold":
        """Returns an independent copy of the fold; costs the messages after the cut."""
        twin = Fold.__new__(Fold)
        twin.__dict__.update(self.__dict__)
        twin._stays, twin._kept = self._stays.copy(), self._kept.copy()
        twin._window, twin._places = self._window.copy(), self._places.copy()
        twin._widowed, twin._emptied = self._widowed.copy(), self._emptied.copy()
        twin._old_results = self._old_results.copy()
        twin._last_results = self._last_results.copy()
        return twin

    @property
    def size(self) -> int:
        """Returns the number of entries in the fold."""
        parts = (self._stays, self._kept, self._window, self._places, self._widowed)
        results = (self._emptied, self._old_results, self._last_results)
        return sum(map(len, parts)) + sum(map(len, results))

    @property
    def emptied(self) -> tuple[tuple[int, int], ...]:
        """Returns the log indices of emptied results, and how many tokens each freed."""
        return tuple(self._emptied)

    def visible(self, view: View) -> View:
        """Returns what remains of ``view``, whose first ``count`` positions were folded."""
        rest = view.slice(self.cut, len(view))
        if self._widowed:
            gone = sorted(index for _, index in self._widowed)
            rest = rest.without(run_sets.of_indices(gone))
        kept = self._kept
        if self._held is not None:
            rank = self._held.rank
            kept = [*kept[:rank], self._held.message, *kept[rank:]]
        return View.of_indices(kept).concat(rest) if kept else rest

    def add(self, weight: Weight, call: int | None = None) -> None:
        """Adds the next message of the view.

        ``call`` is the position of the call that it answers, None if that is not before it in the
        view.
        """
        position = self.count
        self.count += 1
        if call is not None and call < self.cut and weight.call not in self._stays:
            self._widowed.append(_Placed(position, weight.index))
            return
        stays = self._must_stay(weight, position, call)
        if call is not None and not stays:
            while self._places and self._places[-1].position > call:
                self._places.pop()
        elif not stays:
            self._offer(weight, position)
        self.tokens += weight.tokens
        if stays:
            self._stays.add(weight.index)
            self._window.append(_Placed(position, weight.index))
        else:
            self._before += weight.tokens
        if weight.counts_as == "user":
            rank = len(self._kept) + len(self._window)
            self._turn = None if stays else _TurnStart(weight.index, weight.tokens, rank)
        if self._config.drop == "tool_results":
            self._add_result(weight, 0 if stays else weight.tokens - self._tokens_emptied(weight))
        if self.tokens > self._config.max_tokens:
            self._reduce()

    def _tokens_emptied(self, weight: Weight) -> int:
        if not self._leaves_pointer or weight.counts_as != "tool":
            return self._emptied_tokens
        text = emptied_text(self._config.placeholder, weight.index, leaves_pointer=True)
        return tokens_of_plain(text)

    def _must_stay(self, weight: Weight, position: int, call: int | None) -> bool:
        return (
            position < self._config.keep_first
            or (self._config.keep_system and weight.counts_as == "system")
            or weight.index in self._protected
            or (call is not None and weight.call in self._stays)
        )

    def _offer(self, weight: Weight, position: int) -> None:
        """Records that the view may be cut before this message."""
        drop, is_start = self._config.drop, weight.counts_as == "user"
        if drop == "tool_results" or (drop == "oldest_turns" and not is_start):
            return
        turn = self._turn if self._config.keeps_turn_start and not is_start else None
        self._places.append(_Place(position, self._before, turn))

    def _add_result(self, weight: Weight, frees: int) -> None:
        if weight.counts_as != "tool":
            return
        self._last_results.append((weight.index, frees))
        if len(self._last_results) > self._config.keep_last_results:
            index, frees = self._last_results.popleft()
            if frees > 0:
                self._old_results.append((index, frees))
                self._removable += frees

    def _reduce(self) -> None:
        least = self._config.at_least or 1
        goal = min(self._config.target_tokens, self.tokens - least)
        if self._config.drop == "tool_results":
            self._empty_results(goal, least)
        else:
            self._move_cut(goal, least)

    def _empty_results(self, goal: int, least: int) -> None:
        if self._removable < least:
            return
        while self._old_results and self.tokens > goal:
            index, frees = self._old_results.popleft()
            self._emptied.append((index, frees))
            self.tokens -= frees
            self._removable -= frees

    def _move_cut(self, goal: int, least: int) -> None:
        """Moves the cut to the first place that leaves at most ``goal`` tokens, else to the last
        one.

        What a place leaves only grows until the next cut, so one that left too much always will.
        """
        places = self._places
        while len(places) > 1 and self._tokens_after_cut(places[0]) > goal:
            places.popleft()
        if not places or self.tokens - self._tokens_after_cut(places[0]) < least:
            return
        self.tokens = self._tokens_after_cut(places[0])
        place = places.popleft()
        self.cut, self._before_cut, self._held = place.position, place.before, place.turn
        while self._window and self._window[0].position < self.cut:
            self._kept.append(self._window.popleft().message)
        self._widowed = [each for each in self._widowed if each.position >= self.cut]

    def _tokens_after_cut(self, place: _Place) -> int:
        """Returns the tokens that would remain if the view were cut there."""
        held = self._held.tokens if self._held else 0
        holds = place.turn.tokens if place.turn else 0
        line = LINE_TOKENS if self._leaves_pointer and not self.cut else 0
        return self.tokens - (place.before - self._before_cut) - held + holds + line
