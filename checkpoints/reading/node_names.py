"""The names of the nodes of conversations' current executions."""

from collections.abc import Collection

from checkpoints.store.executions import current_executions
from workflows.reading.node_names import node_names


def names_in_executions(nodes: Collection[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Returns names by a conversation's key and a node's id, in the workflow that it executes.

    A node without a name, and one of an execution without a workflow, is left out.
    """
    rows = current_executions({key for key, _node in nodes})
    rows = rows.filter(workflow_version__isnull=False)
    fields = ("conversation", "workflow_key", "workflow_version")
    executed = {key: version for key, *version in rows.values_list(*fields)}
    places = {(key, node): (*executed[key], node) for key, node in nodes if key in executed}
    named = node_names(set(places.values()))
    return {each: named[place] for each, place in places.items() if place in named}
