"""The kinds of notifications, and those of a version in the history of an execution."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, get_args

from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind, is_notable

# The author of what happens by itself when nobody answered in time.
TIME_KEEPER: Final = "system:answer_overdue"


class Kind(StrEnum):
    """A kind of event, by the name that webhooks give it."""

    REVIEW_ASKED = "execution.review_asked"
    PAUSED = "execution.paused"
    APPROVED = "execution.approved"
    REJECTED = "execution.rejected"
    TIMED_OUT = "execution.timed_out"
    RESUMED = "execution.resumed"
    COMPLETED = "execution.completed"
    FAILED = "execution.failed"
    CANCELLED = "execution.cancelled"
    ASSIGNED = "review.assigned"  # to a person, and told only to them


# The kinds as the contract spells them: what a webhook may ask for.
KindName = Literal[
    "execution.review_asked",
    "execution.paused",
    "execution.approved",
    "execution.rejected",
    "execution.timed_out",
    "execution.resumed",
    "execution.completed",
    "execution.failed",
    "execution.cancelled",
]
OF_WEBHOOKS: Final = tuple(map(Kind, get_args(KindName)))
TEST: Final = "webhook.test"
# What a person may want to learn of, in the order in which an event is looked at.
PERSONAL: Final = (Kind.ASSIGNED, Kind.REVIEW_ASKED, Kind.TIMED_OUT, Kind.FAILED, Kind.PAUSED)

_MOVES: Final = {
    "approve": Kind.APPROVED,
    "reject": Kind.REJECTED,
    "resume": Kind.RESUMED,
}
_STATUSES: Final = {
    Status.COMPLETED: Kind.COMPLETED,
    Status.FAILED: Kind.FAILED,
    Status.CANCELLED: Kind.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """The record of one version; see ``Checkpoint``.

    ``asks`` is True if the workflow asks for review at the execution's position.
    """

    version: int
    kind: WriteKind
    move: str
    status: Status
    author: str
    asks: bool


def kinds_of(version: VersionRecord) -> tuple[Kind, ...]:
    """Returns the kinds of a version, most important first; none for an unimportant version."""
    if not is_notable(version.kind, version.status):
        return ()
    found: list[Kind] = []
    if version.move and version.author == TIME_KEEPER:
        found.append(Kind.TIMED_OUT)
    if version.move in _MOVES:
        found.append(_MOVES[version.move])
    if version.status is Status.PAUSED:
        found += [Kind.REVIEW_ASKED, Kind.PAUSED] if version.asks else [Kind.PAUSED]
    elif version.status in _STATUSES:
        found.append(_STATUSES[version.status])
    return tuple(found)
