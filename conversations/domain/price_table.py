"""Public prices of models: a table that is part of ctxadmin, searched by the model's name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import orjson

from conversations.domain.prices import Price

FILE: Final = Path(__file__).with_name("prices.json")
_KEPT: Final = 4096  # names whose price is remembered; a workspace has some dozens

# ["is" | "starts" | "ends" | "has" | "like", text], or ["any" | "all", test, ...].
Test: TypeAlias = Sequence["str | Test"]


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The source of the table, its version, its date, and the number of its models."""

    source: str
    version: str
    date: str
    models: int


@dataclass(frozen=True, slots=True)
class _Provider:
    """A provider.

    ``names`` matches those of its models, None if other providers share such names.
    """

    id: str
    names: Test | None
    models: Sequence[tuple[Test, str, str, str, str]]


@dataclass(frozen=True, slots=True)
class _Contents:
    table: PriceTable
    providers: Mapping[str, _Provider]


def price_table() -> PriceTable:
    return _contents().table


@lru_cache(maxsize=_KEPT)
def public_price(model: str) -> Price | None:
    """Returns the price of a model by its name, None for an unknown one.

    A name can begin with its provider: ``anthropic/claude-sonnet-4-5``, ``openai:gpt-5``. A name
    without one is looked up at the provider with models of such names.
    """
    name, providers = model.strip().lower(), _contents().providers
    for separator in "/:":
        first, found, rest = name.partition(separator)
        if found and (provider := providers.get(first)):
            return _price_at(provider, rest) or _price_at(provider, name)
    for provider in providers.values():
        if provider.names is not None and _fits(provider.names, name):
            return _price_at(provider, name)
    return None


def _price_at(provider: _Provider, name: str) -> Price | None:
    for test, *numbers in provider.models:
        if _fits(test, name):
            return Price(*map(Decimal, numbers))
    return None


def _fits(test: Test, name: str) -> bool:
    kind, *rest = test
    match kind, rest:
        case "is", [str() as text]:
            return name == text
        case "starts", [str() as text]:
            return name.startswith(text)
        case "ends", [str() as text]:
            return name.endswith(text)
        case "has", [str() as text]:
            return text in name
        case "like", [str() as text]:
            return re.search(text, name) is not None
        case "any", tests:
            return any(_fits(each, name) for each in tests)
        case "all", tests:
            return all(_fits(each, name) for each in tests)
    raise ValueError(f"unknown test {kind!r}")


@cache
def _contents() -> _Contents:
    """Returns the whole file: 190 KB, read in 3 ms on first use."""
    document = orjson.loads(FILE.read_bytes())
    providers = [_Provider(**each) for each in document["providers"]]
    table = PriceTable(
        source=document["source"],
        version=document["version"],
        date=document["date"],
        models=sum(len(each.models) for each in providers),
    )
    return _Contents(table, {each.id: each for each in providers})
