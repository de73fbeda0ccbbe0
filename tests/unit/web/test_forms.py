"""Forms from contract models: input becomes a model, errors are shown at their fields."""

from typing import Any, cast

import pytest
from hypothesis import strategies as st
from pydantic import JsonValue

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import FieldProblem
from ctxadmin.ui.forms import ContractForm
from ctxadmin.ui.forms.boxes import GroupBox
from tests.unit.web.form_models import (
    Clear,
    Filter,
    FilterForm,
    HolderForm,
    Operation,
    OperationForm,
    PlanForm,
    Rule,
    sent,
    shown,
)


def model_of(form: ContractForm[Any]) -> Contract:
    assert form.is_valid(), form.errors
    return cast(Contract, form.model)


def group_of(box: GroupBox, name: str) -> GroupBox:
    return next(part for part in box.boxes if isinstance(part, GroupBox) and part.name == name)


def test_a_list_of_rules_becomes_a_model() -> None:
    form = FilterForm(
        sent(
            rules__count="2",
            rules__0__type="include",
            rules__0__pattern="llm.*",
            rules__0__target="variables",
            rules__0__condition="context.x === 1",
            rules__1__type="transform",
            rules__1__pattern="prompt",
            rules__1__target="metadata",
            rules__1__transform="upper",
            default_behavior="block",
            priority="7",
        )
    )
    assert model_of(form) == Filter(
        rules=(
            Rule(type="include", pattern="llm.*", condition="context.x === 1"),
            Rule(type="transform", pattern="prompt", target="metadata", transform="upper"),
        ),
        default_behavior="block",
        priority=7,
    )


def test_empty_text_means_missing() -> None:
    form = FilterForm(sent(rules__count="0", default_behavior="", priority=""))
    assert model_of(form) == Filter()
    assert form.model.model_fields_set == set()


def test_a_required_member_that_is_empty_is_named_at_its_field() -> None:
    form = FilterForm(sent(rules__count="1", rules__0__type="include", rules__0__pattern=""))
    assert not form.is_valid()
    assert form.errors == {"rules-0-pattern": ["This field is required."]}


def test_a_limit_of_the_model_is_said_at_the_field() -> None:
    form = FilterForm(sent(rules__count="0", priority="101"))
    assert not form.is_valid()
    assert list(form.errors) == ["priority"]


@pytest.mark.parametrize("text", ["1.5", "one", "١", "1 2", "0x10", "9" * 40])
def test_what_is_no_whole_number_is_refused_once(text: str) -> None:
    form = FilterForm(sent(rules__count="0", priority=text))
    assert not form.is_valid()
    assert len(form.errors["priority"]) == 1


def test_a_member_hidden_by_a_choice_does_not_count() -> None:
    form = FilterForm(
        sent(
            rules__count="1",
            rules__0__type="include",
            rules__0__pattern="a",
            rules__0__transform="upper",
        )
    )
    assert cast(Filter, model_of(form)).rules[0].transform is None


def test_a_mistake_hidden_by_a_choice_does_not_count() -> None:
    data = sent(
        operation="clear", clear__keep_system_message="on", truncate__keep_first="not a number"
    )
    assert model_of(OperationForm(data)) == Operation(operation="clear", clear=Clear())


def test_an_unchecked_box_is_false() -> None:
    form = OperationForm(sent(operation="clear"))
    assert model_of(form) == Operation(operation="clear", clear=Clear(keep_system_message=False))


@pytest.mark.parametrize(("text", "value"), [("", None), ("true", True), ("false", False)])
def test_a_boolean_that_may_be_missing_has_three_states(text: str, value: bool | None) -> None:
    form = OperationForm(sent(operation="clear", clear__keep_system_message="on", urgent=text))
    assert cast(Operation, model_of(form)).urgent is value


def test_the_chosen_block_is_asked_for_even_when_it_is_empty() -> None:
    form = OperationForm(sent(operation="insert", insert__messages__count="0"))
    assert not form.is_valid()
    assert form.errors["insert-position"] == ["This field is required."]


def test_an_optional_object_that_is_empty_is_missing() -> None:
    form = OperationForm(sent(operation="truncate", truncate__keep_last="6"))
    operation = cast(Operation, model_of(form))
    assert operation.truncate is not None
    assert operation.truncate.range is None


def test_a_rule_about_a_whole_object_is_said_at_its_group() -> None:
    form = OperationForm(
        sent(operation="truncate", truncate__range__start="5", truncate__range__end="2")
    )
    assert not form.is_valid()
    (message,) = form.non_field_errors()
    assert message == "Truncate › Range: Start must be below end."
    truncate = group_of(form.box, "truncate")
    assert group_of(truncate, "truncate-range").errors == ["Start must be below end."]


def test_a_member_is_called_by_its_label() -> None:
    form = OperationForm(sent(operation="truncate"))
    assert not form.is_valid()
    (message,) = group_of(form.box, "truncate").errors
    assert message == "One of “Keep first”, “Keep last”, “Range” is required."


def test_what_could_not_be_read_is_one_mistake() -> None:
    form = OperationForm(sent(operation="truncate", truncate__keep_first="six"))
    assert not form.is_valid()
    assert form.errors == {"truncate-keep_first": ["Enter a whole number."]}


def test_a_number_that_json_cannot_hold_is_refused_rather_than_changed() -> None:
    form = OperationForm(sent(operation="truncate", truncate__keep_last="9" * 40))
    assert not form.is_valid()
    assert form.errors == {"truncate-keep_last": ["Enter at most 9,223,372,036,854,775,807."]}


def test_the_rest_of_an_invalid_form_is_checked_at_the_same_time() -> None:
    data = sent(
        rules__count="2",
        rules__0__type="include",
        rules__1__type="include",
        rules__1__pattern="a",
        rules__1__condition="x ==",
        priority="many",
    )
    form = FilterForm(data)
    asked: list[Filter] = []

    def check(found: Filter) -> list[FieldProblem]:
        asked.append(found)
        wrong = [FieldProblem("/rules/1/condition", "unexpected end")]
        return [*wrong, FieldProblem("/rules/0/pattern", "said twice")]

    form.add_problems(form.faults(check))
    assert [rule.pattern for rule in asked[0].rules] == ["*", "a"]
    assert form.errors == {
        "rules-0-pattern": ["This field is required."],
        "rules-1-condition": ["Unexpected end."],
        "priority": ["Enter a whole number."],
    }


def test_what_hides_behind_a_mistake_is_found_too() -> None:
    rules = {f"rules__{n}__{name}": "exclude" for n in (0, 1) for name in ("type", "pattern")}
    form = FilterForm(sent(rules__count="2", priority="3", **rules))
    assert form.is_valid()

    def check(found: Filter) -> list[FieldProblem]:
        if found.rules[0].pattern != "*":
            return [FieldProblem("/rules/0/pattern", "hides the rest")]
        at_zero = [FieldProblem("/rules/0", "of the same rule")]
        return at_zero + [FieldProblem("/priority", "too high")] * (found.priority == 3)

    assert [each.pointer for each in form.faults(check)] == ["/rules/0/pattern", "/priority"]


def test_a_list_of_choices_is_ticked() -> None:
    form = OperationForm(
        sent(
            operation="filter",
            filter__roles=["user", "tool"],
            filter__content_contains="a\r\n\r\n b ",
        )
    )
    chosen = cast(Operation, model_of(form)).filter
    assert chosen is not None
    assert chosen.roles == ["user", "tool"]
    assert chosen.content_contains == ["a", " b "]


def test_a_wrong_item_of_a_list_names_its_line() -> None:
    data = sent(operation="filter", filter__content_contains="good\n\nmuch too long a keyword")
    form = OperationForm(data)
    assert not form.is_valid()
    assert "Line 3: " in str(form.errors["filter-content_contains"])


def test_the_lines_of_a_text_are_kept() -> None:
    form = OperationForm(
        sent(
            operation="insert",
            insert__position="-1",
            insert__messages__count="1",
            insert__messages__0__role="user",
            insert__messages__0__content=" a\r\nb ",
        )
    )
    insert = cast(Operation, model_of(form)).insert
    assert insert is not None
    assert insert.messages[0].content == " a\nb "


def test_a_content_of_parts_is_shown_and_sent_as_json() -> None:
    parts: JsonValue = [{"type": "text", "text": "hi"}]
    before: JsonValue = {
        "operation": "insert",
        "insert": {"position": 0, "messages": [{"role": "user", "content": parts}]},
    }
    data = shown(OperationForm(initial=before))
    assert data["insert-messages-0-content-as"] == "json"
    insert = cast(Operation, model_of(OperationForm(data))).insert
    assert insert is not None
    assert insert.messages[0].content == parts


def test_a_variant_reads_only_the_chosen_panel() -> None:
    form = PlanForm(
        sent(
            first__kind="retry",
            first__retry__times="3",
            first__retry__wait="0.25",
            first__skip__reason="unused",
            then__count="1",
            then__0__kind="skip",
            then__0__skip__reason="later",
        )
    )
    assert model_of(form).model_dump(exclude_defaults=True) == {
        "first": {"kind": "retry", "times": 3, "wait": 0.25},
        "then": ({"kind": "skip", "reason": "later"},),
    }


def test_a_mistake_in_a_variant_stands_at_its_field() -> None:
    form = PlanForm(sent(first__kind="retry", first__retry__times="99"))
    assert not form.is_valid()
    assert list(form.errors) == ["first-retry-times"]


def test_a_variant_that_is_not_chosen_is_said_at_the_choice() -> None:
    form = PlanForm(sent(first__kind=""))
    assert not form.is_valid()
    assert list(form.errors) == ["first-kind"]


def test_json_is_read_strictly_and_the_error_names_line_and_column() -> None:
    form = PlanForm(sent(first__kind="skip", extra='{\n  "a": tru\n}'))
    assert not form.is_valid()
    (message,) = form.errors["extra"]
    assert "line 2 column" in message


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', "[" * 70])
def test_json_that_the_api_refuses_is_refused_by_the_form(text: str) -> None:
    form = PlanForm(sent(first__kind="skip", extra=text))
    assert not form.is_valid()
    assert "extra" in form.errors


def test_json_of_another_type_is_said_at_the_field() -> None:
    form = PlanForm(sent(first__kind="skip", extra="[1]"))
    assert not form.is_valid()
    assert list(form.errors) == ["extra"]


def test_free_json_may_be_asked_for_as_a_model() -> None:
    form = HolderForm(
        sent(
            **{"from": "a"},
            context_filter__rules__count="1",
            context_filter__rules__0__type="include",
            context_filter__rules__0__pattern="",
        )
    )
    assert not form.is_valid()
    assert list(form.errors) == ["context_filter-rules-0-pattern"]


def test_an_empty_row_of_free_json_is_asked_for_too() -> None:
    form = HolderForm(sent(**{"from": "a"}, context_filter__rules__count="1"))
    assert not form.is_valid()
    assert "context_filter-rules-0-pattern" in form.errors


def test_members_that_are_left_out_keep_their_value() -> None:
    before: JsonValue = {"from": "a", "secret": "kept"}
    form = HolderForm(sent(**{"from": "b"}, context_filter__rules__count="0"), initial=before)
    assert model_of(form).model_dump(by_alias=True, exclude_defaults=True) == {
        "from": "b",
        "secret": "kept",
    }


def test_the_camel_case_of_an_older_document_is_shown() -> None:
    form = FilterForm(initial={"defaultBehavior": "block", "rules": [{"type": "oops"}]})
    assert form.data["default_behavior"] == "block"
    assert form.data["rules-0-type"] == "oops"


def test_a_value_that_is_no_longer_offered_is_kept_until_it_is_changed() -> None:
    rule = Rule(type="transform", pattern="a", transform="gone")
    form = FilterForm(initial=Filter(rules=(rule,)))
    assert '<option value="gone" selected>' in str(form["rules-0-transform"])


def test_problems_of_a_service_are_shown_at_the_fields() -> None:
    form = FilterForm(sent(rules__count="1", rules__0__type="include", rules__0__pattern="a"))
    assert form.is_valid()
    form.add_problems(
        [
            FieldProblem(
                "/rules/0/condition",
                "unexpected token",
                extra=(("line", 1), ("column", 9), ("hint", "Write === for equality.")),
            ),
            FieldProblem("", "the draft has changed"),
        ]
    )
    assert not form.is_valid()
    assert form.errors["rules-0-condition"] == [
        "Unexpected token (line 1, column 9). Write === for equality."
    ]
    assert form.non_field_errors() == ["The draft has changed."]


def test_a_form_that_was_not_sent_has_no_errors() -> None:
    form = PlanForm()
    assert not form.is_valid()
    assert form.errors == {}


def test_the_names_of_two_forms_on_one_page_differ() -> None:
    form = FilterForm(root="edge")
    assert {name.split("-")[0] for name in form.fields} == {"edge"}
    sent_form = FilterForm(sent(edge__rules__count="0", edge__priority="3"), root="edge")
    assert cast(Filter, model_of(sent_form)).priority == 3


def test_asking_an_invalid_form_for_its_model_is_an_error() -> None:
    with pytest.raises(ValueError, match="not valid"):
        _ = FilterForm().model


names = st.text(min_size=1, max_size=12).filter(lambda text: "\r" not in text)
rules = st.builds(
    Rule,
    type=st.sampled_from(["include", "exclude", "transform"]),
    pattern=names,
    target=st.sampled_from(["variables", "history", "metadata", "messages"]),
    condition=st.none() | names,
)
