"""Laws of reading and writing JSON."""

import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import canonical, depth, dumps, loads_strict

JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)


@given(JSON)
def test_what_was_written_is_read_back(value: JsonValue) -> None:
    assert loads_strict(dumps(value)) == value
    assert loads_strict(canonical(value)) == value


@given(JSON, st.booleans(), st.sampled_from([None, 1]))
def test_spelling_makes_no_difference(value: JsonValue, escaped: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    assert loads_strict(text.encode()) == value


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        loads_strict(data)
    except ValidationFailed:
        return


@given(JSON)
def test_depth_is_one_more_than_that_of_the_deepest_part(value: JsonValue) -> None:
    parts = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    assert depth(value) == (0 if parts is None else 1 + max(map(depth, parts), default=0))
