"""Where comparisons are found."""

from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound
from workflows import backtests
from workflows.models import Backtest


def compare_url(slug: str, query: str = "") -> str:
    """The form of a workflow, with some fields filled in."""
    url = reverse("workflows:compare", args=[slug])
    return f"{url}?{query}" if query else url


def compare_url_of(slug: str, element: str, name: str) -> str:
    """The form with a node chosen; "" for an edge, or for a node that has no id yet."""
    is_node = element == "node" and bool(name)
    return compare_url(slug, urlencode({"node": name})) if is_node else ""


def find_comparison(actor: Actor, slug: str, backtest_id: str) -> Backtest:
    """A backtest of a workflow; one that nobody replays is taken up."""
    backtest = backtests.look(actor, backtest_id)
    if backtest.workflow != slug:
        raise NotFound(_("There is no such comparison. It may have been removed."))
    return backtest
