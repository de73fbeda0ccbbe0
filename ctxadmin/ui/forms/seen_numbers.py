"""Numbers that a form carries of what its reader saw."""

from django.http import QueryDict
from django.utils.translation import gettext as _

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.whole_number import whole_number


def seen_number(sent: QueryDict, name: str = "version") -> int:
    """The hidden field ``name``; ValidationFailed if a script sent a form without it."""
    number = whole_number(sent.get(name))
    if number is None:
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    return number
