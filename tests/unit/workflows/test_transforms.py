"""The builtin transforms: what each does, and that none does harm."""

from collections.abc import Callable

import pytest
from pydantic import JsonValue

from workflows.domain.context.transforms import BUILTIN_TRANSFORMS


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("uppercase", "aé", "AÉ"),
        ("lowercase", "AÉ", "aé"),
        ("strip", "  a \n", "a"),
        ("one_line", " a \n\n b\tc ", "a b c"),
        ("first_line", "\n one \ntwo", "one"),
        ("truncate", "x" * 1001, "x" * 999 + "…"),
        ("truncate", "x" * 1000, "x" * 1000),
        ("truncate_100", "x" * 101, "x" * 99 + "…"),
        ("truncate_100", list(range(101)), list(range(100))),
        ("to_string", {"b": 1, "a": [None]}, '{"b":1,"a":[null]}'),
        ("to_string", "as it is", "as it is"),
        ("json", {"b": 1, "a": True}, '{"a":true,"b":1}'),
        ("json", "as it is", "as it is"),
        ("json_pretty", {"a": [1]}, '{\n  "a": [\n    1\n  ]\n}'),
        ("parse_json", '{"a": [1, null]}', {"a": [1, None]}),
        ("parse_json", "{no json", "{no json"),
        ("parse_json", "NaN", "NaN"),
        ("to_number", "12", 12),
        ("to_number", "-2.50", -2.5),
        ("to_number", "1e3", 1000.0),
        ("to_number", "1e999", "1e999"),
        ("to_number", "1_000", "1_000"),
        ("to_number", "twelve", "twelve"),
        ("to_boolean", "", False),
        ("to_boolean", [], True),
        ("to_boolean", None, False),
        ("length", "用户", 2),
        ("length", {"a": 1}, 1),
        ("length", None, 0),
        ("length", 7, 7),
        ("redact", {"secret": 1}, "[redacted]"),
        ("first", [1, 2], 1),
        ("first", [], None),
        ("last", [1, 2], 2),
        ("keys", {"b": 1, "a": 2}, ["b", "a"]),
        ("values", {"b": 1, "a": 2}, [1, 2]),
        ("without_nulls", {"a": None, "b": 0}, {"b": 0}),
        ("without_nulls", [None, False], [False]),
        ("reverse", [1, 2], [2, 1]),
    ],
)
def test_a_transform_does_what_its_name_says(
    name: str, before: JsonValue, after: JsonValue
) -> None:
    result = BUILTIN_TRANSFORMS[name](before)
    assert (type(result), result) == (type(after), after)


ODD: list[JsonValue] = [
    None, True, 0, -1.5, "", "x" * 5000, "\x00", [], {}, [None], {"a": {"b": [1]}}, 2**63,
]  # fmt: skip


@pytest.mark.parametrize("name", BUILTIN_TRANSFORMS)
@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_a_builtin_transform_takes_any_value_and_leaves_it_as_it_was(
    name: str, value: JsonValue
) -> None:
    transform: Callable[[JsonValue], JsonValue] = BUILTIN_TRANSFORMS[name]
    before = repr(value)
    transform(value)
    assert repr(value) == before


@pytest.mark.parametrize("name", BUILTIN_TRANSFORMS)
def test_no_transform_grows_a_text_again_and_again(name: str) -> None:
    value: JsonValue = '"\\' * 50
    for _ in range(40):
        value = BUILTIN_TRANSFORMS[name](value)
    assert len(str(value)) <= 200
