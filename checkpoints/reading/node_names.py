"""The names of the nodes of a conversation's current execution."""

from checkpoints.store.executions import find_current
from workflows.reading.node_names import node_names


def name_in_execution(conversation: int, node_id: str) -> str:
    """Returns a node's name in the workflow to which the execution is pinned, "" without one."""
    row = find_current(conversation)
    if row is None:
        return ""
    place = (row.workflow_key, row.workflow_version, node_id)
    return node_names({place}).get(place, "")
