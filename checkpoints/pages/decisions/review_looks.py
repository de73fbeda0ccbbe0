"""The proof that someone opened the card of a review, at what it showed then.

Several reviews can be approved at once only with such a proof for each: the card gives it to the
page, and it is of no use for another person, version or list of messages.
"""

from dataclasses import dataclass
from typing import Final, Self

from django.utils.crypto import constant_time_compare, salted_hmac

from checkpoints.store.snapshots import StoredSnapshot
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.whole_number import whole_number

_SALT: Final = "ctxadmin.review-look"
_PARTS: Final = 6  # of a look as a text: execution, three numbers, conversation and proof


@dataclass(frozen=True, slots=True)
class Look:
    """A review as someone saw it: the execution, its version, and the visible messages."""

    conversation: str
    execution: str
    version: int
    revision: int
    visible_count: int

    @classmethod
    def at(cls, moment: StoredSnapshot) -> Self | None:
        """Returns what a card shows; None without an execution."""
        if moment.row is None:
            return None
        name, row = moment.head.public_id, moment.row.public_id
        return cls(name, row, moment.version, moment.revision, moment.visible_count)

    @property
    def seen(self) -> str:
        """Returns a text that differs whenever the card would show something else."""
        return f"{self.execution}.{self.version}.{self.revision}.{self.visible_count}"

    def sign(self, actor: Actor) -> str:
        """Returns the look as a text with its proof for this person."""
        return f"{self.seen}.{_proof(actor, self)}.{self.conversation}"


def read_look(actor: Actor, text: str) -> Look | None:
    """Returns the look in a text; None if it is not one of this person."""
    parts = text.split(".", _PARTS - 1)
    numbers = [whole_number(part) for part in parts[1:4]]
    if len(parts) != _PARTS or None in numbers:
        return None
    version, revision, count = (number or 0 for number in numbers)
    look = Look(parts[5], parts[0], version, revision, count)
    return look if constant_time_compare(parts[4], _proof(actor, look)) else None


def _proof(actor: Actor, look: Look) -> str:
    text = f"{actor.workspace} {actor.kind}:{actor.id} {look.seen} {look.conversation}"
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()[:32]
