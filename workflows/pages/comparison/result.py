"""A comparison of policies as a table and plots."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.utils.translation import gettext as _

from ctxadmin.ui.components import Text
from ctxadmin.ui.plots import Plot, Series, highest, stacked
from ctxadmin.ui.sentences import translated
from ctxadmin.ui.templatetags.ui import dollars, thousands
from workflows.domain.backtests.sums import Comparison, PolicySums, compare
from workflows.pages.comparison.form import CompareForm
from workflows.policy_costs import PolicyCosts

_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """One policy; changes are words against the full history, empty where there are none."""

    label: Text
    found: Comparison
    cost: str
    sent_change: str
    cost_change: str
    cached_share: float | None
    node: str = ""
    problem: str = ""
    open_url: str = ""


@dataclass(frozen=True, slots=True)
class CallLine:
    """What one call cost by each policy, on average over the conversations that had it."""

    number: int
    conversations: int
    costs: Sequence[str]


@dataclass(frozen=True, slots=True)
class CompareResult:
    """The table, the plots of the cost per call, one for each policy, and their numbers."""

    conversations: int
    calls: int
    long: Sequence[str]
    lines: Sequence[PolicyLine]
    plots: Sequence[Plot]
    call_lines: Sequence[CallLine]
    has_best: bool


def policy_labels(form: CompareForm) -> list[Text]:
    """What the rows are called, in their order."""
    return [_("Full history"), _("As recorded"), *(each.label for each in form.policies)]


def compare_result(found: PolicyCosts, form: CompareForm, open_url: str) -> CompareResult:
    """``open_url`` opens a call of a conversation by the policy whose place is added to it."""
    compared = compare(found.sums, form.price)
    labels = policy_labels(form)
    nodes = ["", "", *(each.node for each in form.policies)]
    return CompareResult(
        conversations=len(found.names),
        calls=found.sums[0].calls,
        long=found.long,
        lines=[
            _line(each, label, node, f"{open_url}{place}", form)
            for place, (each, label, node) in enumerate(zip(compared, labels, nodes, strict=True))
        ],
        plots=_plots(found.sums, labels, form),
        call_lines=_call_lines(found.sums, form),
        has_best=any(each.is_best for each in compared),
    )


def cost_words(cost: Decimal, form: CompareForm) -> str:
    """Dollars by the price of a model; by prices in proportion, tokens at the full price."""
    return dollars(cost) if form.model else thousands(round(cost * _MILLION))


def _line(each: Comparison, label: Text, node: str, url: str, form: CompareForm) -> PolicyLine:
    sums = each.sums
    return PolicyLine(
        label=label,
        found=each,
        cost=cost_words(sums.cost(form.price), form),
        sent_change=_change(each.sent_change),
        cost_change=_change(each.cost_change),
        cached_share=sums.cached / sums.sent if sums.sent else None,
        node=node,
        problem=translated(sums.problem),
        open_url=url,
    )


def _change(share: float | None) -> str:
    """A change as whole percents with its sign: ``+61 %``, ``−15 %``, ``±0 %``."""
    if share is None:
        return ""
    whole = round(share * 100)
    sign = "+" if whole > 0 else "−" if whole < 0 else "±"
    return f"{sign}{abs(whole)} %"


def _shares(sums: PolicySums, form: CompareForm) -> tuple[Series, Series]:
    """The cost per call that is of cached tokens, and of fresh ones."""
    price, places = form.price, sums.positions
    return (
        Series(
            "cached",
            _("Cached input"),
            [float(each.cached * price.cached) / each.calls for each in places],
        ),
        Series(
            "fresh",
            _("Fresh input"),
            [float((each.sent - each.cached) * price.cache_write) / each.calls for each in places],
        ),
    )


def _plots(sums: Sequence[PolicySums], labels: Sequence[Text], form: CompareForm) -> list[Plot]:
    """All of the same height, so that bars of one can be compared with those of another."""
    count = len(sums[0].positions)
    series = [_shares(each, form) for each in sums]
    most = max((highest(count, each) for each in series), default=0.0)
    if not count:
        return []
    said = _("Bars of the average cost of each call. The table below has the numbers.")
    words = cost_words(Decimal(most) / _MILLION, form)
    return [
        Plot(
            title=label,
            spoken=said,
            bars=stacked(count, each, most)[0],
            legend=(),
            most=words,
            first=_("Call %(n)s") % {"n": 1},
            last=_("Call %(n)s") % {"n": count} if count > 1 else "",
        )
        for label, each in zip(labels, series, strict=True)
    ]


def _call_lines(sums: Sequence[PolicySums], form: CompareForm) -> list[CallLine]:
    costs = [
        [sum(each.values[place] for each in _shares(policy, form)) for policy in sums]
        for place in range(len(sums[0].positions))
    ]
    return [
        CallLine(
            number=place + 1,
            conversations=sums[0].positions[place].calls,
            costs=[cost_words(Decimal(each) / _MILLION, form) for each in line],
        )
        for place, line in enumerate(costs)
    ]
