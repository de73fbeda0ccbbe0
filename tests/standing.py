"""What the tests of a folder share in one process, from the first that asks to the last."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Generic, TypeVar

import pytest

ThingT = TypeVar("ThingT")


class Standing(Generic[ThingT]):
    """One thing that stands until ``end``, as fixtures of a session stand until the end of all.

    A server without anything to do takes 0.2 GB and 0.8 % of a processor from the tests behind its
    own, and a run has two of them for each worker.
    """

    def __init__(self) -> None:
        self._made: ThingT | None = None
        self._running = ExitStack()

    def get(self, make: Callable[[], AbstractContextManager[ThingT]]) -> ThingT:
        """Returns what stands, or makes it."""
        if self._made is None:
            self._made = self._running.enter_context(make())
        return self._made

    def end(self) -> None:
        self._made = None
        self._running.close()


def ends(folder: Path, following: pytest.Item | None) -> bool:
    """Returns whether the test that follows in this process, if one does, is of another folder."""
    return following is None or not following.path.is_relative_to(folder)
