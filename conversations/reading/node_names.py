"""The names of the nodes that wrote messages: the app that runs executions knows them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

from conversations.models import Conversation

# The key of a conversation and the id of a node in what it executes.
WritingNode: TypeAlias = tuple[int, str]
NodeNameSource = Callable[[Collection[WritingNode]], Mapping[WritingNode, str]]

_sources: list[NodeNameSource] = []


def register_node_name_source(source: NodeNameSource) -> None:
    """Registers what returns the names of those nodes that have one."""
    _sources[:] = [source]


def names_of_writing_nodes(nodes: Iterable[WritingNode]) -> dict[WritingNode, str]:
    """Returns the names of nodes in what their conversations execute, the id of a nameless one."""
    asked = {each for each in nodes if each[1]}
    named = {}
    for source in _sources if asked else ():
        named = dict(source(asked))
    return {each: named.get(each, each[1]) for each in asked}


def names_of_nodes(head: Conversation, node_ids: Iterable[str]) -> dict[str, str]:
    """Returns the names by id of nodes in what one conversation executes."""
    found = names_of_writing_nodes((head.key, node_id) for node_id in node_ids)
    return {node_id: name for (_key, node_id), name in found.items()}
