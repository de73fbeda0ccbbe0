"""Matches calls and results in a format: which result answers which call, under which id."""

import re
from dataclasses import dataclass
from typing import Final

from conversations.domain.formats.source import SourceCall
from conversations.domain.formats.warnings import Warnings
from ctxadmin.lib.sentence import say

_ANY: Final = re.compile(r"")


@dataclass(frozen=True, slots=True)
class PlacedCall:
    """A call in a format: its id there, and the log index at which it was made."""

    id: str
    name: str
    index: int
    is_custom: bool


class Pairs:
    """Tracks the calls of a list of messages, from the first to the last.

    Real data reuse ids. Where they must be ``unique``, a repeated one gets a number, and characters
    that are not ``allowed`` become ``_``: always the same for the same messages, and for more of
    them.
    """

    def __init__(
        self,
        warnings: Warnings,
        *,
        unique: bool = True,
        forbidden: re.Pattern[str] = _ANY,
        longest: int | None = None,
    ) -> None:
        self._warnings = warnings
        self._unique = unique
        self._forbidden = forbidden
        self._longest = longest
        self._open: dict[str, list[PlacedCall]] = {}
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def call(self, call: SourceCall, index: int) -> PlacedCall:
        """Registers a call that now waits for its result."""
        placed = PlacedCall(self._fresh(call.id, index), call.name, index, call.is_custom)
        self._open.setdefault(call.id, []).append(placed)
        return placed

    def answer(self, call_id: str, index: int) -> PlacedCall | None:
        """Returns the call that a result answers, which no other answers then.

        Warns without one.
        """
        waiting = self._open.get(call_id)
        if waiting:
            found = waiting.pop()
            if not waiting:
                del self._open[call_id]
            return found
        message = say("a result does not follow its call, which providers reject")
        self._warnings.add("orphan_result", message, index)
        return None

    def cleaned(self, call_id: str) -> str:
        """Returns an id in the form that the format allows."""
        text = call_id if self._forbidden is _ANY else self._forbidden.sub("_", call_id)
        return text[: self._longest]

    def close(self) -> None:
        """Closes the calls so far: no result can answer them; warns of those without one."""
        for waiting in self._open.values():
            for call in waiting:
                message = say("a call has no result, which providers reject")
                self._warnings.add("unanswered_call", message, call.index)
        self._open.clear()

    def _fresh(self, call_id: str, index: int) -> str:
        if not self._unique:
            return call_id
        plain = name = self.cleaned(call_id)
        while name in self._taken:
            self._repeats[plain] = number = self._repeats.get(plain, 1) + 1
            ending = f"_{number}"
            most = None if self._longest is None else self._longest - len(ending)
            name = f"{plain[:most]}{ending}"
        self._taken.add(name)
        if name != call_id:
            message = say("the id of a call was changed, because the format needs unique ids")
            self._warnings.add("call_id_changed", message, index)
        return name
