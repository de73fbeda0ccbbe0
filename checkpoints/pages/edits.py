"""An edit of a state under way, as the pages hand it to each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from django.http import HttpRequest
from django.utils.translation import gettext as _

from checkpoints import queries
from checkpoints.models import Checkpoint
from checkpoints.moments import Moment
from checkpoints.pages import presenters, state_form
from checkpoints.pages.presenters import VersionLine
from checkpoints.pages.seen import version_in
from checkpoints.pages.state_form import Changes, Row
from conversations.models import Conversation
from ctxadmin.accounts.actor import Actor
from ctxadmin.lib.errors import ValidationFailed

_MOST_OTHERS: Final = 10


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit under way: the state that was seen (``base``), what is there ``now``, the changes.

    ``seq`` is how often it was kept when the page was made.
    """

    request: HttpRequest
    actor: Actor
    head: Conversation
    now: Moment
    base: Moment
    changes: Changes
    seq: int = 0

    @classmethod
    def read(cls, request: HttpRequest, actor: Actor, head: Conversation, now: Moment) -> Self:
        """What the hidden fields of the form say; ValidationFailed if they say nothing."""
        sent = request.POST
        version = version_in(sent, "version")
        if version is None:
            raise ValidationFailed(_("The form does not say what was seen; reload the page."))
        another = now.row is None or sent.get("execution", "") != now.row.public_id
        base = now if another else queries.find_moment(actor, head.public_id, version)
        changes = state_form.read_changes(sent.get("changes") or "{}")
        return cls(request, actor, head, now, base, changes, version_in(sent, "seq") or 0)

    @property
    def version(self) -> int:
        return self.base.version

    @property
    def node_id(self) -> str:
        """The node that was seen to be paused; one that went back behind its start has none."""
        return self.base.node_id or "-"

    @property
    def same_execution(self) -> bool:
        """False if another execution was started since the form was filled in."""
        row = self.now.row
        return row is not None and self.request.POST.get("execution", "") == row.public_id

    @property
    def sent_rows(self) -> list[Row]:
        """The rows of the form that was sent."""
        sent = self.request.POST
        return state_form.rows_in({name: str(sent[name]) for name in sent})

    @property
    def reason(self) -> str:
        return self.request.POST.get("reason", "")


def others_since(task: Edit, now: Moment) -> Sequence[VersionLine]:
    """The versions since the one that was seen, the newest first."""
    row = now.row
    if row is None:
        return ()
    rows = Checkpoint.objects.filter(
        conversation=row.conversation,
        execution=row.number,
        version__gt=task.version,
        version__lte=now.version,
    ).defer("answer", "marking", "routing")
    found = list(rows.order_by("-version")[:_MOST_OTHERS])
    return presenters.version_lines(row, found, now.pinned)


def execution_of(moment: Moment) -> str:
    """The id of the execution, "" without one."""
    return moment.row.public_id if moment.row is not None else ""
