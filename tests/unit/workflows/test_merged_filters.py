"""Rule 10: several filters of one node."""

from pydantic import JsonValue

from tests.unit.workflows.contexts import (
    GIVEN,
    REGISTRIES,
    applied,
    block,
    let_pass,
    names,
    node_input,
    of_filter,
    rule,
    shown,
)
from workflows.domain.filters.context_filter import (
    filter_step,
    merge,
    merge_all,
    read_filter,
)


def test_merged_filters_have_all_rules_and_the_default_of_the_higher_priority() -> None:
    low = read_filter(let_pass(rule("include", "a"), priority=1))
    high = read_filter(block(rule("exclude", "b"), priority=2))
    for merged in (merge(low, high), merge(high, low)):
        assert merged.default_behavior == "block"
        assert merged.priority == 2
        assert {each.pattern for each in merged.rules} == {"a", "b"}


def test_a_tie_of_unlike_defaults_means_block() -> None:
    first, second = read_filter(let_pass(priority=3)), read_filter(block(priority=3))
    assert merge(first, second).default_behavior == "block"
    assert merge(second, first).default_behavior == "block"


def test_a_tie_of_filters_that_both_pass_has_nothing_to_decide() -> None:
    first = read_filter(let_pass(rule("exclude", "a")))
    second = read_filter(let_pass(rule("exclude", "b")))
    assert merge(first, second).default_behavior == "pass"


def test_several_filters_of_a_node_act_as_one() -> None:
    step = of_filter(let_pass(rule("exclude", "llm*")), block(rule("include", "*"), priority=-1))
    assert names(applied(step, GIVEN)) == ["tool.name", "secret"]


def test_the_filter_of_the_higher_priority_transforms_first() -> None:
    count = let_pass(rule("transform", "secret", transform="length"))
    text = let_pass(rule("transform", "secret", transform="to_string"), priority=5)
    given = node_input({"secret": [1, 2, 3]})
    assert applied(of_filter(count, text), given).context.variables == {"secret": 7}
    merged = merge_all([read_filter(count), read_filter(text)])
    assert [each.transform for each in merged.rules] == ["to_string", "length"]


def test_operations_of_several_filters_come_in_priority_order() -> None:
    last: JsonValue = {"operation": "truncate", "truncate": {"keep_last": 2}}
    first: JsonValue = {"operation": "truncate", "truncate": {"keep_first": 1}}
    step = of_filter(let_pass(messages=[first]), let_pass(messages=[last], priority=1))
    assert shown(applied(step, GIVEN)) == [4]


def test_no_filter_at_all_passes_everything() -> None:
    assert applied(filter_step([], REGISTRIES), GIVEN).context == GIVEN.context
    assert merge_all([]).default_behavior == "pass"
