"""The actions that can be done to many items of a list at once, with the right each needs."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

MOST_ITEMS: Final = 10_000  # of one bulk action


class BulkList(StrEnum):
    """The lists whose items can be selected."""

    CONVERSATIONS = "conversations"
    EXECUTIONS = "executions"


class BulkAction(StrEnum):
    """What is done to each item; the items of ``export`` are sent as a file."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    LABEL = "label"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    EXPORT = "export"
    ERASE = "erase"

    @property
    def right(self) -> Action:
        """Returns the right that the action needs for each item."""
        return _RIGHTS[self]

    @property
    def list(self) -> BulkList:
        """Returns the list that offers the action."""
        return BulkList.EXECUTIONS if self in _OF_EXECUTIONS else BulkList.CONVERSATIONS


_OF_EXECUTIONS: Final = (
    BulkAction.PAUSE,
    BulkAction.RESUME,
    BulkAction.CANCEL,
    BulkAction.LABEL,
)
_RIGHTS: Final[Mapping[BulkAction, Action]] = {
    BulkAction.PAUSE: Action.EXECUTION_PAUSE,
    BulkAction.RESUME: Action.EXECUTION_RESUME,
    BulkAction.CANCEL: Action.EXECUTION_CANCEL,
    BulkAction.LABEL: Action.LABEL_SET,
    BulkAction.ARCHIVE: Action.CONVERSATION_ARCHIVE,
    BulkAction.UNARCHIVE: Action.CONVERSATION_UNARCHIVE,
    BulkAction.EXPORT: Action.CONVERSATION_EXPORT,
    BulkAction.ERASE: Action.CONVERSATION_ERASE,
}


def offered(actor: Actor, of: BulkList) -> list[BulkAction]:
    """Returns the actions of a list that the actor has the right to."""
    return [each for each in BulkAction if each.list is of and actor.may(each.right)]
