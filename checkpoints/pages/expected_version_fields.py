"""What a form or a link says that its reader saw: which execution, at which version."""

from typing import Final

from django.http import HttpRequest, QueryDict

from checkpoints.services.preconditions import require_execution
from checkpoints.snapshots import StoredSnapshot
from checkpoints.store import find_current
from conversations.models import Conversation
from ctxadmin.ui.forms.seen_numbers import seen_number

_EXECUTION: Final = "execution"


def execution_field(moment: StoredSnapshot) -> dict[str, str]:
    """The hidden field that binds a form to the execution that it shows."""
    return {} if moment.row is None else {_EXECUTION: moment.row.public_id}


def expected_fields(moment: StoredSnapshot) -> dict[str, str]:
    """The hidden fields that bind a form to all that it was drawn from."""
    return execution_field(moment) | {
        "expected_version": str(moment.version),
        "expected_revision": str(moment.revision),
        "expected_count": str(moment.visible_count),
    }


def expected_in(sent: QueryDict) -> dict[str, int | None]:
    """The fields of a command that say what a form was drawn from."""
    names = ("expected_version", "expected_revision", "expected_count")
    return {name: version_in(sent, name) for name in names}


def bound_to(head: Conversation, request: HttpRequest) -> dict[str, str]:
    """The same for the execution that the form or the link names, else for that of now."""
    seen = execution_in(request)
    if seen is None:
        row = find_current(head.key)
        seen = row.public_id if row is not None else ""
    return {_EXECUTION: seen} if seen else {}


def execution_in(request: HttpRequest) -> str | None:
    """The execution that a form or a link says was seen; None if it says none."""
    sent = request.POST if request.method == "POST" else request.GET
    return sent.get(_EXECUTION)


def require_seen(head: Conversation, request: HttpRequest) -> None:
    """InvalidState if the form or the link is of another execution than the one of now.

    It says so early. Another one can begin after it: what writes asks again.
    """
    row = find_current(head.key)
    if row is not None:
        require_execution(row, execution_in(request))


def version_in(sent: QueryDict, name: str) -> int | None:
    """The version that a form says was seen; None if it says none."""
    return seen_number(sent, name) if sent.get(name) else None
