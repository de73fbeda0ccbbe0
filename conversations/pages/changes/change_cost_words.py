"""What a change of the view costs, in words."""

from decimal import Decimal
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.domain.change_costs import ChangeCost
from ctxadmin.ui.components import join_line
from ctxadmin.ui.templatetags.ui import dollars, grouped

# From so many calls on, few conversations are long enough for it to pay.
_LATE: Final = 10


def cost_text(cost: ChangeCost, *, in_money: bool = False) -> str:
    """``2,554 tokens must be sent again once; each later call sends 242 fewer``.

    ``in_money``: the prices are those of the conversation's model, so dollars stand beside.
    """
    parts = [_sent_again(cost, in_money=in_money), _later(cost, in_money=in_money)]
    return join_line(part for part in parts if part)


def _sent_again(cost: ChangeCost, *, in_money: bool) -> str:
    if not cost.sent_again:
        return _("Nothing must be sent again")
    text = ngettext(
        "%(n)s token must be sent again once",
        "%(n)s tokens must be sent again once",
        cost.sent_again,
    )
    return text % {"n": grouped(cost.sent_again)} + _money(cost.sending, in_money=in_money)


def _later(cost: ChangeCost, *, in_money: bool) -> str:
    fewer = cost.fewer_tokens
    if not fewer:
        return ""
    text = (
        _("each later call sends %(n)s fewer")
        if fewer > 0
        else _("each later call sends %(n)s more")
    )
    return text % {"n": grouped(abs(fewer))} + _money(abs(cost.saved), in_money=in_money)


def _money(amount: Decimal, *, in_money: bool) -> str:
    return f" ({dollars(amount)})" if in_money and amount > 0 else ""


def cost_warning(cost: ChangeCost) -> str:
    """Returns what is said in amber of a change that hides messages and pays late; else empty."""
    calls = cost.pays_after
    if calls is None or calls <= _LATE:
        return ""
    text = _(
        "It pays off only after %(n)s calls: the provider reads unchanged messages from its cache, "
        "and everything after the change must be sent again."
    )
    return text % {"n": grouped(calls)}
