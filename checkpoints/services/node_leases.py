"""Leases nodes, so that only one of several workers runs each."""

from datetime import timedelta

from checkpoints.domain.commands import ClaimNode, ReleaseNode
from checkpoints.domain.leases import Lease
from checkpoints.domain.status import TAKES_CHECKPOINTS, require
from checkpoints.services.preconditions import open_current
from checkpoints.writing.execution import ExecutionWriting
from conversations.writing.conversation import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.sentence import say


def claim(actor: Actor, public_id: str, node_id: str, wanted: ClaimNode) -> Lease:
    """Leases a ready node, or renews an earlier lease; writes no version (semantics 3.14).

    Raises InvalidState with ``held_by`` while another worker's lease holds, with ``ready_nodes``
    for a node that is not ready, and while nothing runs; NotFound if the workflow lacks the node.
    """
    actor.require(Action.NODE_CLAIM)
    with writing(actor, public_id) as opened:
        run = open_current(opened, None)
        require(run.now.status, TAKES_CHECKPOINTS, say("A claim"))
        require_ready(run, node_id)
        ttl = timedelta(seconds=wanted.ttl)
        run.leases, lease = run.leases.claim(
            node_id,
            ttl,
            opened.at,
            holder=actor.label,
            new=new_public_id("lease"),
            lease=wanted.lease,
        )
        run.store_leases()
        run.commit(Action.NODE_CLAIM, claimed=node_id if run.pinned else "")
    return lease


def release(actor: Actor, public_id: str, node_id: str, wanted: ReleaseNode) -> None:
    """Releases a lease; one that has ended changes nothing.

    Raises InvalidState if another lease holds.
    """
    actor.require(Action.NODE_RELEASE)
    with writing(actor, public_id) as opened:
        run = open_current(opened, None)
        before = run.leases
        run.leases = before.release(node_id, wanted.lease, opened.at)
        if run.leases is not before:
            run.store_leases()
            run.commit(Action.NODE_RELEASE, released=node_id if run.pinned else "")


def require_ready(run: ExecutionWriting, node_id: str) -> None:
    """Raises InvalidState with ``ready_nodes`` unless a node is ready.

    A free execution accepts any.

    Raises NotFound if the workflow lacks the node.
    """
    if run.pinned is None:
        return
    run.pinned.require_node(node_id)
    ready = run.ready
    if node_id not in ready:
        names = ", ".join(map(repr, ready)) or "none"
        raise InvalidState(
            say(
                "Node {node_id} is not ready; ready nodes: {names}.",
                node_id=repr(node_id),
                names=names,
            ),
            status=run.now.status,
            ready_nodes=ready,
        )
