"""Moves the positions of an operation to a view that someone changed meanwhile.

Selected messages stay the selected ones, whatever is in their places now.
"""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from conversations.domain import runs
from conversations.domain.view import View
from conversations.pages.changes.forms import OperationRequest

Fields = dict[str, JsonValue]


def moved_positions(model: OperationRequest, before: View, now: View) -> Fields:
    """Returns the operation with the positions in ``now`` of its messages in ``before``.

    Leaves out what is gone, and options that are empty then.
    """
    fields: Fields = model.model_dump(mode="json", exclude_unset=True)
    for block in ("truncate", "insert", "replace", "summarize"):
        options = fields.get(block)
        if isinstance(options, dict):
            fields[block] = {**options, **_moved(options, before, now)}
    return fields


def _moved(options: Fields, before: View, now: View) -> Fields:
    moved: Fields = {}
    for name, value in options.items():
        if name in ("remove_first", "position") and isinstance(value, int):
            moved[name] = _first_from(value, before, now)
        if name == "index" and isinstance(value, int):
            moved[name] = next(_places(range(value, value + 1), before, now), None)
        if name == "range" and isinstance(value, dict) and "message" in options:
            pieces = _ranges([value], before, now)
            moved[name] = _whole(pieces) if isinstance(pieces, list) else None
        # They count in what other options leave, if there are any.
        if name == "remove_ranges" and isinstance(value, list) and not _others(options):
            moved[name] = _ranges(value, before, now)
    return moved


def _others(options: Fields) -> bool:
    beside = ("remove_ranges", "keep_system")
    return any(value is not None for name, value in options.items() if name not in beside)


def _ranges(ranges: list[JsonValue], before: View, now: View) -> JsonValue:
    pieces = runs.union(
        (int(str(each["start"])), int(str(each["end"])))
        for each in ranges
        if isinstance(each, dict)
    )
    wanted = runs.of_indices(sorted(_places(runs.indices(pieces), before, now)))
    found: list[JsonValue] = [{"start": start, "end": stop} for start, stop in wanted]
    return found or None


def _whole(pieces: list[JsonValue]) -> JsonValue:
    """Returns one range from the first of several to the last."""
    first, last = pieces[0], pieces[-1]
    if not isinstance(first, dict) or not isinstance(last, dict):
        return None
    return {"start": first["start"], "end": last["end"]}


def _first_from(position: int, before: View, now: View) -> int:
    """Returns the new position of the first remaining message from a position on.

    -1 stays the end.
    """
    if position < 0:
        return position
    places = _places(range(position, len(before)), before, now)
    return next(places, len(now))


def _places(positions: Iterable[int], before: View, now: View) -> Iterator[int]:
    for position in positions:
        if position >= len(before):
            return
        place = now.position_of(before.index_at(position))
        if place is not None:
            yield place
