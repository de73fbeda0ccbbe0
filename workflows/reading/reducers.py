"""The reducers that a workflow can name for the keys of its state."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class ReducerName:
    """A reducer by its name, its effect, and the keys that have it by default."""

    name: str
    description: str
    default_for: tuple[str, ...] = ()


# The functions stand in checkpoints, which run them; a test compares the names of both.
REDUCERS: Final = (
    ReducerName("add_by_id", _("Replaces the element with the same id, or appends it.")),
    ReducerName(
        "append", _("Appends a list to the existing one."), ("messages", "execution_history")
    ),
    ReducerName("increment", _("Adds a number to the existing one, starting from 0.")),
    ReducerName("max", _("Keeps the larger of two numbers.")),
    ReducerName("merge", _("Sets the given keys of an object and keeps its others.")),
    ReducerName("overwrite", _("Replaces the existing value."), ("*_output", "*")),
)
