"""Repeated saves: the same checkpoint id with the same body is one save."""

from checkpoints.domain.timeline import repeated
from checkpoints.models import Checkpoint
from checkpoints.store.executions import as_saved, find_saved
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor


def find_repeated(
    actor: Actor, public_id: str, checkpoint_id: str, body_digest: bytes
) -> Checkpoint | None:
    """Returns what the same save wrote before, None for a new one (semantics 3.4).

    Only a refused save has to ask: a checkpoint id is in a unique key, which refuses the second one
    in any case. Raises Duplicate for an id that was used with another body.
    """
    row = find_saved(find_head(actor.workspace, public_id).key, checkpoint_id)
    return None if repeated(as_saved(row), body_digest) is None else row
