"""What a policy would have cost on past conversations, in words for cards, panels and pages."""

from dataclasses import dataclass
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ctxadmin.ui.components import join_sentences
from ctxadmin.ui.templatetags.ui import grouped
from workflows.costs.elements import DraftCosts, Offer, PricedElement
from workflows.domain.backtests.sampling import FEWEST_CALLS, ElementCost
from workflows.domain.backtests.table import shown_percent

_HUNDRED: Final = 100


@dataclass(frozen=True, slots=True)
class CostWords:
    """What stands on a card (``line``) and beside it; empty where there is nothing to say.

    ``brief`` is the same for a heading, where something always stands.
    ``warning`` is said in amber; ``offer`` is the label of the button that takes a budget.
    ``sometimes`` says at how many calls a condition is false, where it is true at others.
    """

    line: str
    brief: str
    said: str
    basis: str
    warning: str
    offer: str
    sometimes: str = ""

    @property
    def raises(self) -> bool:
        return bool(self.warning)


def cost_words(priced: PricedElement) -> CostWords:
    """The words of one element."""
    cost = priced.cost
    if not cost.is_known:
        text = ngettext(
            "Not enough conversations to estimate costs: %(n)s call of at least %(least)s.",
            "Not enough conversations to estimate costs: %(n)s calls of at least %(least)s.",
            cost.full.calls,
        )
        said = text % {"n": cost.full.calls, "least": FEWEST_CALLS}
        return CostWords("", _("not enough conversations"), said, "", "", "")
    change = change_line(cost)
    said = _("%(change)s against the full history.") % {"change": change}
    if not change:
        said = _("Sends and costs the same as the full history.")
    line = change if cost.is_reached else _unreached(cost)
    warning, as_if = _warning(priced), _as_if(cost)
    if warning and not cost.is_reached:
        warning = join_sentences([as_if, warning])
    elif as_if:
        said = join_sentences([as_if, said])
    return CostWords(
        line=line,
        brief=line or _("same as the full history"),
        said=join_sentences([said, _losing(cost)]),
        basis=f"{_calls(cost)} {price_words(cost)}",
        warning=warning,
        offer="" if priced.offer is None else offer_words(priced.offer),
        sometimes=as_if if cost.is_reached else "",
    )


def change_line(cost: ElementCost) -> str:
    """``-35 % tokens, -15 % cost``; empty if neither changes by half a percent."""
    sent, change = cost.sent_change, cost.cost_change
    if not any(round(each or 0, 2) for each in (sent, change)):
        return ""
    words = {"tokens": change_words(sent), "cost": change_words(change)}
    if change is None:
        return _("%(tokens)s tokens") % words
    return _("%(tokens)s tokens, %(cost)s cost") % words


def change_words(share: float | None) -> str:
    """Returns a change in percent with its sign: ``+61 %``, ``−15 %``, ``±0 %``."""
    percent = shown_percent(share or 0)
    sign = "+" if percent > 0 else "−" if percent < 0 else "±"
    number = grouped(abs(percent)) if isinstance(percent, int) else number_format(abs(percent), 1)
    return f"{sign}{number} %"


def price_words(cost: ElementCost) -> str:
    """By which prices the cost is reported."""
    if cost.is_priced:
        return _("Prices of %(model)s.") % {"model": cost.element.model}
    return _("No price of a model: in proportion, cached %(cached)s, cache write %(write)s.") % {
        "cached": cost.price.cached,
        "write": cost.price.cache_write,
    }


def sample_words(found: DraftCosts) -> str:
    """On how many conversations costs are reported, or why on none."""
    if not found.wanted:
        if found.left_out:
            return _("All conversations are too long to estimate costs here.")
        return _(
            "No conversations in this workspace yet: costs are shown once some are imported or run."
        )
    if not found.is_whole:
        return _("Estimating costs: %(done)s of %(wanted)s conversations.") % {
            "done": found.done,
            "wanted": found.wanted,
        }
    said = _sample(found)
    if found.left_out:
        text = ngettext(
            "%(n)s is left out, because it is too long or damaged.",
            "%(n)s are left out, because they are too long or damaged.",
            found.left_out,
        )
        said = join_sentences([said, text % {"n": found.left_out}])
    return said


def replayed_words(found: DraftCosts) -> str:
    """Returns what costs are measured on, to stand beside them: ``12 conversations replayed``."""
    text = ngettext("%(n)s conversation replayed", "%(n)s conversations replayed", found.done)
    return text % {"n": grouped(found.done)}


def _sample(found: DraftCosts) -> str:
    own = found.done - found.others
    if found.others and not own:
        text = ngettext(
            "On the latest conversation of this workspace: this workflow has none yet.",
            "On the latest %(n)s conversations of this workspace: this workflow has none yet.",
            found.others,
        )
        return text % {"n": found.others}
    if found.others:
        return _(
            "This workflow has few messages yet: estimated on its own conversations (%(own)s) and "
            "the latest others of this workspace (%(others)s)."
        ) % {"own": own, "others": found.others}
    text = ngettext(
        "On the latest conversation of this workflow.",
        "On the latest %(n)s conversations of this workflow.",
        own,
    )
    return text % {"n": own}


def offer_words(offer: Offer) -> str:
    """The label of the button that takes the budget into the draft."""
    return _("Use budget %(most)s to %(target)s (%(change)s cost)") % {
        "most": grouped(offer.budget.max_tokens),
        "target": grouped(offer.budget.target_tokens),
        "change": change_words(offer.cost.cost_change),
    }


def _warning(priced: PricedElement) -> str:
    cost = priced.cost
    if not cost.raises_cost:
        return ""
    said = _("Raises the cost by %(share)s %%: the provider's cache has less of each call.") % {
        "share": grouped(round((cost.cost_change or 0) * _HUNDRED))
    }
    if priced.is_searched and priced.offer is None:
        none = _("No budget in its place would help.")
        said = join_sentences([said, none])
    return said


def _unreached(cost: ElementCost) -> str:
    text = ngettext(
        "not reached in %(n)s of %(all)s conversation",
        "not reached in %(n)s of %(all)s conversations",
        cost.conversations,
    )
    return text % {"n": grouped(cost.unreached), "all": grouped(cost.conversations)}


def _as_if(cost: ElementCost) -> str:
    if not cost.unreached_calls:
        return ""
    text = ngettext(
        "A condition is false at %(n)s of %(all)s call; estimated as if it were true.",
        "A condition is false at %(n)s of %(all)s calls; estimated as if it were true.",
        cost.sums.calls,
    )
    return text % {"n": grouped(cost.unreached_calls), "all": grouped(cost.sums.calls)}


def _losing(cost: ElementCost) -> str:
    share = round(cost.sums.losing * _HUNDRED / cost.sums.calls) if cost.sums.calls else 0
    text = ngettext(
        "%(n)s call in 100 loses a part of its cached prefix.",
        "%(n)s calls in 100 lose a part of their cached prefix.",
        share,
    )
    return text % {"n": share}


def _calls(cost: ElementCost) -> str:
    count = {"n": grouped(cost.full.calls)}
    if cost.by_node:
        text = ngettext("%(n)s call of this node.", "%(n)s calls of this node.", cost.full.calls)
    else:
        text = ngettext("%(n)s call of any node.", "%(n)s calls of any node.", cost.full.calls)
    return text % count
