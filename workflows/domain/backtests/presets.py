"""Policies that are known by name, and price models as ratios."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from pydantic import TypeAdapter

from conversations.domain.prices import Price
from ctxadmin.lib.contract import parse
from workflows.domain.filters.context_filter import Operations


def _budget(most: int, target: int, **options: object) -> dict[str, object]:
    block = {"max_tokens": most, "target_tokens": target, **options}
    return {"operation": "budget", "budget": block, "pairing": "keep"}


# The first four are what people do who look at the tokens alone, the others cut in batches.
PRESETS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "last_6": [
            {
                "operation": "truncate",
                "truncate": {"keep_last": 6, "keep_system": True},
                "pairing": "keep",
            }
        ],
        "last_5_naive": [{"operation": "truncate", "truncate": {"keep_last": 5}}],
        "trim": [_budget(2_500, 2_499, keep_turn_start=False)],
        "clear_results": [_budget(2, 1, drop="tool_results", keep_last_results=2)],
        "budget": [_budget(2_500, 1_900)],
        "deep_budget": [_budget(2_500, 1_600)],
        "turns_budget": [_budget(2_500, 1_600, drop="oldest_turns")],
        "results_budget": [_budget(2_500, 1_600, drop="tool_results", keep_last_results=2)],
    }
)
PRESET_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "last_6": "Last 6, keep system",
        "last_5_naive": "Last 5, pairs split",
        "trim": "Trim to 2,500 at each call",
        "clear_results": "Clear all but 2 results",
        "budget": "Budget 2,500 to 1,900",
        "deep_budget": "Budget 2,500 to 1,600",
        "turns_budget": "Whole turns, 2,500 to 1,600",
        "results_budget": "Results, 2,500 to 1,600",
    }
)
_OPERATIONS: Final = TypeAdapter(Operations)

DEFAULT_PRICE: Final = "write_surcharge"


def _ratios(cached: str, cache_write: str) -> Price:
    return Price(Decimal(1), Decimal(cached), Decimal(cache_write), Decimal(5))


# Prices in proportion to one input token of one dollar a million, where no model is named.
RATIOS: Final[Mapping[str, Price]] = MappingProxyType(
    {
        "write_surcharge": _ratios("0.1", "1.25"),
        "cheap_cache": _ratios("0.1", "1"),
        "half_price_cache": _ratios("0.5", "1"),
    }
)


@cache
def preset(name: str) -> Operations:
    """Returns the operations of a preset."""
    operations: Operations = parse(_OPERATIONS, PRESETS[name], "")
    return operations
