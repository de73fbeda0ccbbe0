"""Places of cards that only the former of two compared graphs has."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from workflows.domain.document.graph import Document, Node, Position
from workflows.domain.document.layout import CARD_HEIGHT, CARD_WIDTH, NodePosition
from workflows.pages.drawing.svg import leads_down

# As lines run around cards on the canvas (frontend/src/graph/model/lines.ts).
_GAP: Final = 24
_LANE: Final = 28
_ASIDE: Final = 12
_CLEAR: Final = 12
# Between a card that gives way and others.
_STEP: Final = 10
_MOST_STEPS: Final = 120
# Looking for what is in the way is quadratic.
_MOST_CHECKED: Final = 250_000

Box = tuple[float, float, float, float]  # left, top, right, bottom


def place_ghosts(ghosts: Sequence[Node], others: Sequence[Node], merged: Document) -> list[Node]:
    """Returns ``ghosts`` where they cover neither the cards of ``others`` nor the line of a loop.

    Each stays where it was, or goes across the flow to the nearest free place, if there is one.
    ``merged`` is the document with all of both.
    """
    spots = {
        node.id: NodePosition(node.position.x, node.position.y)
        for node in others
        if node.position is not None
    }
    if not spots or len(ghosts) * (len(spots) + len(merged.edges)) > _MOST_CHECKED:
        return list(ghosts)
    ends = [
        (spots[edge.from_node], spots[edge.to_node])
        for edge in merged.edges
        if edge.from_node in spots and edge.to_node in spots
    ]
    downwards = leads_down(ends)
    taken = [_card(spot) for spot in spots.values()]
    taken += [box for start, end in ends for box in _loop(start, end, downwards=downwards)]
    placed: list[Node] = []
    for ghost in ghosts:
        if ghost.position is None:
            placed.append(ghost)
            continue
        wished = NodePosition(ghost.position.x, ghost.position.y)
        spot = _free(wished, taken, downwards=downwards)
        taken.append(_card(spot))
        placed.append(ghost.model_copy(update={"position": Position(x=spot.x, y=spot.y)}))
    return placed


def _free(wished: NodePosition, taken: Sequence[Box], *, downwards: bool) -> NodePosition:
    for step in range(_MOST_STEPS):
        for by in (step * _STEP, -step * _STEP):
            spot = NodePosition(wished.x + by * downwards, wished.y + by * (not downwards))
            if not _is_taken(_card(spot), taken):
                return spot
    return wished


def _is_taken(card: Box, taken: Iterable[Box]) -> bool:
    left, top, right, bottom = card
    return any(
        left < box[2] + _CLEAR
        and right > box[0] - _CLEAR
        and top < box[3] + _CLEAR
        and bottom > box[1] - _CLEAR
        for box in taken
    )


def _card(spot: NodePosition) -> Box:
    return spot.x, spot.y, spot.x + CARD_WIDTH, spot.y + CARD_HEIGHT


def _loop(start: NodePosition, end: NodePosition, *, downwards: bool) -> Iterator[Box]:
    """Returns the straight parts of a line that leads back around cards; none of one ahead."""
    if start is end:
        return
    if downwards and end.y < start.y and end.x < start.x + CARD_WIDTH + _GAP:
        lane = max(start.x, end.x) + CARD_WIDTH + _LANE
        levels = (
            start.y + CARD_HEIGHT / 2 + _ASIDE,
            end.y + CARD_HEIGHT / 2 - _ASIDE,
        )
        for spot, level in zip((start, end), levels, strict=True):
            yield spot.x + CARD_WIDTH, level, lane, level
        yield lane, min(levels), lane, max(levels)
    elif not downwards and end.x < start.x + CARD_WIDTH + _GAP and _is_over(start, end):
        lane = min(start.y, end.y) - _LANE
        columns = (start.x + CARD_WIDTH / 2, end.x + CARD_WIDTH / 2)
        for spot, column in zip((start, end), columns, strict=True):
            yield column - _ASIDE, lane, column + _ASIDE, spot.y
        yield min(columns), lane, max(columns), lane


def _is_over(start: NodePosition, end: NodePosition) -> bool:
    """Returns True unless the line goes straight down to a card below."""
    return end.y < start.y + CARD_HEIGHT + _GAP
