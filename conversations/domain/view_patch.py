"""A view as a patch of another, which stores a revision without its parent's runs."""

from collections.abc import Iterator
from typing import Final

from conversations.domain.runs import Run
from conversations.domain.varint import read_varints, write_varints
from conversations.domain.view import View

_SLICE: Final = 0
_RUN: Final = 1


def encode_patch(base: View, view: View) -> bytes:
    """Returns ``view`` as slices of ``base`` and runs of its own; small if they share most.

    Costs the runs of both. ``apply_patch`` with the same base decodes it.
    """
    numbers: list[int] = []
    for kind, start, stop in _merge_slices(_pieces(base, view)):
        numbers += (kind, start, stop - start)
    return write_varints(numbers)


def apply_patch(base: View, patch: bytes) -> View:
    """Returns the view of ``encode_patch(base, view)``; raises ValueError for other bytes."""
    numbers = read_varints(patch)
    if len(numbers) % 3:
        raise ValueError("a patch is a list of triples")
    runs: list[Run] = []
    for place in range(0, len(numbers), 3):
        kind, start, length = numbers[place : place + 3]
        if kind == _SLICE:
            runs += base.slice(start, start + length).runs
        elif kind == _RUN:
            runs.append((start, start + length))
        else:
            raise ValueError("an unknown piece in a patch")
    return View(runs)


def _pieces(base: View, view: View) -> Iterator[tuple[int, int, int]]:
    """Cuts every run of ``view`` into slices of the positions of ``base`` and runs of its own."""
    for run in view.runs:
        for start, stop, position in base.places_of(*run):
            if position is None:
                yield _RUN, start, stop
            else:
                yield _SLICE, position, position + stop - start


def _merge_slices(pieces: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Merges slices that continue each other."""
    held: tuple[int, int, int] | None = None
    for piece in pieces:
        if held is not None and held[0] == piece[0] and held[2] == piece[1]:
            held = (held[0], held[1], piece[2])
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held
