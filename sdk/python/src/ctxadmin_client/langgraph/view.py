"""Computes the changes from the shown messages to those of a graph: pure rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from langchain_core.messages import BaseMessage

_MOST_OPERATIONS: Final = 20  # more changes are replaced by one: hide all, then append all


@dataclass(frozen=True, slots=True)
class Change:
    """First ``removed`` positions are hidden; the other changes use positions of ``new``.

    ``replaced`` positions get the new message, ``inserted`` are runs, and all messages from
    ``tail`` on are appended. With ``replaces_all`` everything is hidden and everything appended.
    """

    removed: Sequence[tuple[int, int]] = ()
    replaced: Sequence[int] = ()
    inserted: Sequence[tuple[int, int]] = ()
    tail: int = 0
    replaces_all: bool = False


@dataclass(slots=True)
class _Found:
    removed: list[tuple[int, int]] = field(default_factory=list)
    kept: list[tuple[int, int]] = field(default_factory=list)  # positions in old and new


def change(old: Sequence[BaseMessage], new: Sequence[BaseMessage]) -> Change:
    """Returns the change from the shown messages ``old`` to ``new``."""
    length = len(old)
    # Lists compare what is the same object first: 14 us for 5,000, a loop takes 95.
    if new[:length] == old:
        return Change(tail=length)
    found = _match(old, new)
    if found is None:
        return Change(replaces_all=True)
    kept = {place: before for before, place in found.kept}
    last = max(kept, default=-1)
    replaced = [place for place, before in kept.items() if not _same(old[before], new[place])]
    inserted = _runs([place for place in range(last) if place not in kept])
    if len(replaced) + len(inserted) > _MOST_OPERATIONS or len(found.removed) > 1_000:
        return Change(replaces_all=True)
    return Change(found.removed, replaced, inserted, last + 1)


def _match(old: Sequence[BaseMessage], new: Sequence[BaseMessage]) -> _Found | None:
    """Matches old and new messages; None if those that stay have another order."""
    by_id = {each.id: place for place, each in enumerate(old) if each.id is not None}
    found, following = _Found(), 0
    for place, message in enumerate(new):
        if message.id is not None:
            before = by_id.get(message.id)
        else:
            same = following < len(old) and _same(old[following], message)
            before = following if same else None
        if before is None:
            continue
        if before < following:
            return None
        if before > following:
            found.removed.append((following, before))
        found.kept.append((before, place))
        following = before + 1
    if following < len(old):
        found.removed.append((following, len(old)))
    return found


def _same(one: BaseMessage, other: BaseMessage) -> bool:
    return one is other or (one.id == other.id and one == other)


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs
