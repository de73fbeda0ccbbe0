"""The bar of a list from which an action on many of its items begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import MOST_ITEMS, BulkAction, BulkList, offered
from ctxadmin.ui.components import Text

LABELS: Final[Mapping[BulkAction, Text]] = {
    BulkAction.PAUSE: _("Pause"),
    BulkAction.RESUME: _("Resume"),
    BulkAction.CANCEL: _("Cancel"),
    BulkAction.LABEL: _("Label"),
    BulkAction.ARCHIVE: _("Archive"),
    BulkAction.UNARCHIVE: _("Unarchive"),
    BulkAction.EXPORT: _("Export as a file"),
    BulkAction.ERASE: _("Erase"),
}


@dataclass(frozen=True, slots=True)
class BulkBar:
    """The actions of a list, for the component ``bulk_bar.html``.

    ``fields`` are those of the filter, sent along; ``total`` is how many items it has, at most
    one more than ``most``.
    """

    of: BulkList
    actions: Sequence[tuple[str, Text]]
    fields: Mapping[str, str]
    total: int
    most: int = MOST_ITEMS

    @property
    def is_too_many(self) -> bool:
        return self.total > self.most


def bulk_actions(
    actor: Actor, of: BulkList, *, archived: bool = False
) -> Sequence[tuple[str, Text]]:
    """Returns the actions that the actor has for a list of archived, or of other, items."""
    without = BulkAction.ARCHIVE if archived else BulkAction.UNARCHIVE
    return [(str(each), LABELS[each]) for each in offered(actor, of) if each is not without]
