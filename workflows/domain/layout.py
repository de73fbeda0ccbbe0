"""Places for nodes that have none, in layers from the starts on."""

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.domain.topology import Graph


@dataclass(frozen=True, slots=True)
class Place:
    """The upper left corner of a node's card, in canvas units."""

    x: float
    y: float


def place(graph: Graph) -> Mapping[str, Place]:
    """A place for every node: its own position, else one in the layers; deterministic."""
    raise NotImplementedError
