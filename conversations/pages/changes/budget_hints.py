"""The form hints for the fields of a budget."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from conversations.domain.budgets.config import PLACEHOLDER
from ctxadmin.ui.components import Text
from ctxadmin.ui.forms import FieldHint, ShownWhen
from ctxadmin.ui.forms.wording import translate_error

_LIMIT: Final[Text] = _("Cut when over")
BUDGET: Final[tuple[str, Text]] = ("budget", _("Keep a token budget"))


def budget_hints(path: str) -> dict[str, FieldHint]:
    """Returns the hints of a budget's block at ``path``, beside the operation."""
    return {
        path: FieldHint(
            label=_("Budget"),
            help=_(
                "A few deep cuts cost less than a cut at every call: between two cuts the "
                "beginning of the context stays the same, so the provider reads it from "
                "its cache."
            ),
            shown_when=ShownWhen.is_("operation", "budget"),
        ),
        f"{path}.max_tokens": FieldHint(label=_LIMIT, help=_("Tokens."), placeholder="60000"),
        f"{path}.target_tokens": FieldHint(
            label=_("Cut down to"),
            help=_("In tokens; well below the limit, so that cuts are rare."),
            placeholder="40000",
        ),
        f"{path}.drop": FieldHint(
            label=_("Drop first"),
            choices=[
                ("oldest", _("The oldest messages")),
                ("oldest_turns", _("The oldest turns as a whole")),
                ("tool_results", _("Contents of old results")),
            ],
            help=_("A call and its results are always kept or dropped together."),
        ),
        f"{path}.keep_last_results": FieldHint(
            label=_("Keep the last results"), shown_when=ShownWhen.is_("drop", "tool_results")
        ),
        f"{path}.placeholder": FieldHint(
            label=_("Text instead of a result"),
            placeholder=PLACEHOLDER,
            keep_empty=True,
            height=1,
            shown_when=ShownWhen.is_("drop", "tool_results"),
            wide=True,
        ),
        f"{path}.keep_turn_start": FieldHint(
            label=_("Keep the question of the turn that is cut"),
            help=_("The user message that began the turn."),
            shown_when=ShownWhen.is_("drop", "oldest"),
        ),
        f"{path}.keep_first": FieldHint(label=_("Keep the first"), help=_("Messages.")),
        f"{path}.keep_system": FieldHint(
            label=_("Keep the system messages"),
            help=_("They are never cut."),
            when_off=_("System messages are hidden like all others."),
        ),
        f"{path}.at_least": FieldHint(
            label=_("Cut at least"), help=_("In tokens. Smaller cuts are not made.")
        ),
    }


def over_budget_text(message: str) -> str:
    """Returns the warning that a budget could not be kept, with the form's name of the limit."""
    return translate_error(message, {"max_tokens": str(_LIMIT)})
