"""Marks on a read-only canvas: what each means, and which elements have which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ctxadmin.ui.components import Text


@dataclass(frozen=True, slots=True)
class Sign:
    """A kind of mark: ``name`` has its color in graph.css, ``icon`` and ``word`` describe it."""

    name: str
    icon: str
    word: Text


@dataclass(frozen=True, slots=True)
class CanvasMark:
    """The mark of one element: the name of its sign, and its text."""

    sign: str
    text: Text


@dataclass(frozen=True, slots=True)
class Marks:
    """All marks of a canvas by element id; ``summary`` is its state in one line.

    ``signs`` are those that the legend explains, in its order.
    """

    summary: str
    icon: str
    signs: Sequence[Sign]
    nodes: Mapping[str, CanvasMark] = field(default_factory=dict)
    edges: Mapping[str, CanvasMark] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Returns the marks as the island reads them (frontend/src/graph/io/setup.ts)."""
        return {
            "said": self.summary,
            "icon": self.icon,
            "signs": [[each.name, each.icon, str(each.word)] for each in self.signs],
            "nodes": _listed(self.nodes),
            "edges": _listed(self.edges),
        }


def _listed(marks: Mapping[str, CanvasMark]) -> dict[str, list[str]]:
    return {name: [mark.sign, str(mark.text)] for name, mark in marks.items()}
