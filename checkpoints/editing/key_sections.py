"""The order of a form with many keys, and its sections: names that begin alike, ``customer.``."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

FROM: Final = 15  # keys, of which one is not seen at a glance
_LEAST: Final = 2
_SEPARATOR: Final = "."
_NUMBER: Final = re.compile("([0-9]+)")


@dataclass(frozen=True, slots=True)
class KeySection:
    """A section and the number of its keys, of which the form may show only some."""

    name: str
    count: int
    whole: bool = True

    @property
    def prefix(self) -> str:
        """Returns what the names of its keys begin with."""
        return self.name + _SEPARATOR


def sections_by_key(names: Sequence[str]) -> Mapping[str, str]:
    """Returns the section of each key that has one; none of them in a short form.

    A section has at least two keys with the same name before their first point.
    """
    if len(names) < FROM:
        return {}
    starts = {name: name.partition(_SEPARATOR)[0] for name in names if _SEPARATOR in name}
    counted = Counter(starts.values())
    return {name: start for name, start in starts.items() if start and counted[start] >= _LEAST}


def place_keys(names: Collection[str], proposed: Collection[str], others: str) -> dict[str, str]:
    """Returns the section of each key, "" for none, in the order of the form.

    Keys without a section come first, then sections by name. Among many keys those ``proposed``
    lead: few of them without sections, many with theirs; then other keys without one are the last
    section, ``others``.
    """
    first = frozenset(proposed if len(names) >= FROM else ()) & frozenset(names)
    are_many = len(first) >= FROM
    found = sections_by_key([name for name in names if are_many or name not in first])
    leading = {found.get(name, "") for name in first}
    other = others if are_many and leading != {""} else ""
    sections = {name: found.get(name, "" if name in first else other) for name in names}
    order = sorted(
        names,
        key=lambda name: (
            sections[name] not in leading,
            bool(other) and sections[name] == other,
            sections[name],
            name not in first,
            natural_order(name),
        ),
    )
    return {name: sections[name] for name in order}


def in_form_order(
    names: Collection[str], there: Collection[str], proposed: Collection[str], others: str
) -> list[str]:
    """Returns names in the order of a form: keys that are ``there`` already, then new ones."""
    placed = [name for name in place_keys(there, proposed, others) if name in names]
    return [*placed, *sorted(set(names) - set(placed), key=natural_order)]


def sections_in_order(sections: Mapping[str, str], shown: Collection[str]) -> list[KeySection]:
    """Returns each section with its number of keys, in the order of the form.

    ``sections`` are those of all keys, ``shown`` the keys that the form shows.
    """
    here = Counter(section for name, section in sections.items() if name in shown)
    counted = Counter(section for section in sections.values() if section)
    return [KeySection(name, count, count == here[name]) for name, count in counted.items()]


def natural_order(name: str) -> list[tuple[int, str]]:
    """Returns what names are sorted by so that ``line2`` comes before ``line14``."""
    parts = _NUMBER.split(name)
    return [(int(part[:300]) if place % 2 else -1, part) for place, part in enumerate(parts)]
