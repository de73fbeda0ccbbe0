"""The table of public prices, and the rules of a workspace that stand above it."""

from decimal import Decimal
from fnmatch import fnmatchcase

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.price_rules import PriceRule, PriceRules, set_price
from conversations.domain.price_table import FILE, price_table, public_price
from conversations.domain.prices import Price
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ValidationFailed

RULE = {"pattern": "own-*", "input": 1, "output": 2}


def test_known_models_have_their_public_prices() -> None:
    haiku = public_price("claude-haiku-4-5-20251001")
    assert haiku is not None
    assert (haiku.input, haiku.cached) == (Decimal(1), Decimal("0.1"))
    assert (haiku.cache_write, haiku.output) == (Decimal("1.25"), Decimal(5))
    mini = public_price("gpt-5-mini")
    assert mini is not None
    assert (mini.input, mini.cached) == (Decimal("0.25"), Decimal("0.025"))
    assert mini.output == 2
    assert mini.cache_write == mini.input


@pytest.mark.parametrize(
    "name", ["openai/gpt-5-mini", "openai:gpt-5-mini", " GPT-5-mini ", "gpt-5-mini-2025-08-07"]
)
def test_a_name_may_have_its_provider_and_another_case(name: str) -> None:
    assert public_price(name) == public_price("gpt-5-mini")


@pytest.mark.parametrize("name", ["", "ours", "gpt-", "openai/ours", "nobody/gpt-9", "x" * 128])
def test_a_model_that_no_one_knows_has_no_price(name: str) -> None:
    assert public_price(name) is None


def test_the_table_tells_where_it_is_from() -> None:
    table = price_table()
    assert table.source == "genai-prices"
    assert table.models > 1000
    assert len(table.date) == len("2026-11-24")


def test_no_price_is_negative() -> None:
    providers = orjson.loads(FILE.read_bytes())["providers"]
    models = [model for provider in providers for model in provider["models"]]
    assert all(Decimal(each) >= 0 for _, *numbers in models for each in numbers)


def test_the_first_rule_that_fits_decides() -> None:
    rules = parse(
        PriceRules,
        {"models": [RULE, {"pattern": "*", "input": 0, "output": 0}]},
    ).models
    own = set_price(rules, "Own-model")
    assert own is not None
    assert own == Price(*map(Decimal, (1, 1, 1, 2)))
    free = set_price(rules, "other")
    assert free is not None
    assert free.is_free
    assert set_price(rules[:1], "other") is None


def test_a_price_is_the_number_that_was_written() -> None:
    rule = parse(PriceRule, {**RULE, "cached": 0.1, "cache_write": 1.15})
    assert (rule.price.cached, rule.price.cache_write) == (Decimal("0.1"), Decimal("1.15"))


@given(st.text("ab*", min_size=1, max_size=8), st.text("ab", max_size=10))
def test_patterns_fit_as_those_of_files_do(pattern: str, name: str) -> None:
    rule = PriceRule.model_construct(pattern=pattern, input=0.0, output=0.0)
    assert rule.fits(name) == fnmatchcase(name, pattern)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"pattern": ""}, "/pattern"),
        ({"pattern": " a"}, "/pattern"),
        ({"pattern": "*" * 9}, "/pattern"),
        ({"pattern": "m" * 129}, "/pattern"),
        ({"input": -0.01}, "/input"),
        ({"input": 100_001}, "/input"),
        ({"output": "1"}, "/output"),
        ({"currency": "EUR"}, "/currency"),
    ],
)
def test_a_rule_that_is_wrong_is_refused_with_its_place(
    change: dict[str, object], pointer: str
) -> None:
    with pytest.raises(ValidationFailed) as refused:
        parse(PriceRule, {**RULE, **change})
    assert [problem.pointer for problem in refused.value.problems] == [pointer]
