"""What a change of the view costs, in words."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.domain.change_costs import USUAL, ChangeCost
from ctxadmin.ui.templatetags.ui import grouped

# From so many calls on, few conversations are long enough for it to pay.
_LATE: Final = 10
_HUNDRED: Final = 100


def cost_text(cost: ChangeCost) -> str:
    """``+285 %, each later call −60 %, pays off after 6 calls``; empty if nothing has a cost."""
    if cost.next_change is None or cost.later_change is None:
        return ""
    words = {"next": _share(cost.next_change), "later": _share(cost.later_change)}
    costs = _("%(next)s, each later call %(later)s") % words
    calls = cost.pays_after
    if calls is not None and cost.next > cost.without:
        text = ngettext("pays off after %(n)s call", "pays off after %(n)s calls", calls)
        payback = text % {"n": grouped(calls)}
        costs = _("%(costs)s, %(payback)s") % {"costs": costs, "payback": payback}
    ratios = {"cached": USUAL.cached, "write": USUAL.cache_write}
    basis = _("in proportion: cached %(cached)s, cache write %(write)s") % ratios
    return _("%(costs)s (%(basis)s)") % {"costs": costs, "basis": basis}


def cost_warning(cost: ChangeCost) -> str:
    """Said in amber of a change that hides messages and pays late or never; else empty."""
    if cost.next_change is None or cost.next <= cost.without:
        return ""
    share = {"share": grouped(round(cost.next_change * _HUNDRED))}
    if cost.pays_after is None:
        return _("The next call costs %(share)s %% more, and no later one costs less.") % share
    if cost.pays_after <= _LATE:
        return ""
    text = _(
        "The next call costs %(share)s %% more, and the change pays off after %(n)s calls. Hide "
        "more at once, or set a budget whose target is far below its maximum."
    )
    return text % {**share, "n": grouped(cost.pays_after)}


def _share(share: float) -> str:
    whole = round(share * _HUNDRED)
    sign = "+" if whole > 0 else "−" if whole < 0 else "±"
    return f"{sign}{grouped(abs(whole))} %"
