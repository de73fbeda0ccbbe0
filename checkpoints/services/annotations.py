"""Labels of versions, comments, and claims of reviews."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from checkpoints.domain.status import Status
from checkpoints.models import Checkpoint, Claim, Execution, Label
from checkpoints.services.preconditions import require_execution
from checkpoints.store.executions import find_checkpoint, find_current
from conversations.models import Comment, Conversation
from conversations.services import comments
from conversations.services.comments import About
from conversations.writing.conversation import Writing, writing
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import InvalidState, NotFound, VersionConflict
from ctxadmin.lib.sentence import say

LabelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
CommentText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=comments.LONGEST)
]


class WriteComment(Contract):
    """A comment on one thing: a message of the log, a version, or a key of the state."""

    text: CommentText = Field(description="What it says.", examples=["Check the name."])
    message: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Log index of the message that it is on.", examples=[0]
    )
    version: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Version that it is on.", examples=[0]
    )
    key: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        None, description="State key that it is on.", examples=["draft"]
    )

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        state = self.version is not None or self.key is not None
        if (self.message is not None) == state:
            raise ValueError(
                say("name a message, or a version, or a key (with a version or without)")
            )
        return self


class SetLabel(Contract):
    """The label of a version."""

    label: LabelName = Field(description="The label.", examples=["approved"])


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """The claimant of a review; none if ``holder`` is empty."""

    holder: str
    holder_id: str
    claimed_at: datetime | None


NOBODY = ClaimResult("", "", None)


@dataclass(frozen=True, slots=True)
class Holder:
    """The assignee of a review: an id as ``holder_id`` makes it, and the name that people read."""

    id: str
    label: str


# What an app above does with it in the same transaction.
Then = Callable[[Writing, Execution], None]


def comment(
    actor: Actor, public_id: str, wanted: WriteComment, *, execution: str | None = None
) -> Comment:
    """Comments on a message, or on the current execution; NotFound for an unknown version.

    ``execution`` is the one that was shown; raises InvalidState if it is no longer current.
    """
    actor.require(Action.COMMENT_WRITE)
    if wanted.message is not None:
        return comments.comment(actor, public_id, About(message=wanted.message), wanted.text)
    with writing(actor, public_id) as opened:
        row = _current(opened.head, execution)
        version = row.version if wanted.version is None else wanted.version
        _require_version(row, version)
        about = About(execution=row.number, version=version, key=wanted.key or "")
        return comments.comment_in(opened, about, wanted.text)


def set_label(
    actor: Actor, public_id: str, version: int, name: str, *, execution: str | None = None
) -> Label:
    """Labels a version of the current execution, or renames the label; its state is then kept.

    Raises NotFound for a version that is missing or was thinned; ``execution`` as in ``comment``.
    """
    actor.require(Action.LABEL_SET)
    with writing(actor, public_id) as opened:
        row = _current(opened.head, execution)
        find_checkpoint(opened.head.key, row.number, version)
        made, _ = Label.objects.update_or_create(
            conversation=opened.head.key,
            execution=row.number,
            version=version,
            defaults={"name": name, "author": actor.label, "created_at": opened.at},
        )
        _commit(opened, row, Action.LABEL_SET, {"version": version})
    return made


def remove_label(
    actor: Actor, public_id: str, version: int, *, execution: str | None = None
) -> None:
    """Removes the label of a version; raises NotFound without one.

    ``execution`` as in ``comment``.
    """
    actor.require(Action.LABEL_SET)
    with writing(actor, public_id) as opened:
        row = _current(opened.head, execution)
        gone, _ = Label.objects.filter(
            conversation=opened.head.key, execution=row.number, version=version
        ).delete()
        if not gone:
            raise NotFound(say("Version {n} has no label.", n=version))
        _commit(opened, row, Action.LABEL_SET, {"version": version, "removed": True})


def labels_of(row: Execution, versions: Collection[int] | None = None) -> Mapping[int, str]:
    """Returns the labels of an execution by version."""
    rows = Label.objects.filter(conversation=row.conversation, execution=row.number)
    if versions is not None:
        rows = rows.filter(version__in=versions)
    return dict(rows.order_by("version").values_list("version", "name"))


def claim(
    actor: Actor,
    public_id: str,
    *,
    over: bool = False,
    holder: Holder | None = None,
    then: Then | None = None,
    execution: str | None = None,
) -> ClaimResult:
    """Claims the pause of an execution, for the caller or ``holder``. A repeat changes nothing.

    Raises InvalidState unless it is PAUSED, and VersionConflict if someone else has claimed it,
    unless ``over``. ``execution`` as in ``comment``.
    """
    actor.require(Action.REVIEW_CLAIM)
    with writing(actor, public_id) as opened:
        row = _current(opened.head, execution)
        if row.status != Status.PAUSED or row.waiting_since is None:
            raise InvalidState(say("Only a paused execution can be claimed."), status=row.status)
        held, me = claim_of(row), holder_id(actor)
        to = holder or Holder(me, actor.label)
        if held.holder_id == to.id:
            return held
        if held.holder and held.holder_id != me and not over:
            message = say("Already claimed by {who}.", who=held.holder)
            raise VersionConflict(message, expected="", actual=held.holder)
        Claim.objects.update_or_create(
            conversation=opened.head.key,
            execution=row.number,
            defaults={
                "since": row.waiting_since,
                "holder_id": to.id,
                "holder": to.label,
                "claimed_at": opened.at,
            },
        )
        if then is not None:
            then(opened, row)
        detail: dict[str, object] = {"from": held.holder} if held.holder else {}
        _commit(opened, row, Action.REVIEW_CLAIM, detail | ({"to": to.label} if holder else {}))
    return ClaimResult(to.label, to.id, opened.at)


def release(actor: Actor, public_id: str, *, execution: str | None = None) -> None:
    """Releases the claim of a pause; without a claim this changes nothing.

    Raises VersionConflict if it is someone else's claim. ``execution`` as in ``comment``.
    """
    actor.require(Action.REVIEW_RELEASE)
    with writing(actor, public_id) as opened:
        row = _current(opened.head, execution)
        held = claim_of(row)
        if not held.holder:
            return
        if held.holder_id != holder_id(actor):
            message = say("Claimed by {who}; claim it first.", who=held.holder)
            raise VersionConflict(message, expected=actor.label, actual=held.holder)
        Claim.objects.filter(conversation=opened.head.key, execution=row.number).delete()
        _commit(opened, row, Action.REVIEW_RELEASE, {})


def holder_id(actor: Actor) -> str:
    return f"{actor.kind}:{actor.id}"


def claim_of(row: Execution) -> ClaimResult:
    """Returns the claimant of an execution's current pause."""
    if row.status != Status.PAUSED or row.waiting_since is None:
        return NOBODY
    found = Claim.objects.filter(
        conversation=row.conversation, execution=row.number, since=row.waiting_since
    ).first()
    return NOBODY if found is None else ClaimResult(found.holder, found.holder_id, found.claimed_at)


def _current(head: Conversation, seen: str | None = None) -> Execution:
    row = find_current(head.key)
    if row is None:
        raise NotFound(say("This conversation has no execution."))
    require_execution(row, seen)
    return row


def _require_version(row: Execution, version: int) -> None:
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    if version > row.version or not rows.filter(version=version).exists():
        raise NotFound(say("There is no version {n} of this execution.", n=version))


def _commit(opened: Writing, row: Execution, action: Action, detail: dict[str, object]) -> None:
    """Commits an audit entry without touching what engines or archives observe."""
    about = {"conversation": opened.head.public_id, **detail}
    opened.commit(AuditChange(action, "execution", row.public_id, detail=about), upkeep=True)
