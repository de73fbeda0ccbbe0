"""Names that survive a crash, and what a run does next: pure rules."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ctxadmin_client.answers import Snapshot

_LONGEST = 64
_TAIL = 8


def checkpoint_id(execution: str, node: str, version: int) -> str:
    """The id of what a node writes that was entered at ``version``.

    Whoever enters the same node at the same version makes the same id: a worker that died behind
    its completion and one that takes over repeat one save instead of making two.
    """
    name = f"{node}-v{version}-{execution[-_TAIL:]}"
    if len(name) <= _LONGEST:
        return name
    digest = hashlib.sha256(node.encode()).hexdigest()[:16]
    return f"{node[:24]}-{digest}-v{version}-{execution[-_TAIL:]}"


@dataclass(frozen=True, slots=True)
class Next:
    """What a worker does with an execution as it stands: try these nodes, wait, or stop."""

    nodes: Sequence[str] = ()
    ended: bool = False


def what_next(snapshot: Snapshot) -> Next:
    """Try the ready nodes of a RUNNING execution, wait for people and others, stop at the end."""
    if snapshot.ended:
        return Next(ended=True)
    return Next(nodes=snapshot.ready_nodes if snapshot.status == "RUNNING" else ())
