"""A replacement that has nothing to replace: refused on the pages, stored for engines."""

from typing import Final

from django.utils.translation import gettext as _

from conversations.domain.configs import read_operation
from conversations.models import Conversation
from conversations.pages.changes import selection
from conversations.pages.changes.forms import OperationRequest
from ctxadmin.lib.errors import ValidationFailed

_IN_THE_FORM: Final = "/replace/message/content"


def removes_calls(head: Conversation, index: int, pairing: str) -> bool:
    """Returns whether a replacement with the same words still takes the calls out."""
    return pairing == "drop" and bool(selection.body_at(head, index).get("tool_calls"))


def require_change(
    head: Conversation, model: OperationRequest, *, pointer: str = _IN_THE_FORM
) -> None:
    """Raises ValidationFailed at ``pointer`` if the new message is the one that is there.

    The contract takes such an operation from engines: it logs the message again.
    """
    wanted = model.replace
    if wanted is None or wanted.index >= head.visible_count:
        return
    same = {"index": wanted.index, "message": selection.body_at(head, wanted.index)}
    now = read_operation({"operation": "replace", "replace": same}).replace
    is_same = now is not None and now.message == wanted.message
    if is_same and not removes_calls(head, wanted.index, model.pairing):
        text = _("Change the new text first. The message already says this.")
        raise ValidationFailed.at(pointer, text)
