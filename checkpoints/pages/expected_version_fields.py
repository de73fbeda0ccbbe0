"""The execution and version that a form or link was made from, as hidden fields."""

from typing import Final

from django.http import HttpRequest, QueryDict

from checkpoints.services.preconditions import require_execution
from checkpoints.store.executions import find_current
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Conversation
from ctxadmin.ui.forms.seen_numbers import seen_number

_EXECUTION: Final = "execution"


def execution_field(moment: StoredSnapshot) -> dict[str, str]:
    """Returns the hidden field that binds a form to its execution."""
    return {} if moment.row is None else {_EXECUTION: moment.row.public_id}


def expected_fields(moment: StoredSnapshot) -> dict[str, str]:
    """Returns the hidden fields that bind a form to everything it was made from."""
    return execution_field(moment) | {
        "expected_version": str(moment.version),
        "expected_revision": str(moment.revision),
        "expected_count": str(moment.visible_count),
    }


def expected_in(sent: QueryDict) -> dict[str, int | None]:
    """Returns the fields of a command from the hidden fields of a form."""
    names = ("expected_version", "expected_revision", "expected_count")
    return {name: version_in(sent, name) for name in names}


def version_fields(head: Conversation, request: HttpRequest) -> dict[str, str]:
    """Returns the hidden fields for the execution that the form or link names, else the current
    one.
    """
    seen = execution_in(request)
    if seen is None:
        row = find_current(head.key)
        seen = row.public_id if row is not None else ""
    return {_EXECUTION: seen} if seen else {}


def execution_in(request: HttpRequest) -> str | None:
    """Returns the execution that a form or link was made from; None if it names none."""
    sent = request.POST if request.method == "POST" else request.GET
    return sent.get(_EXECUTION)


def require_seen(head: Conversation, request: HttpRequest) -> None:
    """Raises InvalidState if the form or link is of another execution than the current one.

    This is an early check: another execution can start afterwards, so the write checks again.
    """
    row = find_current(head.key)
    if row is not None:
        require_execution(row, execution_in(request))


def version_in(sent: QueryDict, name: str) -> int | None:
    """Returns the version that a form was made from; None if it names none."""
    return seen_number(sent, name) if sent.get(name) else None
