"""The graph of a workflow as positions and paths of an SVG."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from ctxadmin.ui.components import Text, Tone
from ctxadmin.ui.visible_text import plain
from workflows.domain.checks.problems import Problem
from workflows.domain.document.graph import Document, Edge, Node
from workflows.domain.document.layout import CARD_HEIGHT, CARD_WIDTH, NodePosition, lay_out, layers
from workflows.domain.document.topology import Graph, graph_of
from workflows.domain.processors.registries import Registries, standard
from workflows.pages.drawing import summaries
from workflows.pages.drawing.routes import Point, Route, routes

# A page of this many cards has 1.2 MB; larger graphs are read in the outline.
MOST_DRAWN: Final = 1_000
# What a page of 1280 pixels shows beside its menu. A drawing downwards can be as wide.
_PAGE_WIDTH: Final = 1_000
# Wider than this, centred layers would leave the place empty at which reading begins.
_MOST_CENTRED: Final = 4
# The room that chips need between two columns, and between two rows of a drawing downwards.
_COLUMN: Final = CARD_WIDTH + 170
_ROW: Final = CARD_HEIGHT + 60
_BESIDE: Final = CARD_WIDTH + 90
_MARGIN: Final = 28
_CHIP_HEIGHT: Final = 24
# Chips are as wide as what they say, up to a card and a half; the whole is in their title.
_CHIP_TEXT: Final = 44
_LETTER: Final = 6.8
_CARD_TEXT: Final = 21
_LINE_TEXT: Final = 28
# Where the rows of a card are, by those of its title; type and filter are below it.
_ROWS: Final = {1: (27, 49, 70), 2: (22, 39, 57, 75)}


Mark = Literal["", "added", "removed", "changed"]
Marks = Mapping[tuple[str, str], Mark]
MARK_WORDS: Final[Mapping[Mark, Text]] = {
    "added": gettext_lazy("+ new"),
    "removed": gettext_lazy("− removed"),
    "changed": gettext_lazy("~ changed"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of text, and how far below the top of its card it is."""

    text: str
    y: int


@dataclass(frozen=True, slots=True)
class Card:
    """A node as it is drawn; ``description`` is its text for screen readers."""

    x: float
    y: float
    id: str
    title: Sequence[Row]
    kind: Row
    sees: Row
    tone: Tone
    icon: str
    description: str
    url: str
    errors: int
    warnings: int
    pauses: bool
    starts: bool
    current: bool = False
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge as it is drawn, with its chip; an edge without text has a point instead."""

    path: str
    id: str
    kind: str
    chip_x: float
    chip_y: float
    chip_width: float
    text: str
    text_x: float
    text_y: float
    description: str
    url: str
    faulty: bool
    warned: bool
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The data of the SVG; ``view_box`` is as wide and high as ``width`` and ``height``."""

    cards: Sequence[Card]
    lines: Sequence[DrawnEdge]
    view_box: str
    width: int
    height: int
    card_width: int = CARD_WIDTH
    card_height: int = CARD_HEIGHT


class Links:
    """The links of cards and chips; empty texts where there is nothing to open."""

    def node(self, node_id: str) -> str:
        return ""

    def edge(self, edge_id: str) -> str:
        return ""


def draw(
    document: Document,
    problems: Sequence[Problem] = (),
    links: Links | None = None,
    *,
    current: str = "",
    registries: Registries | None = None,
    marks: Marks | None = None,
) -> Drawing | None:
    """Draws a document; returns None for one without nodes or with more than MOST_DRAWN.

    Nodes have their own positions, the others are in layers. Of two elements with one id the first
    is drawn; edges to nodes that do not exist are not. ``marks`` describe how ("node", id) and
    ("edge", id) differ from another document.
    """
    if not document.nodes or len(document.nodes) > MOST_DRAWN or len(document.edges) > 4_000:
        return None
    graph = graph_of(document)
    known = registries or standard()
    places, downwards = positions_of(graph)
    drawer = _Drawer(problems, links or Links(), known, current, marks or {})
    cards = [
        drawer.card(node, places[node.id], starts=node.id in graph.starts)
        for node in graph.nodes.values()
    ]
    ends = [(edge.from_node, edge.to_node) for edge in graph.edges.values()]
    ways = routes(places, ends, downwards=downwards)
    chips = _Chips(places)
    # Marks get the best places, and are drawn over other words where there is no room.
    routed = list(zip(graph.edges.values(), ways, strict=True))
    marked = [drawer.line(*each, chips) for each in routed if drawer.is_marked(each[0])]
    others = [drawer.line(*each, chips) for each in routed if not drawer.is_marked(each[0])]
    lines = [*others, *marked]
    return _framed(cards, lines, ways)


def positions_of(graph: Graph) -> tuple[Mapping[str, NodePosition], bool]:
    """Returns the positions of the nodes, and whether the flow goes downward.

    Chosen positions are kept; layers get the room that chips need.
    """
    if any(node.position is not None for node in graph.nodes.values()):
        given = lay_out(graph)
        ends = ((given[edge.from_node], given[edge.to_node]) for edge in graph.edges.values())
        return given, leads_down(ends)
    found = layers(graph)
    widest = max(len(layer) for layer in found)
    # As on the canvas from top to bottom, unless so many stand side by side that that is wider.
    downwards = widest * _BESIDE <= max(len(found) * _COLUMN, _PAGE_WIDTH)
    places: dict[str, NodePosition] = {}
    for column, layer in enumerate(found):
        for row, name in enumerate(layer):
            aside = row + (widest - len(layer)) / 2 if widest <= _MOST_CENTRED else row
            if downwards:
                places[name] = NodePosition(aside * _BESIDE, column * _ROW)
            else:
                places[name] = NodePosition(column * _COLUMN, aside * (CARD_HEIGHT + 40))
    return places, downwards


def leads_down(ends: Iterable[tuple[NodePosition, NodePosition]]) -> bool:
    """Returns True if more edges lead to cards below than to cards beside, as on the canvas
    (flowOf in frontend/src/graph/model/lines.ts).
    """
    down = 0
    for one, other in ends:
        below = one is not other and abs(one.x - other.x) < CARD_WIDTH * 0.75
        beside = one is not other and abs(one.y - other.y) < CARD_HEIGHT * 0.75
        down += below - beside
    return down > 0


class _Drawer:
    """Draws cards and lines with their problems."""

    def __init__(
        self,
        problems: Sequence[Problem],
        links: Links,
        registries: Registries,
        current: str,
        marks: Marks,
    ) -> None:
        self._marks = marks
        self._links = links
        self._registries = registries
        self._current = current
        shown = [problem for problem in problems if problem.severity != "note"]
        self._nodes = Counter((problem.node, problem.severity) for problem in shown)
        self._edges = Counter((problem.edge, problem.severity) for problem in shown)

    def card(self, node: Node, spot: NodePosition, *, starts: bool) -> Card:
        kind_of = summaries.NODE_TYPE_WORDS.get(node.type, node.type)
        context_type = summaries.context_type_of(node)
        whole = summaries.CONTEXT_TYPE_WORDS.get(context_type, context_type)
        own = summaries.node_filters_line(node, self._registries)
        errors, warnings = self._nodes[node.id, "error"], self._nodes[node.id, "warning"]
        title = folded(node.name or node.id, _CARD_TEXT)
        *tops, kind_top, sees_top = _ROWS[len(title)]
        kind, sees = shorten(f"{kind_of} · {whole}", _LINE_TEXT), shorten(own, _LINE_TEXT)
        mark = self._marks.get(("node", node.id), "")
        return Card(
            x=round(spot.x, 1),
            y=round(spot.y, 1),
            id=node.id,
            title=[Row(text, top) for text, top in zip(title, tops, strict=True)],
            kind=Row(kind, kind_top),
            sees=Row(sees, sees_top),
            tone=summaries.tone_of(node.type),
            icon=summaries.icon_of(node.type),
            # Begins with what is seen, so that it can be called by it (WCAG 2.5.3).
            description=_marked(
                _spoken_node(
                    f"{' '.join(title)} {kind} {sees}".strip(), node, own, errors + warnings
                ),
                mark,
            ),
            url=self._links.node(node.id),
            errors=errors,
            warnings=warnings,
            pauses=node.config.get("pause") in ("before", "after"),
            starts=starts,
            current=node.id == self._current,
            mark=mark,
        )

    def is_marked(self, edge: Edge) -> bool:
        return bool(self._marks.get(("edge", edge.id)))

    def line(self, edge: Edge, way: Route, chips: "_Chips") -> DrawnEdge:
        passes = summaries.edge_filter_line(edge, self._registries)
        asked = (edge.condition or "").replace("context.", "")  # the whole stands in the title
        mark = self._marks.get(("edge", edge.id), "")
        parts = [str(MARK_WORDS[mark])] if mark else []
        parts += [_("if %(condition)s") % {"condition": asked}] if asked else []
        parts += [passes] if passes else []
        text = shorten(" · ".join(parts), _CHIP_TEXT)
        width = max(_width(text) * _LETTER + 18, _CHIP_HEIGHT) if text else _CHIP_HEIGHT
        x, y = chips.stand(way.spots, width)
        errors, warnings = self._edges[edge.id, "error"], self._edges[edge.id, "warning"]
        sentence = _marked(edge_sentence(edge, passes, errors + warnings), mark)
        return DrawnEdge(
            path=way.path,
            id=edge.id,
            kind=edge.type if edge.type in summaries.EDGE_TYPE_WORDS else "sequence",
            chip_x=round(x - width / 2, 1),
            chip_y=round(y - _CHIP_HEIGHT / 2, 1),
            chip_width=round(width, 1),
            text=text,
            text_x=round(x, 1),
            text_y=round(y, 1),
            # Begins with what is seen where the words of the edge do not have it (WCAG 2.5.3).
            description=sentence if text in sentence else f"{text}: {sentence}",
            url=self._links.edge(edge.id),
            faulty=errors > 0,
            warned=not errors and warnings > 0,
            mark=mark,
        )


def _marked(sentence: str, mark: Mark) -> str:
    """Returns the description of a node or an edge, with its change."""
    words: Mapping[Mark, str] = {
        "added": pgettext("of a node or an edge", "new"),
        "removed": pgettext("of a node or an edge", "removed"),
        "changed": pgettext("of a node or an edge", "changed"),
    }
    return _joined(sentence, words.get(mark, ""))


def _spoken_node(label: str, node: Node, own: str, problems: int) -> str:
    sentence = _("%(label)s, node %(id)s") % {"label": label, "id": node.id}
    words = _("filter: %(words)s") % {"words": own} if own else ""
    return _joined(sentence, words, _problem_count(problems))


def edge_sentence(
    edge: Edge, passes: str, problems: int, names: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Returns an edge as a sentence; its nodes by their ``names``, if they have one."""
    kind = summaries.EDGE_TYPE_WORDS.get(edge.type, edge.type)
    text = _("Edge from %(source)s to %(target)s, %(type)s") % {
        "source": names.get(edge.from_node) or edge.from_node,
        "target": names.get(edge.to_node) or edge.to_node,
        "type": kind,
    }
    condition = _("if %(condition)s") % {"condition": edge.condition} if edge.condition else ""
    words = _("passes: %(words)s") % {"words": passes} if passes else ""
    return _joined(text, condition, words, _problem_count(problems))


def _problem_count(count: int) -> str:
    return ngettext("%(n)s problem", "%(n)s problems", count) % {"n": count} if count else ""


def _joined(*phrases: str) -> str:
    """Returns the phrases that are not empty, as one line."""
    return pgettext("between phrases", ", ").join(phrase for phrase in phrases if phrase)


class _Chips:
    """Finds room for chips next to cards and other chips."""

    def __init__(self, places: Mapping[str, NodePosition]) -> None:
        self._cells: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}
        for spot in places.values():
            self._mark_taken(spot.x, spot.y, spot.x + CARD_WIDTH, spot.y + CARD_HEIGHT)

    def stand(self, spots: Sequence[Point], width: float) -> Point:
        """Returns the first free spot, else one near the best."""
        for shift in (0, -28, 28, -56, 56):
            for x, y in spots:
                if self._is_free(x, y + shift, width):
                    return self._reserve(x, y + shift, width)
        return self._reserve(*spots[0], width)

    def _reserve(self, x: float, y: float, width: float) -> Point:
        self._mark_taken(*_box(x, y, width))
        return x, y

    def _mark_taken(self, left: float, top: float, right: float, bottom: float) -> None:
        for cell in _cells(left, top, right, bottom):
            self._cells.setdefault(cell, []).append((left, top, right, bottom))

    def _is_free(self, x: float, y: float, width: float) -> bool:
        left, top, right, bottom = _box(x, y, width)
        return not any(
            left < other[2] and right > other[0] and top < other[3] and bottom > other[1]
            for cell in _cells(left, top, right, bottom)
            for other in self._cells.get(cell, ())
        )


def _box(x: float, y: float, width: float) -> tuple[float, float, float, float]:
    half = width / 2 + 2
    return x - half, y - _CHIP_HEIGHT / 2 - 2, x + half, y + _CHIP_HEIGHT / 2 + 2


def _cells(left: float, top: float, right: float, bottom: float) -> Iterator[tuple[int, int]]:
    for column in range(int(left // 256), int(right // 256) + 1):
        for row in range(int(top // 256), int(bottom // 256) + 1):
            yield column, row


def _framed(cards: Sequence[Card], lines: Sequence[DrawnEdge], ways: Sequence[Route]) -> Drawing:
    boxes: list[tuple[float, float, float, float]] = [
        (card.x, card.y, CARD_WIDTH, CARD_HEIGHT) for card in cards
    ]
    boxes += [(line.chip_x, line.chip_y, line.chip_width, _CHIP_HEIGHT) for line in lines]
    boxes += [(*spot, 0, 0) for way in ways for spot in way.spots]
    left = min(box[0] for box in boxes) - _MARGIN
    top = min(box[1] for box in boxes) - _MARGIN
    width = max(box[0] + box[2] for box in boxes) + _MARGIN - left
    height = max(box[1] + box[3] for box in boxes) + _MARGIN - top
    view_box = f"{left:g} {top:g} {width:g} {height:g}"
    return Drawing(cards, lines, view_box, round(width), round(height))


def folded(text: str, most: int) -> list[str]:
    """Returns ``text`` in one or two rows of about ``most`` letters, cut as ``shorten`` cuts.

    The first ends between words if one fits, and between wide letters.
    """
    text = plain(" ".join(text.split()))
    if _width(text) <= most:
        return [text]
    end = used = 0
    for place, letter in enumerate(text):
        if letter == " " or _letter(letter) > 1:
            end = place
        used += _letter(letter)
        if used > most:
            break
    end = end or place
    return [text[:end].rstrip(), shorten(text[end:].lstrip(), most)]


def shorten(text: str, most: int) -> str:
    """Returns ``text`` cut to about ``most`` letters of usual width; wide letters count as two.

    Invisible characters appear as their code points.
    """
    text = plain(" ".join(text.split()))
    if _width(text) <= most:
        return text
    kept, used = "", 0
    for letter in text:
        used += _letter(letter)
        if used > most - 1:
            break
        kept += letter
    return kept.rstrip() + "…"


def _width(text: str) -> int:
    return sum(_letter(letter) for letter in text)


def _letter(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
