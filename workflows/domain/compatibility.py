"""Whether what a node will see is enough for it (semantics 2.11 and 1.11)."""

from dataclasses import dataclass

from workflows.domain.context import Sight
from workflows.domain.graph import Node


@dataclass(frozen=True, slots=True)
class Lack:
    """What a node would miss: names of what is missing, log indices of what a model rejects."""

    message: str
    missing: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()


def find_lack(node: Node, context_type: str, sight: Sight) -> Lack | None:
    """What ``sight`` lacks for a node of ``context_type``, or None."""
    raise NotImplementedError
