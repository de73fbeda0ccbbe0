"""Where comparisons are found."""

from django.utils.translation import gettext as _

from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound
from workflows.backtests import use_cases
from workflows.models import Backtest


def find_comparison(actor: Actor, slug: str, backtest_id: str) -> Backtest:
    """A backtest of a workflow; one that nobody replays is taken up."""
    backtest = use_cases.open_backtest(actor, backtest_id)
    if backtest.workflow != slug:
        raise NotFound(_("There is no such comparison. It may have been removed."))
    return backtest
