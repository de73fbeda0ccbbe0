"""Changes of the flow, apart from cards that only stand elsewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ctxadmin.lib.structural_diff import ABSENT, Difference
from workflows.domain.document.compare import ElementChange

_POSITION = "/position"


@dataclass(frozen=True, slots=True)
class FlowChanges:
    """The changes of the flow; a card's position is none.

    ``moved`` is the number of cards that stand elsewhere, ``placed`` of those that had no position
    before: the first card that someone moves writes the positions of all.
    """

    changes: Sequence[ElementChange] = ()
    moved: int = 0
    placed: int = 0


def flow_changes(changes: Iterable[ElementChange]) -> FlowChanges:
    """Returns the changes without positions, and how many cards moved."""
    kept: list[ElementChange] = []
    moved = placed = 0
    for change in changes:
        positions = [field for field in change.fields if _is_position(change, field)]
        if not positions:
            kept.append(change)
            continue
        if positions[0].path == _POSITION and positions[0].before is ABSENT:
            placed += 1
        else:
            moved += 1
        rest = tuple(field for field in change.fields if field not in positions)
        if rest:
            kept.append(replace(change, fields=rest))
    return FlowChanges(kept, moved, placed)


def _is_position(change: ElementChange, field: Difference) -> bool:
    path = field.path
    return change.element == "node" and (path == _POSITION or path.startswith(f"{_POSITION}/"))
