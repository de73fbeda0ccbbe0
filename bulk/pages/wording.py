"""The words of bulk actions on pages."""

from collections.abc import Callable, Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from bulk.models import BulkJob
from ctxadmin.background.leases import is_stopping
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib import clock
from ctxadmin.ui.components import Text, Tone

TITLES: Final[Mapping[BulkAction, Text]] = {
    BulkAction.PAUSE: _("Pause executions"),
    BulkAction.RESUME: _("Resume executions"),
    BulkAction.CANCEL: _("Cancel executions"),
    BulkAction.LABEL: _("Label executions"),
    BulkAction.ARCHIVE: _("Archive conversations"),
    BulkAction.UNARCHIVE: _("Unarchive conversations"),
    BulkAction.EXPORT: _("Export conversations"),
    BulkAction.ERASE: _("Erase conversations"),
}
HINTS: Final[Mapping[BulkAction, Text]] = {
    BulkAction.PAUSE: _(
        "Each pauses at its next checkpoint. A requested pause cannot be withdrawn."
    ),
    BulkAction.RESUME: _("Failed ones retry. Those that wait for review are decided one by one."),
    BulkAction.CANCEL: _("They cannot be resumed afterwards. Messages, state and history stay."),
    BulkAction.LABEL: _(
        "The latest version of each gets the label, instead of one that it has, and its state is "
        "kept, whatever the retention policy says. A replaced label cannot be brought back."
    ),
    BulkAction.ARCHIVE: _(
        "They are hidden from lists and nothing is lost. Any new message unarchives one. The "
        "retention policy may erase conversations that have been archived for long."
    ),
    BulkAction.UNARCHIVE: _("They are listed again."),
    BulkAction.EXPORT: _(
        "Each conversation is a line of the file, with its messages, batches and rollbacks. "
        "Executions are not in it."
    ),
    BulkAction.ERASE: _(
        "Everything in them is removed for good: messages, batches, executions, checkpoints, "
        "comments, reasons. The audit, forks, exports and backups stay."
    ),
}
_STATUS_LABELS: Final[Mapping[str, tuple[Text, Tone]]] = {
    BulkJob.Status.DRAFT: (_("Not started"), "secondary"),
    BulkJob.Status.QUEUED: (_("Waiting"), "secondary"),
    BulkJob.Status.RUNNING: (_("Running"), "blue"),
    BulkJob.Status.DONE: (_("Finished"), "green"),
    BulkJob.Status.CANCELLED: (_("Cancelled"), "secondary"),
    BulkJob.Status.FAILED: (_("Failed"), "red"),
}

_STOPPING: Final[tuple[Text, Tone]] = (_("Stopping…"), "secondary")


def status_of(row: BulkJob) -> tuple[Text, Tone]:
    """Returns the label and the tone of a job's status."""
    return _STOPPING if is_stopping(row, clock.now()) else _STATUS_LABELS[row.status]


def submit_label(action: BulkAction, count: int) -> str:
    """Returns the label of the button that starts an action, with the number of items."""
    return _SUBMIT[action](count) % {"n": f"{count:,}"}


_SUBMIT: Final[Mapping[BulkAction, Callable[[int], str]]] = {
    BulkAction.PAUSE: lambda n: ngettext("Pause %(n)s execution", "Pause %(n)s executions", n),
    BulkAction.RESUME: lambda n: ngettext("Resume %(n)s execution", "Resume %(n)s executions", n),
    BulkAction.CANCEL: lambda n: ngettext("Cancel %(n)s execution", "Cancel %(n)s executions", n),
    BulkAction.LABEL: lambda n: ngettext("Label %(n)s execution", "Label %(n)s executions", n),
    BulkAction.ARCHIVE: lambda n: ngettext(
        "Archive %(n)s conversation", "Archive %(n)s conversations", n
    ),
    BulkAction.UNARCHIVE: lambda n: ngettext(
        "Unarchive %(n)s conversation", "Unarchive %(n)s conversations", n
    ),
    BulkAction.EXPORT: lambda n: ngettext(
        "Export %(n)s conversation", "Export %(n)s conversations", n
    ),
    BulkAction.ERASE: lambda n: ngettext(
        "Erase %(n)s conversation", "Erase %(n)s conversations", n
    ),
}


def result_words(action: BulkAction, count: int) -> str:
    """Returns what an action did to so many items: ``30 conversations archived``."""
    return _RESULT[action](count) % {"n": f"{count:,}"}


_RESULT: Final[Mapping[BulkAction, Callable[[int], str]]] = {
    BulkAction.PAUSE: lambda n: ngettext(
        "Pause requested for %(n)s execution", "Pause requested for %(n)s executions", n
    ),
    BulkAction.RESUME: lambda n: ngettext("%(n)s execution resumed", "%(n)s executions resumed", n),
    BulkAction.CANCEL: lambda n: ngettext(
        "%(n)s execution cancelled", "%(n)s executions cancelled", n
    ),
    BulkAction.LABEL: lambda n: ngettext("%(n)s execution labeled", "%(n)s executions labeled", n),
    BulkAction.ARCHIVE: lambda n: ngettext(
        "%(n)s conversation archived", "%(n)s conversations archived", n
    ),
    BulkAction.UNARCHIVE: lambda n: ngettext(
        "%(n)s conversation unarchived", "%(n)s conversations unarchived", n
    ),
    BulkAction.EXPORT: lambda n: ngettext(
        "%(n)s conversation exported", "%(n)s conversations exported", n
    ),
    BulkAction.ERASE: lambda n: ngettext(
        "%(n)s conversation erased", "%(n)s conversations erased", n
    ),
}
# What was done to an item, where it is not done with that.
_DONE: Final[Mapping[BulkAction, Text]] = {BulkAction.PAUSE: _("Pause requested")}


def done_label(action: BulkAction) -> Text:
    """Returns what the result of an item is called to which an action was done."""
    return _DONE.get(action, _("Done"))


OPPOSITES: Final[Mapping[BulkAction, BulkAction]] = {
    BulkAction.ARCHIVE: BulkAction.UNARCHIVE,
    BulkAction.UNARCHIVE: BulkAction.ARCHIVE,
}
_OPPOSITE_LABELS: Final[Mapping[BulkAction, Text]] = {
    BulkAction.ARCHIVE: _("Unarchive them…"),
    BulkAction.UNARCHIVE: _("Archive them…"),
}


def opposite_label(action: BulkAction) -> Text:
    """Returns the label of the button that does the opposite; "" if an action has none."""
    return _OPPOSITE_LABELS.get(action, "")
