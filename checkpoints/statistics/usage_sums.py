"""Sums of model usage in a workspace: by node, workflow version, execution, model, day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import Count, QuerySet, Sum

from checkpoints.domain.usage import cost_of
from checkpoints.models import Execution, Usage
from checkpoints.statistics.usage_costs import UsageSum, added_up, priced, sums_by_model
from conversations.models import Conversation
from conversations.workspace.pricing import Prices, prices_of
from ctxadmin.http.endpoints.pagination import Page, PageRequest, encode, offset_of
from ctxadmin.identity.actor import Actor

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "node": ("workflow", "node_id"),
    "workflow": ("workflow", "workflow_version"),
    "execution": ("conversation", "execution"),
    "model": ("model",),
    "day": ("day",),
}
_SUMS: Final = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost")
_MOST_MODELS: Final = 100_000  # rows of groups and models of one page


@dataclass(frozen=True, slots=True)
class UsageQuery:
    """The grouping of usage sums, and the first day (UTC)."""

    groups: Sequence[str]
    since: date


def usage_sums(actor: Actor, wanted: UsageQuery, request: PageRequest) -> Page[dict[str, object]]:
    """Returns the sums of each group with usage, ordered by the groups' values."""
    columns = [*dict.fromkeys(name for group in wanted.groups for name in COLUMNS[group])]
    rows = Usage.objects.filter(workspace=actor.workspace, day__gte=wanted.since.isoformat())
    start = offset_of(request)
    totals = {f"sum_{name}": Sum(name) for name in _SUMS}
    counts = {"steps": Count("*"), "costed": Count("cost")}
    found: list[dict[str, Any]]
    if columns:
        grouped = rows.values(*columns).annotate(**counts, **totals).order_by(*columns)
        found = list(grouped[start : start + request.limit + 1])
    else:
        found = [] if start else [rows.aggregate(**counts, **totals)]
    items = found[: request.limit]
    more = len(found) > request.limit
    names = _executions(items) if "execution" in columns else {}
    costs = _costs(rows, columns, items, prices_of(actor.workspace)) if items else {}
    return Page(
        [_as_json(row, columns, names) | _by_price(costs, row, columns) for row in items],
        encode((start + request.limit,)) if more else None,
    )


def _costs(
    rows: QuerySet[Usage],
    columns: Sequence[str],
    items: Sequence[Mapping[str, Any]],
    prices: Prices,
) -> Mapping[tuple[object, ...], UsageSum]:
    """Returns the cost of each group of a page by the prices of its models.

    One statement covers all groups: it names the values of each column, so it also sums a few
    groups that are not on the page.
    """
    for name in columns:
        values = {row[name] for row in items}
        if None not in values:
            rows = rows.filter(**{f"{name}__in": values})
    found = sums_by_model(rows, columns, _MOST_MODELS)
    return added_up((tuple(row[name] for name in columns), priced(row, prices)) for row in found)


def _by_price(
    costs: Mapping[tuple[object, ...], UsageSum], row: Mapping[str, Any], columns: Sequence[str]
) -> dict[str, object]:
    """Returns the cost of a group; rows written meanwhile can be missing, and count as unknown."""
    found = costs.get(tuple(row[name] for name in columns), UsageSum())
    cost = None if found.cost is None else float(found.cost)
    return {"price_cost": cost, "steps_with_price": found.priced}


def _executions(rows: Sequence[Mapping[str, Any]]) -> Mapping[tuple[int, int], tuple[str, str]]:
    """Returns the ids of conversations and executions by their numbers."""
    keys = {row["conversation"] for row in rows}
    heads = dict(Conversation.objects.filter(key__in=keys).values_list("key", "public_id"))
    runs = Execution.objects.filter(conversation__in=keys)
    return {
        (key, number): (heads.get(key, ""), name)
        for key, number, name in runs.values_list("conversation", "number", "public_id")
    }


def _as_json(
    row: Mapping[str, Any],
    columns: Sequence[str],
    names: Mapping[tuple[int, int], tuple[str, str]],
) -> dict[str, object]:
    shown: dict[str, object] = {}
    if "day" in columns:
        shown["day"] = row["day"]
    if "workflow" in columns:
        shown["workflow"] = row["workflow"] or None
    if "workflow_version" in columns:
        shown["workflow_version"] = row["workflow_version"]
    if "node_id" in columns:
        shown["node"] = row["node_id"]
    if "model" in columns:
        shown["model"] = row["model"] or None
    if "execution" in columns:
        place = (row["conversation"], row["execution"])
        shown["conversation"], shown["execution"] = names.get(place, ("", ""))
    sums = {name: int(row[f"sum_{name}"] or 0) for name in _SUMS[:-1]}
    cost = row["sum_cost"]
    return shown | {
        "steps": row["steps"],
        **sums,
        "cost": None if cost is None else cost_of(int(cost)),
        "steps_with_cost": row["costed"],
    }
