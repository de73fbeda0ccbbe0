"""Numbers of messages as people write them."""

from typing import Final

from conversations.domain.runs import Runs

_MOST: Final = 8


def format_runs(runs: Runs) -> str:
    """Runs of log indices as people write them: ``#3–#5, #9``."""
    named = [f"#{start}" if stop - start == 1 else f"#{start}–#{stop - 1}" for start, stop in runs]
    return ", ".join(named[:_MOST]) + (" …" if len(named) > _MOST else "")
