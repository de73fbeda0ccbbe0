"""The base of the contract's models, and where it says a problem is."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field, JsonValue, TypeAdapter, field_validator
from pydantic_core import PydanticCustomError

from ctxadmin.lib.contract import Contract, did_you_mean, parse
from ctxadmin.lib.errors import ValidationFailed


class Window(Contract):
    keep_first: int | None = None
    keep_last: Annotated[int, Field(ge=0)] | None = None

    @field_validator("keep_first")
    @classmethod
    def _in_range(cls, value: int | None) -> int | None:
        if value == 13:
            raise ValueError("not thirteen")
        if value is not None and value > 100:
            extra = (("limit", 100),)
            raise PydanticCustomError("out_of_range", "at most 100", {"extra": extra})
        return value


class Link(Contract):
    spellings: ClassVar[Mapping[str, str]] = {"sourceNodeId": "from"}

    from_node: Annotated[str, Field(alias="from")]


class Body(Contract):
    conversation_id: str
    window: Window = Window()
    windows: list[Window] = []
    links: list[Link] = []
    metadata: dict[str, JsonValue] = {}
    either: Annotated[int, Field(ge=0)] | list[str] | None = None
    mode: Literal["keep", "drop"] = "keep"


def problems(data: object, pointer: str = "") -> list[tuple[str, str, str]]:
    with pytest.raises(ValidationFailed) as refusal:
        parse(Body, data, pointer)
    return [(each.pointer, each.message, each.code) for each in refusal.value.problems]


class TestReading:
    def test_both_spellings_of_a_name_are_read(self) -> None:
        for data in ({"conversation_id": "a"}, {"conversationId": "a"}):
            assert parse(Body, data).conversation_id == "a"

    def test_null_means_missing(self) -> None:
        body = parse(Body, {"conversation_id": "a", "window": None, "mode": None})
        assert body == Body(conversation_id="a")

    def test_a_further_spelling_is_read(self) -> None:
        assert parse(Link, {"sourceNodeId": "a"}) == parse(Link, {"from": "a"})

    def test_the_keys_of_data_are_never_touched(self) -> None:
        data: dict[str, JsonValue] = {
            "someKey": 1,
            "some_key": None,
            "keepFirst": {"keep_first": 1},
        }
        assert parse(Body, {"conversation_id": "a", "metadata": data}).metadata == data

    def test_a_model_cannot_be_changed(self) -> None:
        with pytest.raises(ValueError, match="frozen"):
            parse(Window, {}).keep_first = 1  # type: ignore[misc]

    def test_a_type_adapter_is_read_too(self) -> None:
        assert parse(TypeAdapter(list[int]), [1, 2]) == [1, 2]


class TestRefusals:
    def test_both_spellings_in_one_object_are_refused(self) -> None:
        data = {"conversation_id": "a", "windows": [{"keepFirst": 1, "keep_first": 1}]}
        assert problems(data) == [
            ("/windows/0", "keepFirst and keep_first are two spellings of one field", "validation")
        ]

    def test_an_unknown_field_is_refused(self) -> None:
        data = {"conversation_id": "a", "window": {"keep_frist": 3}}
        assert problems(data) == [("/window/keep_frist", "unknown field", "validation")]

    def test_an_unknown_field_that_is_null_is_refused(self) -> None:
        assert problems({"conversation_id": "a", "x": None}) == [
            ("/x", "unknown field", "validation")
        ]

    def test_a_missing_field_is_named(self) -> None:
        assert problems({}) == [("/conversation_id", "this field is required", "validation")]

    def test_a_required_field_that_is_null_is_missing(self) -> None:
        assert problems({"conversationId": None}) == [
            ("/conversationId", "this field is required", "validation")
        ]

    @pytest.mark.parametrize("value", [1.0, "1", True, [1]])
    def test_types_are_strict(self, value: JsonValue) -> None:
        [(pointer, _, code)] = problems({"conversation_id": "a", "window": {"keep_first": value}})
        assert (pointer, code) == ("/window/keep_first", "validation")

    @pytest.mark.parametrize("data", [None, [], "text", 1])
    def test_what_is_no_object_is_refused(self, data: JsonValue) -> None:
        assert problems(data, "/body") == [("/body", "this must be an object", "validation")]

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"window": {"keep_last": -1}}, "this must be 0 or more"),
            ({"window": {"keep_first": "6"}}, "this must be a whole number"),
            ({"mode": "hide"}, "this must be 'keep' or 'drop'"),
            ({"windows": {}}, "this must be a list"),
        ],
    )
    def test_what_is_wrong_is_a_plain_sentence(self, data: Any, sentence: str) -> None:
        assert problems({"conversation_id": "a"} | data)[0][1] == sentence

    def test_the_sentence_of_a_validator_is_passed_on(self) -> None:
        assert problems({"conversation_id": "a", "window": {"keepFirst": 13}}) == [
            ("/window/keepFirst", "not thirteen", "validation")
        ]

    def test_a_validator_may_name_another_kind_and_more(self) -> None:
        with pytest.raises(ValidationFailed) as refusal:
            parse(Window, {"keep_first": 101})
        assert refusal.value.problems[0].as_json() == {
            "pointer": "/keep_first",
            "message": "at most 100",
            "code": "out_of_range",
            "limit": 100,
        }

    def test_every_wrong_field_is_reported(self) -> None:
        data = {"conversation_id": 1, "window": {"keep_last": -1}, "mode": "x"}
        assert [pointer for pointer, _, _ in problems(data)] == [
            "/conversation_id",
            "/window/keep_last",
            "/mode",
        ]


class TestPointers:
    def test_a_pointer_uses_the_spelling_of_the_caller(self) -> None:
        data = {"conversationId": 1, "windows": [{}, {"keepLast": -1}]}
        assert [pointer for pointer, _, _ in problems(data)] == [
            "/conversationId",
            "/windows/1/keepLast",
        ]

    def test_a_pointer_uses_a_further_spelling_too(self) -> None:
        data = {"conversation_id": "a", "links": [{"sourceNodeId": 5}, {"from_node": 5}]}
        assert [pointer for pointer, _, _ in problems(data)] == [
            "/links/0/sourceNodeId",
            "/links/1/from_node",
        ]

    def test_the_steps_of_unions_are_no_part_of_a_pointer(self) -> None:
        data = {"conversation_id": "a", "either": -1}
        assert {pointer for pointer, _, _ in problems(data)} == {"/either"}
        data["either"] = ["x", 2]
        assert {pointer for pointer, _, _ in problems(data)} == {"/either", "/either/1"}

    def test_the_keys_of_data_are_escaped(self) -> None:
        with pytest.raises(ValidationFailed) as refusal:
            parse(TypeAdapter(dict[str, int]), {"a/b~c": "x"}, "/state")
        assert refusal.value.problems[0].pointer == "/state/a~1b~0c"


class TestBounds:
    def test_at_most_100_problems_are_reported(self) -> None:
        data: Any = {"conversation_id": "a", "windows": [1] * 500}
        assert len(problems(data)) == 100

    def test_beyond_ten_thousand_only_their_number_is_reported(self) -> None:
        data: Any = {"conversation_id": "a", "windows": [1] * 10_001}
        assert problems(data, "/body") == [("/body", "10001 values in it are wrong", "validation")]

    def test_fields_beyond_counting_are_one_problem(self) -> None:
        data: Any = {"conversation_id": "a", **dict.fromkeys(map(str, range(5_000)), 1)}
        found = problems(data)
        assert found == [("", "this object has too many fields: 5001", "validation")]


def test_the_detail_names_the_first_problem_and_counts_the_others() -> None:
    with pytest.raises(ValidationFailed) as refusal:
        parse(Body, {"window": {"x": 1}})
    assert refusal.value.detail == "/conversation_id: this field is required (and 1 more)"


def test_a_near_miss_gets_a_suggestion() -> None:
    known = ["append", "merge"]
    assert did_you_mean("unknown", "apend", known) == "unknown; did you mean 'append'?"
    assert did_you_mean("unknown", "xyz", known) == "unknown"
