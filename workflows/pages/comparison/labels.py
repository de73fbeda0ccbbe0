"""What policies are called on pages, and what of them a node can take over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import JsonValue

from ctxadmin.ui.components import Text
from ctxadmin.ui.templatetags.ui import grouped
from workflows.backtests.questions import Question
from workflows.domain.backtests.presets import PRESETS

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
DROP_LABELS: Final[Mapping[str, Text]] = {
    "oldest": gettext_lazy("Oldest messages"),
    "oldest_turns": gettext_lazy("Oldest turns"),
    "tool_results": gettext_lazy("Old tool results"),
}


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """A row of a comparison: its name; the ``node`` that it is of, or its ``operations``."""

    label: Text
    node: str = ""
    operations: Sequence[JsonValue] = ()


def policy_rows(question: Question) -> list[PolicyRow]:
    """The rows of a backtest, in their order."""
    return [
        PolicyRow(_("Full history")),
        PolicyRow(_("As recorded")),
        *(_row(each) for each in question.policies if isinstance(each, dict)),
    ]


def _row(policy: Mapping[str, Any]) -> PolicyRow:
    if "preset" in policy:
        name = str(policy["preset"])
        return PolicyRow(policy.get("name") or PRESET_LABELS[name], "", PRESETS[name])
    if "node" in policy:
        node = str(policy["node"])
        return PolicyRow(policy.get("name") or node, node)
    operations = policy["messages"]
    return PolicyRow(_budget_label(policy) or policy.get("name") or _("Messages"), "", operations)


def _budget_label(policy: Mapping[str, Any]) -> str:
    """The name of a variant of the page in the reader's language; "" for other policies."""
    operations = policy["messages"]
    budget = operations[0].get("budget") if len(operations) == 1 else None
    if not isinstance(budget, dict):
        return ""
    most, target = budget.get("max_tokens"), budget.get("target_tokens")
    if not isinstance(most, int) or policy.get("name") != f"Budget {most:,} to {target:,}":
        return ""
    words = {"most": grouped(most), "target": grouped(target)}
    match budget.get("drop", "oldest"):
        case "oldest_turns":
            return _("Whole turns, %(most)s to %(target)s") % words
        case "tool_results":
            return _("Results, %(most)s to %(target)s") % words
        case _:
            return _("Budget %(most)s to %(target)s") % words
