"""Leases of nodes: which worker runs a ready node, and until when (semantics 3.14)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import orjson

from ctxadmin.lib import clock
from ctxadmin.lib.errors import InvalidState, TooLarge
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say

MOST: Final = 1_000  # that hold at once in one execution
LEAST_SECONDS: Final = 1
MOST_SECONDS: Final = 3_600


@dataclass(frozen=True, slots=True)
class Lease:
    """A node that ``holder`` runs until a time; a request that names ``lease`` is the holder's.

    An expired lease blocks nobody. It stays until another worker claims the node, so that a slow
    worker without rivals can still complete it.
    """

    node_id: str
    lease: str
    holder: str
    until: datetime

    def holds(self, at: datetime) -> bool:
        return at < self.until


@dataclass(frozen=True, slots=True)
class Leases:
    """All leases of an execution, by node."""

    by_node: Mapping[str, Lease]

    @classmethod
    def load(cls, stored: bytes) -> "Leases":
        if not stored:
            return NONE
        return cls(
            {
                node_id: Lease(node_id, lease, holder, datetime.fromisoformat(until))
                for node_id, lease, holder, until in orjson.loads(stored)
            }
        )

    def dump(self) -> bytes:
        """Returns bytes for ``load``; empty without a lease."""
        rows = [
            [each.node_id, each.lease, each.holder, clock.iso(each.until)]
            for each in self.by_node.values()
        ]
        return dumps(rows) if rows else b""

    def claim(
        self,
        node_id: str,
        ttl: timedelta,
        at: datetime,
        *,
        holder: str,
        new: str,
        lease: str | None,
    ) -> tuple["Leases", Lease]:
        """Gives the node to the holder for ``ttl``, under the name ``new``, or renews ``lease``.

        Raises InvalidState while another worker's lease holds, or if ``lease`` is no longer the
        node's; TooLarge over MOST valid leases.
        """
        if lease is None:
            self._refuse_while_held(node_id, at)
        else:
            self.require(node_id, lease, at)
        kept = {
            name: each for name, each in self.by_node.items() if each.holds(at) and name != node_id
        }
        if len(kept) >= MOST:
            raise TooLarge(
                say("An execution has at most {most} leases at once.", most=MOST), limit=MOST
            )
        claimed = Lease(node_id, lease or new, holder, at + ttl)
        return Leases({**kept, node_id: claimed}), claimed

    def require(self, node_id: str, lease: str | None, at: datetime) -> None:
        """Raises InvalidState for a worker that may not complete a node now.

        That is a worker that names no lease while one holds, or one that is not the node's: another
        worker claimed it since, or it was completed or released.
        """
        held = self.by_node.get(node_id)
        if lease is None:
            self._refuse_while_held(node_id, at)
        elif held is None:
            raise InvalidState(
                say("The lease of node {node_id} has ended; claim it again.", node_id=repr(node_id))
            )
        elif held.lease != lease:
            if held.holds(at):
                raise _held_error(held)
            raise InvalidState(
                say("The lease of node {node_id} has ended; claim it again.", node_id=repr(node_id))
            )

    def release(self, node_id: str, lease: str, at: datetime) -> "Leases":
        """Returns the leases without this one; the same if it has ended.

        Raises InvalidState if another one holds.
        """
        held = self.by_node.get(node_id)
        if held is not None and held.lease != lease:
            if held.holds(at):
                raise _held_error(held)
            return self
        return self.without(node_id)

    def without(self, node_id: str) -> "Leases":
        """Returns the leases after the node was completed."""
        if node_id not in self.by_node:
            return self
        return replace(
            self, by_node={name: each for name, each in self.by_node.items() if name != node_id}
        )

    def _refuse_while_held(self, node_id: str, at: datetime) -> None:
        held = self.by_node.get(node_id)
        if held is not None and held.holds(at):
            raise _held_error(held)


NONE: Final = Leases({})


def _held_error(lease: Lease) -> InvalidState:
    until = clock.iso(lease.until)
    message = say(
        "Node {node_id} is claimed by {holder} until {until}.",
        node_id=repr(lease.node_id),
        holder=lease.holder,
        until=until,
    )
    return InvalidState(message, held_by=lease.holder, until=until)
