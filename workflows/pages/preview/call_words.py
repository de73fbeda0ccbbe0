"""What one call sends and costs, in words for the figures of a preview."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ctxadmin.ui.templatetags.ui import dollars, grouped
from workflows.costs.calls import CallCost
from workflows.pages.drawing.cost_words import change_words


@dataclass(frozen=True, slots=True)
class CallWords:
    """The figures of a call; ``reported`` is empty where nothing was reported yet."""

    sent: str
    full: str
    cost: str
    lost: str
    reported: str


def call_words(call: CallCost) -> CallWords:
    """The figures of a call beside the call before it."""
    change = change_words(call.cost_change)
    if call.model:
        words = {"cost": dollars(call.cost), "change": change}
        cost = _("%(cost)s (%(change)s)") % words
    else:
        cost = change
    lost = grouped(call.lost)
    if call.is_first:
        lost = _("first call, nothing is cached yet")
    return CallWords(
        sent=_parts(call.cached, call.fresh),
        full=_parts(call.full_cached, call.full_fresh),
        cost=cost if call.cost_change is not None else "–",
        lost=lost,
        reported=_reported(call),
    )


def _parts(cached: int, fresh: int) -> str:
    return _("%(cached)s cached, %(fresh)s fresh") % {
        "cached": grouped(cached),
        "fresh": grouped(fresh),
    }


def _reported(call: CallCost) -> str:
    known = call.calibration
    if known is None:
        return ""
    text = ngettext(
        "about %(tokens)s tokens for %(model)s, by %(n)s reported call",
        "about %(tokens)s tokens for %(model)s, by %(n)s reported calls",
        known.steps,
    )
    words = {
        "tokens": grouped(known.reported(call.sent)),
        "model": known.model,
        "n": grouped(known.steps),
    }
    return text % words
