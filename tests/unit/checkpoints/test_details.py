"""What an engine says of a checkpoint: bounds, and what a filter finds."""

import pytest
from pydantic import JsonValue

from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.domain.details import (
    MAX_METADATA,
    Details,
    DetailsFilter,
    value_spelled,
)
from ctxadmin.lib.errors import TooLarge


def details(namespace: str = "", **metadata: JsonValue) -> Details:
    return Details.of(metadata, "", namespace)


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ('"3"', "3"), ("loop", "loop"), ("true", True), ("null", None), ("[1]", [1])],
)
def test_a_value_is_what_it_spells_as_json_else_text(text: str, value: JsonValue) -> None:
    assert value_spelled(text) == value


@pytest.mark.parametrize(
    ("stored", "wanted", "found"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, True, False),
        (1, "1", False),
        (False, 0, False),
        ({"a": [1]}, {"a": [1]}, True),
        ({"a": [1]}, {"a": [True]}, False),
        ([1], [1, 2], False),
    ],
)
def test_values_are_equal_as_json_is(stored: JsonValue, wanted: JsonValue, *, found: bool) -> None:
    assert DetailsFilter(metadata={"k": wanted}).matches(details(k=stored)) is found


def test_all_that_is_named_must_match() -> None:
    wanted = DetailsFilter("sub", {"a": 1, "b": None})
    assert wanted.matches(details("sub", a=1, b=None, c=3))
    assert not wanted.matches(details("sub", a=1))
    assert not wanted.matches(details("", a=1, b=None))


def test_the_top_namespace_is_not_every_namespace() -> None:
    assert not DetailsFilter("").matches(details("sub"))
    assert DetailsFilter(None).matches(details("sub"))


def test_metadata_have_a_bound_that_is_named() -> None:
    details(k="x" * (MAX_METADATA - len(b'{"k":""}')))
    with pytest.raises(TooLarge) as refusal:
        details(k="x" * MAX_METADATA)
    assert [problem.pointer for problem in refusal.value.problems] == ["/metadata"]


def test_each_field_is_in_the_check_sum() -> None:
    sums = {
        Details(b"{}", "", "").sum(1),
        Details(b"{}", "", "").sum(2),
        Details(b'{"a":1}', "", "").sum(1),
        Details(b"{}", "p", "").sum(1),
        Details(b"{}", "", "n").sum(1),
    }
    assert len(sums) == 5


def test_a_save_without_details_has_the_digest_that_it_had_before_there_were_any() -> None:
    plain = SaveCheckpoint(node_id="a", state_data={"k": 1})
    assert plain.body_digest().hex() == "0bafa491bfebac68077f9d7884010b15"
    assert plain.details() is None
    assert SaveCheckpoint(node_id="a", state_data={"k": 1}, namespace="").details() is None


@pytest.mark.parametrize("field", [{"metadata": {"a": 1}}, {"parent": "p"}, {"namespace": "n"}])
def test_details_belong_to_the_body_of_a_save(field: dict[str, JsonValue]) -> None:
    plain = SaveCheckpoint(node_id="a", state_data={})
    other = SaveCheckpoint.model_validate({"node_id": "a", "state_data": {}, **field})
    assert plain.body_digest() != other.body_digest()
