"""What forms say about lines that name hidden messages."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from ctxadmin.ui.forms import FieldHint

LEAVE_POINTER: Final = FieldHint(
    label=_("Leave a recall line"),
    help=_("The model then knows what it can recall. A line has up to 64 tokens."),
)

LEAVE_POINTER_OF_RULES: Final = FieldHint(
    label=_("Leave a recall line for the rules"),
    help=_("For rules on messages. The model then knows what it can recall."),
)
