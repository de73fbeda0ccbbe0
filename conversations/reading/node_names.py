"""The name of the node that wrote a message: the app that runs executions knows it."""

from collections.abc import Callable

from conversations.models import Conversation

NodeNameSource = Callable[[int, str], str]

_sources: list[NodeNameSource] = []


def register_node_name_source(source: NodeNameSource) -> None:
    """Registers what returns the name of a node by a conversation's key and the node's id."""
    _sources[:] = [source]


def name_of_node(head: Conversation, node_id: str) -> str:
    """Returns the name of a node in what the conversation executes, its id if it has none."""
    if not node_id:
        return ""
    return next((source(head.key, node_id) for source in _sources), "") or node_id
