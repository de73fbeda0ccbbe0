"""The workflow of an execution as a small map: done, current, and next nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.urls import reverse
from django.utils.translation import gettext as _

from checkpoints.pages.presenters import PathNode, PositionView
from checkpoints.store.snapshots import StoredSnapshot
from workflows.pages.drawing.svg import DrawnEdge, draw, shorten

_TITLE: Final = 18  # letters that fit a node of the map


@dataclass(frozen=True, slots=True)
class MapNode:
    """A node at its place; the current one is marked in addition to its state."""

    x: float
    y: float
    title: str
    state: Literal["done", "ready", "open"]
    current: bool
    done: int


@dataclass(frozen=True, slots=True)
class GraphMap:
    """The data of the SVG; ``description`` describes the position for screen readers.

    ``url`` leads to the canvas, where each node and edge shows its activity.
    """

    nodes: Sequence[MapNode]
    lines: Sequence[DrawnEdge]
    view_box: str
    width: int
    height: int
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
    return GraphMap(
        nodes=[
            _node(card.x, card.y, " ".join(row.text for row in card.title), known[card.id])
            for card in drawing.cards
            if card.id in known
        ],
        lines=drawing.lines,
        view_box=drawing.view_box,
        width=drawing.width,
        height=drawing.height,
        card_width=drawing.card_width,
        card_height=drawing.card_height,
        description=_spoken(position),
        url=reverse("checkpoints:canvas", args=[moment.head.public_id]),
    )


def _node(x: float, y: float, title: str, step: PathNode) -> MapNode:
    state: Literal["done", "ready", "open"] = "open"
    if step.ready:
        state = "ready"
    elif step.done:
        state = "done"
    return MapNode(x, y, shorten(title, _TITLE), state, step.current, step.done or 0)


def _spoken(position: PositionView) -> str:
    if position.node is None:
        return _("Workflow map: nothing has run yet")
    return _("Workflow map: currently at %(node)s") % {"node": position.node.name}
