"""Rules 3 and 4: what a node's filter keeps, drops and changes."""

import json

from pydantic import JsonValue

from tests.unit.workflows.contexts import (
    GIVEN,
    applied,
    block,
    let_pass,
    names,
    node_input,
    nodes,
    of_filter,
    rule,
    shown,
)
from workflows.domain.context.prompt_context import HistoryEntry


def test_a_name_is_kept_if_an_include_matches() -> None:
    given = applied(of_filter(block(rule("include", "llm.*"))), GIVEN)
    assert names(given) == ["llm.model", "llm.temperature"]


def test_exclude_always_wins_whatever_the_order() -> None:
    rules = [rule("include", "llm.*"), rule("exclude", "*.model"), rule("include", "llm.model")]
    for ordered in (rules, rules[::-1]):
        given = applied(of_filter(block(*ordered)), GIVEN)
        assert names(given) == ["llm.temperature"]


def test_what_no_rule_mentions_follows_the_default() -> None:
    excluded = rule("exclude", "llm*")
    assert names(applied(of_filter(let_pass(excluded)), GIVEN)) == ["tool.name", "secret"]
    assert names(applied(of_filter(block(excluded)), GIVEN)) == []


def test_an_include_adds_nothing_where_the_default_is_pass() -> None:
    given = applied(of_filter(let_pass(rule("include", "llm.*"))), GIVEN)
    assert names(given) == names(GIVEN)


def test_a_rule_without_target_speaks_of_variables_only() -> None:
    given = applied(of_filter(block(rule("include", "llm.*"))), GIVEN)
    assert nodes(given) == nodes(GIVEN)
    assert given.context.metadata == GIVEN.context.metadata
    assert shown(given) == shown(GIVEN)


def test_each_section_follows_the_rules_that_target_it() -> None:
    step = of_filter(
        block(
            rule("include", "team", target="metadata"),
            rule("include", "llm_*", target="history"),
            rule("include", "user", target="messages"),
        )
    )
    given = applied(step, GIVEN)
    assert names(given) == names(GIVEN)
    assert list(given.context.metadata) == ["team"]
    assert nodes(given) == ["llm_1", "llm_1"]
    assert shown(given) == [1, 5]


def test_without_rules_the_default_speaks_of_all_sections() -> None:
    nothing = applied(of_filter(block()), GIVEN)
    assert (names(nothing), nodes(nothing), dict(nothing.context.metadata)) == ([], [], {})
    assert shown(nothing) == []
    everything = applied(of_filter(let_pass()), GIVEN)
    assert everything.context == GIVEN.context
    assert shown(everything) == shown(GIVEN)


def test_the_template_is_never_filtered() -> None:
    for data in (block(), block(rule("exclude", "*"))):
        assert applied(of_filter(data), GIVEN).context.template == "T"


def test_the_order_of_what_is_kept_is_that_of_what_came() -> None:
    rules = [rule("include", name) for name in ("secret", "llm", "llm.model")]
    assert names(applied(of_filter(block(*rules)), GIVEN)) == ["llm.model", "llm", "secret"]


def test_a_rule_with_a_false_condition_does_not_exist() -> None:
    rules = [
        rule("include", "llm.*"),
        rule("exclude", "llm.model", condition="context.secret === 'no'"),
        rule("include", "secret", condition="metadata.team === 'blue'"),
        rule("include", "tool.*", condition="context.team === 'red'"),
    ]
    given = applied(of_filter(block(*rules)), GIVEN)
    assert names(given) == ["llm.model", "llm.temperature", "tool.name"]


def test_a_rule_that_does_not_exist_targets_no_section() -> None:
    step = of_filter(
        block(rule("include", "llm.*"), rule("include", "x", target="metadata", condition="false"))
    )
    assert applied(step, GIVEN).context.metadata == GIVEN.context.metadata


def test_when_no_rule_exists_the_default_speaks_of_all_sections() -> None:
    step = of_filter(block(rule("include", "llm.*", condition="false")))
    given = applied(step, GIVEN)
    assert (names(given), nodes(given), shown(given)) == ([], [], [])


def test_conditions_read_what_came_in_not_what_is_left() -> None:
    step = of_filter(
        block(rule("exclude", "secret"), rule("include", "llm", condition="context.secret === 's'"))
    )
    assert names(applied(step, GIVEN)) == ["llm"]


def test_history_is_matched_by_node_id_and_keeps_every_entry_of_a_node() -> None:
    step = of_filter(block(rule("include", "llm_1", target="history")))
    given = applied(step, GIVEN)
    assert given.context.history == (GIVEN.context.history[0], GIVEN.context.history[2])


def test_a_filter_changes_nothing_that_it_was_given() -> None:
    before = json.dumps(GIVEN.context.as_json())
    step = of_filter(let_pass(rule("transform", "*", transform="uppercase"), rule("exclude", "l*")))
    applied(step, GIVEN)
    assert json.dumps(GIVEN.context.as_json()) == before
    assert shown(GIVEN) == [0, 1, 2, 3, 4, 5]


# Rule 4: transforms


def test_a_transform_is_applied_to_what_is_kept() -> None:
    step = of_filter(
        block(
            rule("include", "llm.*"),
            rule("transform", "llm.*", transform="uppercase"),
            rule("transform", "secret", transform="uppercase"),
        )
    )
    assert applied(step, GIVEN).context.variables == {"llm.model": "GPT", "llm.temperature": 1}


def test_transforms_of_one_name_are_applied_in_their_order() -> None:
    rules = [rule("transform", "secret", transform=name) for name in ("json", "length")]
    given = applied(of_filter(let_pass(*rules)), node_input({"secret": [1, 2]}))
    assert given.context.variables == {"secret": 5}


def test_an_include_rule_may_carry_its_transform() -> None:
    step = of_filter(block(rule("include", "secret", transform="redact")))
    assert applied(step, GIVEN).context.variables == {"secret": "[redacted]"}


def test_a_transform_of_history_changes_prompt_and_response() -> None:
    entry = HistoryEntry("n", "ask", "say", "2026-01-01", {"k": 1})
    step = of_filter(let_pass(rule("transform", "n", target="history", transform="uppercase")))
    [changed] = applied(step, node_input(history=[entry])).context.history
    assert changed == HistoryEntry("n", "ASK", "SAY", "2026-01-01", {"k": 1})


def test_a_transform_of_messages_changes_the_text_that_is_handed_out() -> None:
    step = of_filter(let_pass(rule("transform", "tool", target="messages", transform="uppercase")))
    messages = applied(step, GIVEN).messages
    assert messages.seen_message(3, {"role": "tool", "content": "21 degrees"}) == {
        "role": "tool",
        "content": "21 DEGREES",
    }
    parts: JsonValue = [{"type": "text", "text": "ab"}, {"type": "image_url", "image_url": {}}]
    assert messages.seen_message(3, {"content": parts})["content"] == [
        {"type": "text", "text": "AB"},
        {"type": "image_url", "image_url": {}},
    ]
    assert messages.seen_message(1, {"content": "kept"}) == {"content": "kept"}


def test_transforms_of_messages_add_up_over_steps() -> None:
    shout = of_filter(let_pass(rule("transform", "*", target="messages", transform="uppercase")))
    count = of_filter(let_pass(rule("transform", "user", target="messages", transform="length")))
    messages = applied(count, applied(shout, GIVEN)).messages
    assert messages.seen_message(1, {"content": "abc"}) == {"content": "3"}
    assert messages.seen_message(0, {"content": "abc"}) == {"content": "ABC"}
