"""The field of a message that makes it a line about hidden messages (semantics 4.6)."""

from typing import Final

from pydantic import JsonValue

from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs

POINTS_TO: Final = "points_to"
HOW: Final = "Recall one in full by its number or id."

LINE_TOKENS: Final = 64
"""No line is estimated at more tokens; a budget reserves as many for it."""


def read_points_to(role: str, value: JsonValue) -> Runs:
    """The log indices that a logged message points to, ascending; nothing if it is no line.

    A message that is older than these lines may have a field of this name: then it is data.
    """
    if role != "system" or not isinstance(value, dict) or set(value) != {"runs", "count"}:
        return ()
    runs = value["runs"]
    if not isinstance(runs, list):
        return ()
    pairs = [tuple(run) for run in runs if isinstance(run, list) and len(run) == 2]
    whole = [(a, b) for a, b in pairs if type(a) is type(b) is int and 0 <= a < b]
    return run_sets.union(whole) if len(whole) == len(runs) else ()


def emptied_text(placeholder: str, index: int, *, leaves_pointer: bool) -> str:
    """What stands in the place of an emptied result; it names the message that had the content."""
    return f"{placeholder} [Message {index}. {HOW}]" if leaves_pointer else placeholder
