"""The workflow of an execution as a small map: done, current, and next nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.urls import reverse
from django.utils.translation import gettext as _

from checkpoints.pages.presenters import PathNode, PositionView
from checkpoints.store.snapshots import StoredSnapshot
from workflows.pages.drawing.svg import DrawnEdge, draw, shorten

# Pixels for each unit of the drawing: names of 30 units are 11.4 pixels high, large or small.
_SCALE: Final = 0.38
_LETTERS: Final = 12  # of usual width that fit one of the two lines of a node
# Units of the drawing that the map shows at most; of a larger one those around the current node.
_MOST_WIDE: Final = 2_400
_MOST_HIGH: Final = 1_440


@dataclass(frozen=True, slots=True)
class MapNode:
    """A node at its place; the current one is marked in addition to its state.

    ``lines`` are one or two lines of its name, with how often it ran if that is more than once.
    """

    x: float
    y: float
    lines: Sequence[str]
    state: Literal["done", "ready", "open"]
    current: bool


@dataclass(frozen=True, slots=True)
class GraphMap:
    """The data of the SVG; ``description`` describes the position for screen readers.

    ``width`` and ``height`` are in pixels. ``keeps`` is the side, or the middle, that stays in
    sight where the page is narrower. ``url`` leads to the canvas, which shows the whole workflow.
    """

    nodes: Sequence[MapNode]
    lines: Sequence[DrawnEdge]
    view_box: str
    width: int
    height: int
    keeps: Literal["xMin", "xMid", "xMax"]
    card_width: int
    card_height: int
    description: str
    url: str


def map_of(
    moment: StoredSnapshot, position: PositionView, steps: Sequence[PathNode]
) -> GraphMap | None:
    """Returns the map, None for a free execution and for a workflow too large to draw."""
    if moment.row is None or moment.pinned is None:
        return None
    drawing = draw(moment.pinned.workflow.document)
    if drawing is None:
        return None
    known = {step.id: step for step in steps}
    left, top, *_size = map(float, drawing.view_box.split())
    current = {step.id for step in steps if step.current}
    here = next((card for card in drawing.cards if card.id in current), None)
    x = here.x + drawing.card_width / 2 if here else left
    y = here.y + drawing.card_height / 2 if here else top
    left, width = _part(left, drawing.width, _MOST_WIDE, x)
    top, height = _part(top, drawing.height, _MOST_HIGH, y)
    return GraphMap(
        nodes=[_node(card.x, card.y, known[card.id]) for card in drawing.cards if card.id in known],
        lines=drawing.lines,
        view_box=f"{left:g} {top:g} {width:g} {height:g}",
        width=round(width * _SCALE),
        height=round(height * _SCALE),
        keeps=_side((x - left) / width),
        card_width=drawing.card_width,
        card_height=drawing.card_height,
        description=_spoken(position),
        url=reverse("checkpoints:canvas", args=[moment.head.public_id]),
    )


def _node(x: float, y: float, step: PathNode) -> MapNode:
    state: Literal["done", "ready", "open"] = "open"
    if step.ready:
        state = "ready"
    elif step.done:
        state = "done"
    return MapNode(x, y, _title_lines(step.name, step.done or 0), state, step.current)


def _part(start: float, length: float, most: float, middle: float) -> tuple[float, float]:
    """Returns where the shown part of a length begins, and how long it is."""
    if length <= most:
        return start, length
    return min(max(middle - most / 2, start), start + length - most), most


def _side(place: float) -> Literal["xMin", "xMid", "xMax"]:
    """Returns the side that is nearest to a place between 0 and 1."""
    if place < 1 / 3:
        return "xMin"
    return "xMid" if place < 2 / 3 else "xMax"


def _title_lines(title: str, done: int) -> Sequence[str]:
    """Returns a name in one or two lines; how often the node ran stands behind it."""
    title = shorten(title, 1_000)
    count = f" ×{done}" if done > 1 else ""
    if _fits(title + count):
        return [title + count]
    first = _line_of(title)
    rest = shorten(title[len(first) :], _LETTERS - len(count))
    return [first, f"{rest}{count}".strip()]


def _line_of(text: str) -> str:
    """Returns the words that fit one line; a part of the first if it does not fit."""
    kept = next(text[:end] for end in range(len(text), 0, -1) if end == 1 or _fits(text[:end]))
    words = kept.rsplit(" ", 1)
    broken = text[len(kept) :].strip() and text[len(kept)] != " "
    return words[0] if broken and len(words) > 1 else kept


def _fits(text: str) -> bool:
    return shorten(text, _LETTERS) == text.strip()


def _spoken(position: PositionView) -> str:
    if position.node is None:
        return _("Workflow map: nothing has run yet")
    return _("Workflow map: currently at %(node)s") % {"node": position.node.name}
