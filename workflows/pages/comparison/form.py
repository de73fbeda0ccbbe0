"""The form of a comparison: what is asked for, and what is wrong with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.http import QueryDict
from django.utils.translation import gettext as _
from pydantic import JsonValue

from conversations.domain.prices import Price
from conversations.workspace.matching import STATUSES
from conversations.workspace.pricing import prices_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Text
from workflows.backtests.use_cases import MOST_CONVERSATIONS
from workflows.domain.backtests.budget_offers import Budget
from workflows.domain.backtests.presets import DEFAULT_PRICE, PRESETS, RATIOS
from workflows.domain.document.graph import Document, Node
from workflows.pages.comparison.labels import DROP_LABELS, PRESET_LABELS, RATIO_LABELS

MOST_POLICIES: Final = 12
MOST_VARIANTS: Final = 6
_MOST_TOKENS: Final = 1_000_000_000
MOST_NODES: Final = 40  # that the form lists; others are found by their name
_MOST_SCHEMAS: Final = 100_000  # characters
_EMPTY_VARIANTS: Final = 2  # that are offered at least
USUAL: Final = 20
_USUAL_PRESETS: Final = ("last_6", "trim", "budget", "results_budget")


@dataclass(frozen=True, slots=True)
class Choice:
    """A checkbox or an option."""

    value: str
    label: Text
    chosen: bool


@dataclass(frozen=True, slots=True)
class NodeChoices:
    """The nodes that the form lists: the selected ones, and the first that match ``search``.

    ``search`` is None for so few that all are listed; ``more`` others match as well.
    """

    listed: Sequence[Choice]
    search: str | None = None
    more: int = 0


@dataclass(frozen=True, slots=True)
class VariantFields:
    """The input for one budget, and its problems."""

    number: int
    drop: str
    most: str
    target: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class FirstValues:
    """What a form has that nobody filled in yet: where conversations are, budgets that fit them."""

    scope: str = "workflow"
    budgets: Sequence[Budget] = ()


@dataclass(frozen=True, slots=True)
class CompareForm:
    """What is asked for; ``errors`` are by the names of fields, ``price`` is that of ``model``.

    ``policies`` are JSON as ``POST /backtests`` takes it. ``is_fitted``: the variants are budgets
    that fit the conversations.
    """

    last: str
    scope: str
    status: str
    text: str
    calls_of: str
    tools: str
    ratio: str
    model: str
    price: Price
    statuses: Sequence[Choice]
    callers: Sequence[Choice]
    presets: Sequence[Choice]
    nodes: NodeChoices
    ratios: Sequence[Choice]
    drops: Sequence[tuple[str, Text]]
    variants: Sequence[VariantFields]
    policies: Sequence[JsonValue]
    schemas: JsonValue = None
    is_fitted: bool = False
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Returns how many conversations to compare, if there are no errors."""
        return int(self.last)

    @property
    def is_wrong(self) -> bool:
        return bool(self.errors) or any(each.error for each in self.variants)

    @property
    def has_details(self) -> bool:
        """True if one of the fields is used that few need."""
        return bool(self.status or self.text or self.calls_of or self.tools)


def read_form(
    data: QueryDict, document: Document, actor: Actor, first: FirstValues | None = None
) -> CompareForm:
    """The form of what was sent; one that asks for nothing yet has the usual policies chosen."""
    asked = "last" in data
    first = FirstValues() if asked or first is None else first
    errors: dict[str, str] = {}
    last = data.get("last", str(USUAL)).strip()
    if not 1 <= (whole_number(last) or 0) <= MOST_CONVERSATIONS:
        errors["last"] = _("Enter a number from 1 to %(n)s.") % {"n": MOST_CONVERSATIONS}
    ratio, model, price = _prices(data, actor, errors)
    offered = [each for each in document.nodes if each.type != "start"]
    nodes = _nodes_asked(data, offered) if asked or "node" in data else _usual_nodes(offered)
    presets = [each for each in PRESETS if each in data.getlist("preset")]
    variants = _variants(data, first.budgets)
    chosen = presets if asked else _USUAL_PRESETS
    policies: list[JsonValue] = [{"name": named(each)[:200], "node": each.id} for each in nodes]
    policies += [{"preset": name} for name in chosen]
    policies += [_budget(each) for each in variants if each.most and not each.error]
    if not policies and not any(each.error for each in variants):
        errors["policies"] = _("Select at least one policy.")
    elif len(policies) > MOST_POLICIES:
        errors["policies"] = _("Select at most %(n)s policies.") % {"n": MOST_POLICIES}
    status = data.get("status", "")
    if status and status not in STATUSES:
        errors["status"] = _("Choose one of the statuses.")
    tools = data.get("tools", "").strip()
    calls_of = _caller(data.get("calls_of", "").strip()[:200], offered)
    return CompareForm(
        last=last,
        scope="all" if data.get("scope", first.scope) == "all" else "workflow",
        status=status,
        text=data.get("q", "").strip()[:200],
        calls_of=calls_of,
        tools=tools,
        ratio=ratio,
        model=model,
        price=price,
        statuses=[Choice(each, each, each == status) for each in STATUSES],
        callers=[Choice(each.id, named(each), each.id == calls_of) for each in offered],
        presets=[Choice(key, PRESET_LABELS[key], key in chosen) for key in PRESETS],
        nodes=_node_choices(offered, nodes, data.get("node_search", "").strip()[:200]),
        ratios=ratio_choices(ratio),
        drops=list(DROP_LABELS.items()),
        variants=variants,
        policies=policies,
        schemas=_schemas(tools, errors),
        is_fitted=bool(first.budgets) and "max_tokens" not in data,
        errors=errors,
    )


def read_prices(data: QueryDict, actor: Actor) -> tuple[str, str, Price] | None:
    """The ratio, the model and the price that are asked for, None unless they are right."""
    errors: dict[str, str] = {}
    found = _prices(data, actor, errors)
    return None if errors else found


def ratio_choices(ratio: str) -> list[Choice]:
    return [Choice(key, RATIO_LABELS[key], key == ratio) for key in RATIOS]


def named(node: Node) -> str:
    return node.name or node.id


def _prices(data: QueryDict, actor: Actor, errors: dict[str, str]) -> tuple[str, str, Price]:
    ratio = data.get("prices", DEFAULT_PRICE)
    if ratio not in RATIOS:
        ratio, errors["prices"] = DEFAULT_PRICE, _("Choose one of the prices.")
    model = data.get("model", "").strip()
    price = prices_of(actor.workspace).price_of(model[:200]) if model else None
    if model and price is None:
        errors["model"] = _("No price is known for this model.")
    return ratio, model, RATIOS[ratio] if price is None else price


def _schemas(text: str, errors: dict[str, str]) -> JsonValue:
    if not text:
        return None
    try:
        read = loads_strict(text[: _MOST_SCHEMAS + 1].encode())
    except ContextError:
        read = None
    if not isinstance(read, list) or len(text) > _MOST_SCHEMAS:
        errors["tools"] = _("Enter a JSON list of tool schemas, at most 100,000 characters.")
        return None
    return read


def _nodes_asked(data: QueryDict, offered: Sequence[Node]) -> list[Node]:
    wanted = set(data.getlist("node"))
    return [each for each in offered if each.id in wanted]


def _node_choices(offered: Sequence[Node], chosen: Sequence[Node], search: str) -> NodeChoices:
    if len(offered) <= MOST_NODES:
        return NodeChoices([Choice(each.id, named(each), each in chosen) for each in offered])
    wanted = search.casefold()
    others = [
        each
        for each in offered
        if each not in chosen and wanted in f"{named(each)}\n{each.id}".casefold()
    ]
    listed = [Choice(each.id, named(each), chosen=True) for each in chosen]
    listed += [Choice(each.id, named(each), chosen=False) for each in others[:MOST_NODES]]
    return NodeChoices(listed, search, max(len(others) - MOST_NODES, 0))


def _caller(typed: str, offered: Sequence[Node]) -> str:
    """Returns the id of the node that is typed by its id, or by its name."""
    if any(each.id == typed for each in offered):
        return typed
    return next((each.id for each in offered if each.name == typed), typed)


def _usual_nodes(offered: Sequence[Node]) -> list[Node]:
    return [each for each in offered if each.type == "llm"][:4]


def _variants(data: QueryDict, first: Sequence[Budget]) -> list[VariantFields]:
    """The budgets that were typed, else the first ones, and some empty ones behind them."""
    if "max_tokens" not in data and first:
        return [
            VariantFields(number, "oldest", str(each.max_tokens), str(each.target_tokens))
            for number, each in enumerate(first, start=1)
        ]
    columns = [data.getlist(name) for name in ("drop", "max_tokens", "target_tokens")]
    found: list[VariantFields] = []
    for number in range(min(max(map(len, columns)), MOST_VARIANTS)):
        drop, most, target = (
            each[number].strip() if number < len(each) else "" for each in columns
        )
        if most or target:
            found.append(_variant(len(found) + 1, drop, most, target))
    while len(found) < _EMPTY_VARIANTS or (len(found) < MOST_VARIANTS and found[-1].most):
        found.append(VariantFields(len(found) + 1, "oldest", "", ""))
    return found


def _variant(number: int, drop: str, most: str, target: str) -> VariantFields:
    error = ""
    upper, lower = whole_number(most, digits=10) or 0, whole_number(target, digits=10) or 0
    if not 0 < upper <= _MOST_TOKENS or not 0 < lower <= _MOST_TOKENS:
        error = _("Enter two numbers of tokens, each 1 or more.")
    elif lower >= upper:
        error = _("Enter a target below the maximum.")
    return VariantFields(number, drop if drop in DROP_LABELS else "oldest", most, target, error)


def _budget(typed: VariantFields) -> dict[str, JsonValue]:
    block: dict[str, JsonValue] = {
        "max_tokens": int(typed.most),
        "target_tokens": int(typed.target),
    }
    if typed.drop != "oldest":
        block["drop"] = typed.drop
    return {
        "name": f"Budget {int(typed.most):,} to {int(typed.target):,}",
        "messages": [{"operation": "budget", "budget": block, "pairing": "keep"}],
    }
