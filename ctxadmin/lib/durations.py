"""Durations as people type them: ``5 min``, ``1 h 30 min``, ``2 d``."""

import re
from typing import Final

_SECONDS: Final = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}
_SPELLINGS: Final = {
    "d": ("d", "day", "days", "天", "日"),
    "h": ("h", "hr", "hrs", "hour", "hours", "小时", "时"),
    "min": ("min", "mins", "m", "minute", "minutes", "分钟", "分"),
    "s": ("s", "sec", "secs", "second", "seconds", "秒"),
}
_UNITS: Final = {spelling: unit for unit, names in _SPELLINGS.items() for spelling in names}
_PART: Final = re.compile(r"\s*([0-9]{1,12}(?:[.][0-9]{1,6})?)\s*([^\W\d]+)")
_LONGEST_TEXT: Final = 100


def parse_duration(text: str) -> int | None:
    """Returns the whole seconds that a text names, None if it is not a duration.

    Each number has its unit, each unit occurs once, the larger first; ``1.5 h`` is 90 minutes.
    """
    if len(text) > _LONGEST_TEXT:
        return None
    left, at, total = list(_SECONDS), 0, 0.0
    while match := _PART.match(text, at):
        unit = _UNITS.get(match[2].casefold())
        if unit not in left:
            return None
        left = left[left.index(unit) + 1 :]
        total += float(match[1]) * _SECONDS[unit]
        at = match.end()
    if at == 0 or text[at:].strip() or total != int(total):
        return None
    return int(total)


def duration_text(seconds: int) -> str:
    """Returns a duration as it would be typed, with the fewest units that are exact."""
    parts, left = [], seconds
    for unit, length in _SECONDS.items():
        count, left = divmod(left, length)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts) or "0 s"
