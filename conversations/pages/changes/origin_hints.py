"""The form hints for the origin of messages, in filters and summaries."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from ctxadmin.ui.components import Text
from ctxadmin.ui.forms import FieldHint, ShownWhen

SUMMARIZE: Final[tuple[str, Text]] = ("summarize", _("Replace a span by a summary"))


def origin_hints(path: str) -> dict[str, FieldHint]:
    """Returns the hints of the origin fields of a filter at ``path``."""
    return {
        f"{path}.nodes": FieldHint(label=_("Only of these nodes"), help=_("One id per line.")),
        f"{path}.tools": FieldHint(
            label=_("Only of these tools"), help=_("Calls and their results; one name per line.")
        ),
        f"{path}.metadata": FieldHint(
            label=_("Only with this metadata"),
            help=_("A JSON object of patterns by key; * matches any text."),
            placeholder='{"trust": "high*"}',
        ),
        f"{path}.older_than": FieldHint(label=_("Only older than")),
        **_age_hints(f"{path}.older_than"),
        f"{path}.newer_than": FieldHint(label=_("Only newer than")),
        **_age_hints(f"{path}.newer_than"),
        f"{path}.larger_than": FieldHint(label=_("Only larger than"), help=_("Tokens.")),
        f"{path}.has": FieldHint(
            label=_("Only with one of"),
            choices=[
                ("tool_call", _("A tool call")),
                ("image", _("An image")),
                ("pinned", _("A pin")),
                ("comment", _("A comment")),
            ],
        ),
    }


def summary_hints(path: str) -> dict[str, FieldHint]:
    """Returns the hints of the block of a summary at ``path``, except its message."""
    return {
        path: FieldHint(label=_("Summary"), shown_when=ShownWhen.is_("operation", "summarize")),
        f"{path}.range": FieldHint(
            label=_("Range of positions"), help=_("Start included, end excluded, counted from 0.")
        ),
        f"{path}.older_than": FieldHint(label=_("Or all that is older than")),
        **_age_hints(f"{path}.older_than"),
        f"{path}.keep_system": FieldHint(
            label=_("Keep the system messages"),
            help=_("The summary does not cover them."),
            when_off=_("System messages are hidden like all others."),
        ),
        f"{path}.sources": FieldHint(
            label=_("Only these messages of the log"),
            help=_("The messages that were summarized, as a JSON list of ranges: [[3, 15]]."),
            placeholder="[[3, 15]]",
        ),
    }


def _age_hints(path: str) -> dict[str, FieldHint]:
    return {
        f"{path}.turns": FieldHint(label=_("Turns"), help=_("A turn begins with a user message.")),
        f"{path}.messages": FieldHint(label=_("Messages")),
        f"{path}.minutes": FieldHint(
            label=_("Minutes"), help=_("Before the latest visible message.")
        ),
    }
