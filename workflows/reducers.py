"""The reducers that a workflow may name for the keys of its state."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ReducerName:
    """A reducer by its name, what it does, and the keys that have it without being told."""

    name: str
    description: str
    default_for: tuple[str, ...] = ()


# The functions stand in checkpoints, which run them; a test compares the names of both.
REDUCERS: Final = (
    ReducerName("add_by_id", "Replaces the element with the same id, or appends it."),
    ReducerName("append", "Appends a list to the existing one.", ("messages", "execution_history")),
    ReducerName("increment", "Adds a number to the number that is there, from 0 on."),
    ReducerName("max", "Keeps the larger of two numbers."),
    ReducerName("merge", "Sets the given keys of an object and keeps its others."),
    ReducerName("overwrite", "Takes the place of what is there.", ("*_output", "*")),
)
