"""Strict reading and canonical writing of JSON (rest.md, "JSON")."""

import tracemalloc

import orjson
import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import (
    MAX_DEPTH,
    NotJson,
    canonical,
    depth,
    digest,
    dumps,
    loads_strict,
)
from ctxadmin.lib.sentence import Sentence


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"  ",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b"[1.5e400]",
        b'"\\ud800"',
        b'{"\\udc00": 1}',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b"\xef\xbb\xbf{}",
        b"1 2",
        b"[1,]",
        b"01",
        b"'a'",
        b'"\x01"',
        b"{a: 1}",
    ],
)
def test_what_is_no_json_is_malformed(text: bytes) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        loads_strict(text)
    assert refusal.value.malformed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'{"a":1,"a":1}', "'a' occurs twice"),
        (b'{"a": 1, "\\u0061": 2}', "'a' occurs twice"),
        (b'[{"x":{"b":1,"c":2,"b":3}}]', "'b' occurs twice"),
        (b'{"a": ":", "b": 1, "a": "::"}', "'a' occurs twice"),
        (b'{"a": 1, "b": "\\u003a", "a": 1}', "'a' occurs twice"),
        (b'{"a": 1, "b": "\\u003A", "a": 1}', "'a' occurs twice"),
        (b"18446744073709551616", "does not fit into 64 bit"),
        (b"[-9223372036854775809]", "does not fit into 64 bit"),
        (b'{"a": 123456789012345678901234567890}', "does not fit into 64 bit"),
        (b"[" * 65 + b"]" * 65, "deeper than 64"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "deeper than 64"),
        (b"[" * 100_000 + b"]" * 100_000, "deeper than 64"),
        (b"[" * 100_000, "deeper than 64"),
    ],
)
def test_json_that_the_contract_forbids_is_refused_but_not_malformed(text: bytes, why: str) -> None:
    with pytest.raises(ValidationFailed, match=why) as refusal:
        loads_strict(text)
    assert not refusal.value.malformed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"18446744073709551615", 2**64 - 1),
        (b"-9223372036854775808", -(2**63)),
        (b'"18446744073709551616"', "18446744073709551616"),
        (b"0.1111111111111111111111", 0.1111111111111111111111),
        (b' {"a" : [1 , 2.50, "\\u4e2d"]} ', {"a": [1, 2.5, "中"]}),
        (b'"\\u0000\\n"', "\0\n"),
        (b"1E5", 100000.0),
        (b'{"a:b": ":", "c": "\\u003a"}', {"a:b": ":", "c": ":"}),
        (b'{"a":{"b":1},"c":{"b":1}}', {"a": {"b": 1}, "c": {"b": 1}}),
    ],
)
def test_everything_else_is_read(text: bytes, value: JsonValue) -> None:
    assert loads_strict(text) == value


def test_nesting_of_64_levels_is_fine() -> None:
    assert depth(loads_strict(b"[" * 64 + b"]" * 64)) == MAX_DEPTH


@pytest.mark.parametrize("beside", [b'""', b'"%s"' % (b"x" * 10_000)])
def test_nesting_of_65_levels_is_refused_in_short_and_in_long_texts(beside: bytes) -> None:
    with pytest.raises(ValidationFailed, match="nesting is deeper than 64"):
        loads_strict(b"[" * 65 + beside + b"]" * 65)


def test_brackets_in_texts_are_no_nesting() -> None:
    assert loads_strict(b'"' + b"[{" * 1000 + b'"') == "[{" * 1000
    assert loads_strict(b'"' + b"[{" * 10_000 + b'"') == "[{" * 10_000


@pytest.mark.parametrize(
    ("value", "levels"),
    [(1, 0), ("[[", 0), ([], 1), ({}, 1), ([{}, [[]]], 3), ({"a": {"b": 1}}, 2)],
)
def test_depth_counts_arrays_and_objects(value: JsonValue, levels: int) -> None:
    assert depth(value) == levels


def test_depth_does_not_look_deeper_than_it_has_to() -> None:
    assert depth([[[[]]]], most=2) == 3
    assert depth([[[[]]]], most=4) == 4
    assert depth(1, most=0) == 0


def test_equal_values_have_equal_canonical_bytes() -> None:
    assert canonical({"b": 1, "a": {"d": 1, "c": 2}}) == b'{"a":{"c":2,"d":1},"b":1}'


def test_dumps_keeps_the_order_of_keys_and_writes_no_space() -> None:
    assert dumps({"b": [1, "中"], "a": None}) == '{"b":[1,"中"],"a":null}'.encode()


def test_a_digest_has_16_bytes() -> None:
    assert len(digest(b"")) == 16
    assert digest(b"a") != digest(b"b")


def test_a_short_text_takes_the_memory_of_its_bytes() -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = [dumps({"number": number}) for number in range(1_000)]
        kept += [canonical({"number": number}) for number in range(1_000)]
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (after - before) / len(kept) < 200


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", '{"a" 1}', '{"a":1,}', '{"a":1 2}', "[1 2]", "{a:1}", "[1] 2", "x", '"\n"'),
        *("-x", "1.x", "1e+x", "01", "1e999", "falsy", "nil_", "truly", "\ufeff1"),
        *('"\\x"', '"\\ud800 "', '"\\udc00"', '"\\ud800\\u0041"', b'"\xff"'),
    ],
)
def test_pages_can_translate_what_the_parser_says(text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(orjson.JSONDecodeError) as found:
        orjson.loads(data)
    with pytest.raises(NotJson) as refusal:
        loads_strict(data)
    assert isinstance(refusal.value.what, Sentence)
    assert refusal.value.detail == f"This is not JSON: {found.value}."
