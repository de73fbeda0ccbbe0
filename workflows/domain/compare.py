"""The difference of two workflow documents, element by element."""

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from workflows.domain.graph import Document


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One changed place of an element: a JSON pointer below it; ``before``/``after`` if there."""

    path: str
    kind: Literal["added", "removed", "changed"]
    before: JsonValue = None
    after: JsonValue = None


@dataclass(frozen=True, slots=True)
class ElementChange:
    """One node, edge, reducer or field of the workflow itself that differs.

    ``id`` is the element's id, a reducer's pattern, or the name of a field of the document.
    """

    element: Literal["workflow", "node", "edge", "reducer"]
    id: str
    kind: Literal["added", "removed", "changed"]
    fields: tuple[FieldChange, ...] = ()

    def as_json(self) -> dict[str, JsonValue]:
        raise NotImplementedError


def compare(before: Document, after: Document) -> list[ElementChange]:
    """What changed from ``before`` to ``after``: workflow, nodes, edges, reducers, in that order."""
    raise NotImplementedError
