"""Claiming a node for a while, so that of several workers one does it."""

from datetime import timedelta

from checkpoints.domain.commands import ClaimNode, ReleaseNode
from checkpoints.domain.leases import Lease
from checkpoints.domain.status import TAKES_CHECKPOINTS, require
from checkpoints.services.preconditions import open_current
from checkpoints.writing.execution import ExecutionWriting
from conversations.writing import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.sentence import say


def claim(actor: Actor, public_id: str, node_id: str, wanted: ClaimNode) -> Lease:
    """A lease of a ready node, or a former one prolonged; it writes no version (semantics 3.14).

    InvalidState with ``held_by`` while somebody else's holds, with ``ready_nodes`` for a node that
    is not ready, and while nothing runs. NotFound if the workflow has no such node.
    """
    actor.require(Action.NODE_CLAIM)
    with writing(actor, public_id) as opened:
        run = open_current(opened, None)
        require(run.now.status, TAKES_CHECKPOINTS, "A claim")
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
        run.keep_leases()
        run.commit(Action.NODE_CLAIM, claimed=node_id if run.pinned else "")
    return lease


def release(actor: Actor, public_id: str, node_id: str, wanted: ReleaseNode) -> None:
    """Give a lease back; one that has ended changes nothing. InvalidState if another one holds."""
    actor.require(Action.NODE_RELEASE)
    with writing(actor, public_id) as opened:
        run = open_current(opened, None)
        before = run.leases
        run.leases = before.release(node_id, wanted.lease, opened.at)
        if run.leases is not before:
            run.keep_leases()
            run.commit(Action.NODE_RELEASE, released=node_id if run.pinned else "")


def require_ready(run: ExecutionWriting, node_id: str) -> None:
    """InvalidState with ``ready_nodes`` unless a node is ready; a free execution takes any node.

    NotFound if the workflow has no such node.
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
