"""Ids that are the same after a crash, and what a run does next: pure rules."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ctxadmin_client.answers import Snapshot

_LONGEST = 64
_TAIL = 8


def checkpoint_id(execution: str, node: str, version: int) -> str:
    """Returns the id of the checkpoint of a node that was entered at ``version``.

    Workers that enter the same node at the same version get the same id: if a worker dies after its
    completion and another one takes over, the save is repeated and not done twice.
    """
    name = f"{node}-v{version}-{execution[-_TAIL:]}"
    if len(name) <= _LONGEST:
        return name
    digest = hashlib.sha256(node.encode()).hexdigest()[:16]
    return f"{node[:24]}-{digest}-v{version}-{execution[-_TAIL:]}"


@dataclass(frozen=True, slots=True)
class Next:
    """What a worker does next with an execution: try these nodes, wait, or stop."""

    nodes: Sequence[str] = ()
    ended: bool = False


def next_action(snapshot: Snapshot) -> Next:
    """Decides what to do: try ready nodes, wait for people and others, or stop at the end."""
    if snapshot.ended:
        return Next(ended=True)
    return Next(nodes=snapshot.ready_nodes if snapshot.status == "RUNNING" else ())
