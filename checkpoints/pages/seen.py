"""What a form or a link says that its reader saw: which execution, at which version."""

from typing import Final

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from checkpoints.moments import Moment
from checkpoints.store import find_current
from conversations.models import Conversation
from ctxadmin.lib.errors import InvalidState, ValidationFailed

_EXECUTION: Final = "execution"


def execution_field(moment: Moment) -> dict[str, str]:
    """The hidden field that binds a form to the execution that it shows."""
    return {} if moment.row is None else {_EXECUTION: moment.row.public_id}


def bound_to(head: Conversation, request: HttpRequest) -> dict[str, str]:
    """The same of the execution of now; a form that is shown again stays bound as it was."""
    row = find_current(head.key)
    sent = request.POST.get(_EXECUTION, row.public_id if row is not None else "")
    return {_EXECUTION: sent} if sent else {}


def require_seen(head: Conversation, request: HttpRequest) -> None:
    """InvalidState if the form or the link is of another execution than the one of now.

    The versions of a new execution begin at 0 again: a number alone does not tell what was seen.
    """
    sent = request.POST if request.method == "POST" else request.GET
    row = find_current(head.key)
    if row is not None and sent.get(_EXECUTION, row.public_id) != row.public_id:
        text = _("Another execution was started since; look at it first.")
        raise InvalidState(text, status=row.status)


def version_in(sent: QueryDict, name: str) -> int | None:
    """The version that a form says was seen; None if it says none."""
    text = sent.get(name, "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValidationFailed(_("The form does not say which version was seen; reload the page."))
    return int(text)
