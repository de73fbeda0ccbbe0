"""Ways of edges between cards: right, down, or around what stands between."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from workflows.domain.layout import CARD_HEIGHT, CARD_WIDTH, Place

Shape = Literal["right", "down", "over", "under", "self"]

_CLEAR: Final = 30  # between the cards and the first lane around them
_LANE: Final = 34  # between two lanes: a chip is 24 high
_CORNER: Final = 10
# Looking for cards in the way is quadratic; a graph larger than this is drawn without it.
_MOST_CHECKED: Final = 250_000

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Route:
    """The way of one edge: an SVG path, and points on it where its chip may stand, best first."""

    path: str
    spots: Sequence[Point]


@dataclass(slots=True)
class _Way:
    """An edge while its way is looked for; ports are shares of the card's side, 0 to 1."""

    start: Place
    end: Place
    shape: Shape
    out: float = 0.5
    into: float = 0.5


def routes(places: Mapping[str, Place], ends: Sequence[tuple[str, str]]) -> list[Route]:
    """A way for each pair of nodes; edges that leave or reach one side share it evenly."""
    check = len(places) * len(ends) <= _MOST_CHECKED
    ways = [_way(places, source, target, check) for source, target in ends]
    _spread_ports(ways, ends)
    lanes = _Lanes(places)
    return [_routed(way, lanes) for way in ways]


def _way(places: Mapping[str, Place], source: str, target: str, check: bool) -> _Way:
    start, end = places[source], places[target]
    if source == target:
        return _Way(start, end, "self")
    if end.x >= start.x + CARD_WIDTH + 24:
        blocked = check and _is_blocked(places.values(), start, end)
        return _Way(start, end, "over" if blocked else "right")
    if end.y >= start.y + CARD_HEIGHT + 16 and abs(end.x - start.x) < CARD_WIDTH * 1.5:
        return _Way(start, end, "down")
    return _Way(start, end, "under")


def _is_blocked(cards: Collection[Place], start: Place, end: Place) -> bool:
    """True if a card stands between two others on the straight way."""
    left, right = start.x + CARD_WIDTH, end.x
    for card in cards:
        if card is start or card is end or card.x + CARD_WIDTH <= left or card.x >= right:
            continue
        share = (card.x + CARD_WIDTH / 2 - left) / max(right - left, 1)
        height = start.y + (end.y - start.y) * min(max(share, 0), 1) + CARD_HEIGHT / 2
        if card.y - 8 < height < card.y + CARD_HEIGHT + 8:
            return True
    return False


def _spread_ports(ways: Sequence[_Way], ends: Sequence[tuple[str, str]]) -> None:
    """Give the edges on one side of a card places of their own, in the order of their far ends."""
    leaving: dict[tuple[str, Shape], list[_Way]] = {}
    reaching: dict[tuple[str, Shape], list[_Way]] = {}
    for way, (source, target) in zip(ways, ends, strict=True):
        leaving.setdefault((source, way.shape), []).append(way)
        reaching.setdefault((target, way.shape), []).append(way)
    for (_node, shape), group in leaving.items():
        group.sort(key=lambda way: (way.end.y, way.end.x) if shape == "right" else (way.end.x, 0))
        for number, way in enumerate(group):
            way.out = (number + 1) / (len(group) + 1)
    for (_node, shape), group in reaching.items():
        group.sort(
            key=lambda way: (way.start.y, way.start.x) if shape == "right" else (way.start.x, 0)
        )
        for number, way in enumerate(group):
            way.into = (number + 1) / (len(group) + 1)


class _Lanes:
    """Levels above and below the cards, so that ways around them do not lie on each other."""

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._cards = sorted(places.values(), key=lambda card: card.x)
        self._taken: list[tuple[float, float, float]] = []

    def above(self, left: float, right: float) -> float:
        tops = [card.y for card in self._between(left, right)]
        return self._free(min(tops, default=0) - _CLEAR, -_LANE, left, right)

    def below(self, left: float, right: float) -> float:
        bottoms = [card.y + CARD_HEIGHT for card in self._between(left, right)]
        return self._free(max(bottoms, default=0) + _CLEAR, _LANE, left, right)

    def _between(self, left: float, right: float) -> list[Place]:
        return [card for card in self._cards if card.x < right and card.x + CARD_WIDTH > left]

    def _free(self, level: float, step: float, left: float, right: float) -> float:
        while any(
            abs(level - other) < abs(step) and start < right and stop > left
            for other, start, stop in self._taken
        ):
            level += step
        self._taken.append((level, left, right))
        return level


def _routed(way: _Way, lanes: _Lanes) -> Route:
    start, end = way.start, way.end
    match way.shape:
        case "right":
            return _curve(
                (start.x + CARD_WIDTH, start.y + CARD_HEIGHT * way.out),
                (end.x, end.y + CARD_HEIGHT * way.into),
                across=True,
            )
        case "down":
            return _curve(
                (start.x + CARD_WIDTH * way.out, start.y + CARD_HEIGHT),
                (end.x + CARD_WIDTH * way.into, end.y),
                across=False,
            )
        case "self":
            x, y = start.x + CARD_WIDTH, start.y
            level = lanes.above(x - 60, x)
            return _around((x - 60, y), (x - 20, y), level)
    out, into = start.x + CARD_WIDTH * (0.5 + way.out) / 2, end.x + CARD_WIDTH * way.into / 2
    left, right = min(out, into), max(out, into)
    if way.shape == "over":
        return _around((out, start.y), (into, end.y), lanes.above(left, right))
    out = start.x + CARD_WIDTH * way.out
    into = end.x + CARD_WIDTH * way.into
    left, right = min(out, into), max(out, into)
    return _around(
        (out, start.y + CARD_HEIGHT), (into, end.y + CARD_HEIGHT), lanes.below(left, right)
    )


def _curve(start: Point, end: Point, *, across: bool) -> Route:
    (x1, y1), (x2, y2) = start, end
    if across:
        bend = max((x2 - x1) / 2, 24)
        handles = (x1 + bend, y1), (x2 - bend, y2)
    else:
        bend = max((y2 - y1) / 2, 16)
        handles = (x1, y1 + bend), (x2, y2 - bend)
    (ax, ay), (bx, by) = handles
    path = f"M{x1:g} {y1:g}C{ax:g} {ay:g} {bx:g} {by:g} {x2:g} {y2:g}"
    spots = [_bezier(start, handles[0], handles[1], end, t) for t in (0.5, 0.35, 0.65, 0.22, 0.78)]
    return Route(path, spots)


def _bezier(start: Point, first: Point, second: Point, end: Point, t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    points = (start, first, second, end)
    x = sum(weight * point[0] for weight, point in zip(weights, points, strict=True))
    y = sum(weight * point[1] for weight, point in zip(weights, points, strict=True))
    return x, y


def _around(start: Point, end: Point, level: float) -> Route:
    """Up or down to ``level``, along it, and back."""
    (x1, y1), (x2, y2) = start, end
    side = 1 if x2 >= x1 else -1
    corner = min(_CORNER, abs(x2 - x1) / 2, abs(level - y1), abs(level - y2))
    rise = 1 if level >= y1 else -1
    fall = 1 if level >= y2 else -1
    path = (
        f"M{x1:g} {y1:g}V{level - rise * corner:g}"
        f"Q{x1:g} {level:g} {x1 + side * corner:g} {level:g}"
        f"H{x2 - side * corner:g}Q{x2:g} {level:g} {x2:g} {level - fall * corner:g}V{y2:g}"
    )
    middle = (x1 + x2) / 2
    spread = abs(x2 - x1)
    spots = [(middle + share * spread, level) for share in (0, -0.2, 0.2, -0.35, 0.35)]
    return Route(path, spots)
