"""Ranges of the time that paused executions have waited."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import pairwise
from typing import Final

_UP_TO: Final[Mapping[str, timedelta]] = {
    "10m": timedelta(minutes=10),
    "1h": timedelta(hours=1),
    "1d": timedelta(days=1),
    "7d": timedelta(days=7),
}
_BOUNDS: Final = (timedelta(0), *_UP_TO.values(), None)
# Each range by its name: waited at least the first time, and less than the second, None for any.
WAITS: Final[Mapping[str, tuple[timedelta, timedelta | None]]] = {
    name: (least or timedelta(0), most)
    for name, (least, most) in zip((*_UP_TO, "longer"), pairwise(_BOUNDS), strict=True)
}
