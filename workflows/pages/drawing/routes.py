"""Routes of edges between cards: along the flow, across it, or around other cards."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from workflows.domain.document.layout import CARD_HEIGHT, CARD_WIDTH, NodePosition

# Named for a flow from left to right; a flow downwards is the same with x and y exchanged.
Shape = Literal["along", "across", "back", "over", "under", "self"]
Point = tuple[float, float]

_CLEAR: Final = 30  # between the cards and the first lane around them
_LANE: Final = 34  # between two lanes: a chip is 24 high
_CORNER: Final = 10
# Looking for cards in the way is quadratic; a graph larger than this is drawn without it.
_MOST_CHECKED: Final = 250_000
_CHIP_SPOTS: Final = (0.5, 0.35, 0.65, 0.22, 0.78)


@dataclass(frozen=True, slots=True)
class Route:
    """The route of one edge: an SVG path, and points on it for its chip, best first."""

    path: str
    spots: Sequence[Point]


@dataclass(slots=True)
class _Way:
    """An edge during routing; ports are shares of the card's side, 0 to 1."""

    start: NodePosition
    end: NodePosition
    shape: Shape
    out: float = 0.5
    into: float = 0.5


def routes(
    places: Mapping[str, NodePosition], ends: Sequence[tuple[str, str]], *, downwards: bool = False
) -> list[Route]:
    """Returns a route for each pair of nodes; edges on one side share it evenly."""
    return _Router(places, downwards).routes(ends)


class _Router:
    """Routes the edges of one graph: cards are ``length`` along the flow and ``breadth`` across."""

    def __init__(self, places: Mapping[str, NodePosition], downwards: bool) -> None:
        self._downwards = downwards
        self._length, self._breadth = CARD_WIDTH, CARD_HEIGHT
        self._places = places
        if downwards:
            self._length, self._breadth = CARD_HEIGHT, CARD_WIDTH
            self._places = {name: NodePosition(spot.y, spot.x) for name, spot in places.items()}
        self._lane = _LANE + (CARD_WIDTH - CARD_HEIGHT) * 0.6 * downwards  # chips lie flat
        self._taken: list[tuple[float, float, float]] = []

    def routes(self, ends: Sequence[tuple[str, str]]) -> list[Route]:
        check = len(self._places) * len(ends) <= _MOST_CHECKED
        ways = [self._route_of(source, target, check) for source, target in ends]
        _spread_ports(ways, ends)
        return [self._routed(way) for way in ways]

    def _route_of(self, source: str, target: str, check: bool) -> _Way:
        start, end = self._places[source], self._places[target]
        if source == target:
            return _Way(start, end, "self")
        if end.x >= start.x + self._length + 24:
            if check and self._is_blocked(self._places.values(), start, end):
                return _Way(start, end, self._freer("over", "under", start, end))
            return _Way(start, end, "along")
        near = abs(end.x - start.x) < self._length * 1.5
        if end.y >= start.y + self._breadth + 16 and near:
            return _Way(start, end, "across")
        if near and 16 <= start.y - end.y - self._breadth <= self._breadth * 1.5:
            return _Way(start, end, "back")
        return _Way(start, end, self._freer("under", "over", start, end) if check else "under")

    def _freer(self, wanted: Shape, other: Shape, start: NodePosition, end: NodePosition) -> Shape:
        """Returns the side with fewer cards next to the ends, behind which the route would run."""
        beside = {"over": 0, "under": 0}
        for card in self._places.values():
            for spot in (start, end):
                if card is not spot and abs(card.x - spot.x) < self._length:
                    beside["over" if card.y < spot.y else "under"] += 1
        return other if beside[other] < beside[wanted] else wanted

    def _is_blocked(
        self, cards: Collection[NodePosition], start: NodePosition, end: NodePosition
    ) -> bool:
        """Returns True if a card is between two others on the straight route."""
        left, right = start.x + self._length, end.x
        for card in cards:
            if card is start or card is end or not left < card.x + self._length / 2 < right:
                continue
            share = (card.x + self._length / 2 - left) / max(right - left, 1)
            level = start.y + (end.y - start.y) * share + self._breadth / 2
            if card.y - 8 < level < card.y + self._breadth + 8:
                return True
        return False

    def _routed(self, way: _Way) -> Route:
        start, end, length, breadth = way.start, way.end, self._length, self._breadth
        match way.shape:
            case "along":
                first = start.x + length, start.y + breadth * way.out
                return self._curve(first, (end.x, end.y + breadth * way.into), along=True)
            case "across":
                first = start.x + length * way.out, start.y + breadth
                return self._curve(first, (end.x + length * way.into, end.y), along=False)
            case "back":  # beside the ways that come across
                first = start.x + length * (0.6 + way.out * 0.3), start.y
                last = end.x + length * (0.6 + way.into * 0.3), end.y + breadth
                return self._curve(first, last, along=False)
            case "self":
                out, into = start.x + length * 0.65, start.x + length * 0.9
                return self._around((out, start.y), (into, start.y), self._above(out, into))
            case "over":
                out, into = start.x + length * (0.5 + way.out) / 2, end.x + length * way.into / 2
                return self._around((out, start.y), (into, end.y), self._above(out, into))
        out, into = start.x + length * way.out, end.x + length * way.into
        ends = (out, start.y + breadth), (into, end.y + breadth)
        return self._around(*ends, self._below(out, into))

    def _above(self, one: float, other: float) -> float:
        left, right = min(one, other), max(one, other)
        tops = [card.y for card in self._between(left, right)]
        return self._free(min(tops, default=0) - _CLEAR, -self._lane, left, right)

    def _below(self, one: float, other: float) -> float:
        left, right = min(one, other), max(one, other)
        bottoms = [card.y + self._breadth for card in self._between(left, right)]
        return self._free(max(bottoms, default=0) + _CLEAR, self._lane, left, right)

    def _between(self, left: float, right: float) -> list[NodePosition]:
        cards = self._places.values()
        return [card for card in cards if card.x < right and card.x + self._length > left]

    def _free(self, level: float, step: float, left: float, right: float) -> float:
        """Returns a level at which no other detour runs next to this one."""
        while any(
            abs(level - other) < abs(step) and start < right and stop > left
            for other, start, stop in self._taken
        ):
            level += step
        self._taken.append((level, left, right))
        return level

    def _curve(self, start: Point, end: Point, *, along: bool) -> Route:
        (x1, y1), (x2, y2) = start, end
        if along:
            bend = max((x2 - x1) / 2, 24)
            first, second = (x1 + bend, y1), (x2 - bend, y2)
        else:
            bend = (y2 - y1) / 2
            first, second = (x1, y1 + bend), (x2, y2 - bend)
        path = self._drawn(("M", start), ("C", first, second, end))
        spots = [self._turned(_bezier(start, first, second, end, t)) for t in _CHIP_SPOTS]
        return Route(path, spots)

    def _around(self, start: Point, end: Point, level: float) -> Route:
        """Returns a path aside to ``level``, along it, and back."""
        (x1, y1), (x2, y2) = start, end
        side = 1 if x2 >= x1 else -1
        corner = min(_CORNER, abs(x2 - x1) / 2, abs(level - y1), abs(level - y2))
        rise = 1 if level >= y1 else -1
        fall = 1 if level >= y2 else -1
        path = self._drawn(
            ("M", start),
            ("L", (x1, level - rise * corner)),
            ("Q", (x1, level), (x1 + side * corner, level)),
            ("L", (x2 - side * corner, level)),
            ("Q", (x2, level), (x2, level - fall * corner)),
            ("L", end),
        )
        spots = [self._turned((x1 + (x2 - x1) * share, level)) for share in _CHIP_SPOTS]
        return Route(path, spots)

    def _turned(self, point: Point) -> Point:
        return (point[1], point[0]) if self._downwards else point

    def _drawn(self, *steps: tuple[str, *tuple[Point, ...]]) -> str:
        return "".join(
            letter + " ".join(f"{x:g} {y:g}" for x, y in map(self._turned, points))
            for letter, *points in steps
        )


def _spread_ports(ways: Sequence[_Way], ends: Sequence[tuple[str, str]]) -> None:
    """Spreads the edges on one side of a card, in the order of their far ends."""
    leaving: dict[tuple[str, Shape], list[_Way]] = {}
    reaching: dict[tuple[str, Shape], list[_Way]] = {}
    for way, (source, target) in zip(ways, ends, strict=True):
        leaving.setdefault((source, way.shape), []).append(way)
        reaching.setdefault((target, way.shape), []).append(way)
    for (_node, shape), group in leaving.items():
        group.sort(key=lambda way: way.end.y if shape == "along" else way.end.x)
        for number, way in enumerate(group):
            way.out = (number + 1) / (len(group) + 1)
    for (_node, shape), group in reaching.items():
        group.sort(key=lambda way: way.start.y if shape == "along" else way.start.x)
        for number, way in enumerate(group):
            way.into = (number + 1) / (len(group) + 1)


def _bezier(start: Point, first: Point, second: Point, end: Point, t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    points = (start, first, second, end)
    x = sum(weight * point[0] for weight, point in zip(weights, points, strict=True))
    y = sum(weight * point[1] for weight, point in zip(weights, points, strict=True))
    return x, y
