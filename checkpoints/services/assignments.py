"""Assigning reviews to colleagues."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from checkpoints.models import Execution
from checkpoints.services.annotations import ClaimResult, Holder, claim
from conversations.models import Conversation
from conversations.writing.conversation import Writing
from ctxadmin.accounts.models import Membership, User
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import ROLE_SCOPES, Action, Role, allows
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_MOST: Final = 1000


class AssignReview(Contract):
    """The assignee of a pause, by default the caller; ``over`` is the present claimant."""

    assignee: Annotated[str, Field(min_length=1, max_length=150)] | None = Field(
        None, description="Username to assign it to; by default you.", examples=["li"]
    )
    over: bool = Field(False, description="Whether to take it from whoever has claimed it.")


@dataclass(frozen=True, slots=True)
class Assigned:
    """A review assigned to a colleague, inside its transaction."""

    head: Conversation
    row: Execution
    user: User
    actor: Actor
    at: datetime


AssignmentListener = Callable[[Assigned], None]
_listeners: Final[list[AssignmentListener]] = []


def register_listener(listener: AssignmentListener) -> None:
    """Registers ``listener``, which is called with every assignment, in its transaction."""
    _listeners.append(listener)


def assign(
    actor: Actor, public_id: str, name: str, *, over: bool = False, execution: str | None = None
) -> ClaimResult:
    """Assigns the review of a pause to the reviewer of that name; see ``claim``.

    Raises ValidationFailed for someone who is not a reviewer.
    """
    actor.require(Action.REVIEW_CLAIM)
    user = next((each for each in reviewers(actor.workspace) if each.username == name), None)
    if user is None:
        raise ValidationFailed.at("/assignee", say("there is no reviewer with this name"))

    def tell(opened: Writing, row: Execution) -> None:
        for listener in _listeners:
            listener(Assigned(opened.head, row, user, actor, opened.at))

    holder = Holder(f"person:{user.pk}", f"person:{user.username}")
    return claim(actor, public_id, over=over, holder=holder, then=tell, execution=execution)


def reviewers(workspace: int) -> Sequence[User]:
    """Returns the people of a workspace who can claim a review, by name."""
    may = [role.value for role in Role if allows(ROLE_SCOPES[role], Action.REVIEW_CLAIM)]
    rows = Membership.objects.filter(workspace=workspace, role__in=may, user__is_active=True)
    rows = rows.select_related("user").order_by("user__username")
    return [row.user for row in rows[:_MOST]]
