"""Ids of new nodes and edges, from the name of the node or the ends of the edge."""

from collections.abc import Container
from typing import Final

from ctxadmin.lib.id_words import id_words
from workflows.domain.document.graph import Document

_MOST: Final = 64  # letters of an id
_MOST_OF_NAME: Final = 40


def new_node_id(document: Document, name: str | None, node_type: str) -> str:
    """Returns an id that no node has: ``draft-the-answer`` of a name, else of the type."""
    taken = {node.id for node in document.nodes}
    return free_id(_words(name or "") or _words(node_type) or "node", taken)


def new_edge_id(document: Document, from_node: str, to_node: str) -> str:
    """Returns an id that no edge has: ``draft-check`` of the nodes that it connects."""
    return free_id(f"{from_node}-{to_node}"[: _MOST - 4], {edge.id for edge in document.edges})


def free_id(preferred: str, used: Container[str]) -> str:
    """Returns ``preferred``, followed by a number if it is used."""
    found, number = preferred, 1
    while found in used:
        number += 1
        found = f"{preferred[: _MOST - len(str(number)) - 1]}-{number}"
    return found


def _words(name: str) -> str:
    return id_words(name, _MOST_OF_NAME)
