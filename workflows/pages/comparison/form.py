"""The form of a comparison: what is asked for in the address, and what is wrong with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from conversations.domain.prices import Price
from conversations.pricing import prices_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Text
from ctxadmin.ui.templatetags.ui import grouped
from workflows.domain.backtests.policies import PolicyConfig
from workflows.domain.backtests.presets import DEFAULT_PRICE, PRESETS, RATIOS
from workflows.domain.graph import Document, Node
from workflows.policy_costs import MOST_CONVERSATIONS

MOST_POLICIES: Final = 12
_MOST_TOKENS: Final = 1_000_000_000
_MOST_NODES: Final = 40  # that the form offers
_BUDGETS: Final = 3
_USUAL: Final = 20
_USUAL_PRESETS: Final = ("last_6", "trim", "budget", "results_budget")

PRESET_LABELS: Final[Mapping[str, Text]] = {
    "last_6": gettext_lazy("Last 6, keep system"),
    "last_5_naive": gettext_lazy("Last 5, pairs split"),
    "trim": gettext_lazy("Trim to 2,500 at each call"),
    "clear_results": gettext_lazy("Clear all but 2 results"),
    "budget": gettext_lazy("Budget 2,500 to 1,900"),
    "deep_budget": gettext_lazy("Budget 2,500 to 1,600"),
    "turns_budget": gettext_lazy("Whole turns, 2,500 to 1,600"),
    "results_budget": gettext_lazy("Results, 2,500 to 1,600"),
}
RATIO_LABELS: Final[Mapping[str, Text]] = {
    "write_surcharge": gettext_lazy("Cached 0.1, cache write 1.25"),
    "cheap_cache": gettext_lazy("Cached 0.1, cache write 1"),
    "half_price_cache": gettext_lazy("Cached 0.5, cache write 1"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A checkbox or an option."""

    value: str
    label: Text
    chosen: bool


@dataclass(frozen=True, slots=True)
class BudgetFields:
    """What was typed for one budget, and what is wrong with it."""

    number: int
    most: str
    target: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class ComparedPolicy:
    """A policy that was asked for, with its name for readers; ``node`` is that of the draft."""

    config: PolicyConfig
    label: Text
    node: str = ""


@dataclass(frozen=True, slots=True)
class CompareForm:
    """What is asked for; ``errors`` are by the names of fields, ``price`` is that of ``model``."""

    last: str
    ratio: str
    model: str
    price: Price
    presets: Sequence[Choice]
    nodes: Sequence[Choice]
    more_nodes: int
    ratios: Sequence[Choice]
    budgets: Sequence[BudgetFields]
    policies: Sequence[ComparedPolicy]
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many conversations, if there are no errors."""
        return int(self.last)

    @property
    def is_wrong(self) -> bool:
        return bool(self.errors) or any(each.error for each in self.budgets)


def read_form(data: QueryDict, document: Document, actor: Actor) -> CompareForm:
    """The form of an address; one that asks for nothing yet has the usual policies chosen."""
    asked = "last" in data
    errors: dict[str, str] = {}
    last = data.get("last", str(_USUAL)).strip()
    if not 1 <= (whole_number(last) or 0) <= MOST_CONVERSATIONS:
        errors["last"] = _("Enter a number from 1 to %(n)s.") % {"n": MOST_CONVERSATIONS}
    ratio = data.get("prices", DEFAULT_PRICE)
    if ratio not in RATIOS:
        ratio, errors["prices"] = DEFAULT_PRICE, _("Choose one of the prices.")
    model = data.get("model", "").strip()
    price = prices_of(actor.workspace).price_of(model[:200]) if model else None
    if model and price is None:
        errors["model"] = _("No price is known for this model.")
    offered = [each for each in document.nodes if each.type != "start"]
    nodes = _nodes_asked(data, offered) if asked else _usual_nodes(offered)
    presets = [each for each in PRESETS if each in data.getlist("preset")]
    budgets = _budgets(data)
    policies = [
        *_node_policies(nodes),
        *_preset_policies(presets if asked else _USUAL_PRESETS),
        *(_budget_policy(each) for each in budgets if each.most and not each.error),
    ]
    if not policies and not any(each.error for each in budgets):
        errors["policies"] = _("Select at least one policy.")
    elif len(policies) > MOST_POLICIES:
        errors["policies"] = _("Select at most %(n)s policies.") % {"n": MOST_POLICIES}
    chosen = {each.config.preset or each.node for each in policies}
    return CompareForm(
        last=last,
        ratio=ratio,
        model=model,
        price=RATIOS[ratio] if price is None else price,
        presets=[Choice(key, PRESET_LABELS[key], key in chosen) for key in PRESETS],
        nodes=[Choice(each.id, _named(each), each in nodes) for each in offered[:_MOST_NODES]],
        more_nodes=max(len(offered) - _MOST_NODES, 0),
        ratios=[Choice(key, RATIO_LABELS[key], key == ratio) for key in RATIOS],
        budgets=budgets,
        policies=policies,
        errors=errors,
    )


def _named(node: Node) -> str:
    return node.name or node.id


def _nodes_asked(data: QueryDict, offered: Sequence[Node]) -> list[Node]:
    wanted = set(data.getlist("node"))
    return [each for each in offered if each.id in wanted]


def _usual_nodes(offered: Sequence[Node]) -> list[Node]:
    return [each for each in offered if each.type == "llm"][:4]


def _node_policies(nodes: Sequence[Node]) -> list[ComparedPolicy]:
    return [
        ComparedPolicy(PolicyConfig(name=_named(each)[:200], node=each.id), _named(each), each.id)
        for each in nodes
    ]


def _preset_policies(names: Sequence[str]) -> list[ComparedPolicy]:
    return [ComparedPolicy(PolicyConfig(preset=name), PRESET_LABELS[name]) for name in names]


def _budgets(data: QueryDict) -> list[BudgetFields]:
    """The budgets that were typed; two that are next to each other in the address are one."""
    most, target = data.getlist("max_tokens")[:_BUDGETS], data.getlist("target_tokens")[:_BUDGETS]
    return [
        _budget_fields(
            number,
            most[number].strip() if number < len(most) else "",
            target[number].strip() if number < len(target) else "",
        )
        for number in range(_BUDGETS)
    ]


def _budget_fields(number: int, most: str, target: str) -> BudgetFields:
    error = ""
    if most or target:
        upper, lower = whole_number(most, digits=10) or 0, whole_number(target, digits=10) or 0
        if not 0 < upper <= _MOST_TOKENS or not 0 < lower <= _MOST_TOKENS:
            error = _("Enter two numbers of tokens, each 1 or more.")
        elif lower >= upper:
            error = _("Enter a target below the maximum.")
    return BudgetFields(number + 1, most, target, error)


def _budget_policy(typed: BudgetFields) -> ComparedPolicy:
    most, target = int(typed.most), int(typed.target)
    block = {"max_tokens": most, "target_tokens": target}
    config = PolicyConfig.model_validate(
        {
            "name": f"Budget {most:,} to {target:,}",
            "messages": [{"operation": "budget", "budget": block, "pairing": "keep"}],
        }
    )
    words = {"most": grouped(most), "target": grouped(target)}
    return ComparedPolicy(config, _("Budget %(most)s to %(target)s") % words)
