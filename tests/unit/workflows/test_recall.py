"""Lines about hidden messages in the filters of nodes and edges (semantics 4.6)."""

import orjson
import pytest
from pydantic import JsonValue

from conversations.domain.operations import tokens_of
from ctxadmin.lib.errors import ValidationFailed
from tests.unit.workflows.contexts import (
    applied,
    block,
    chat,
    explained,
    let_pass,
    node_input,
    of_edge,
    of_filter,
    rule,
    shown,
    verdicts,
)
from workflows.domain.checks.compatibility import find_missing_context
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.document.graph import Node, read
from workflows.domain.document.yaml_io import dump, load
from workflows.domain.running.flow import counting

LAST: dict[str, JsonValue] = {
    "operation": "truncate",
    "truncate": {"keep_last": 2},
    "leave_pointer": True,
}


def talk(count: int = 6) -> NodeInput:
    messages: list[dict[str, JsonValue]] = [
        {"role": "assistant" if n % 2 else "user", "content": f"text {n} " * 5}
        for n in range(count)
    ]
    return node_input(messages=chat(*messages))


def texts(given: NodeInput) -> list[JsonValue]:
    log = given.messages.log
    return [
        given.messages.seen_message(index, orjson.loads(body))["content"]
        for index in given.messages.view
        for _, body in log.bodies(((index, index + 1),))
    ]


def test_an_operation_of_a_filter_leaves_a_line_that_is_not_logged() -> None:
    given = talk()
    seen = applied(of_filter(let_pass(messages=[LAST])), given)
    assert shown(seen) == [6, 4, 5]
    assert str(texts(seen)[0]).startswith("[4 messages are hidden: 0-3.")
    assert len(given.messages.log) == 6
    assert seen.messages.logged == 6


def test_an_edge_leaves_a_line_too() -> None:
    assert shown(applied(of_edge(type="pass_all", messages=[LAST]), talk())) == [6, 4, 5]


def test_rules_on_messages_leave_one_line_for_what_they_hide() -> None:
    filters = block(rule("include", "user", target="messages"), leave_pointer=True)
    found = explained(of_filter(filters), talk())
    assert shown(found.node_input) == [0, 6, 2, 4]
    assert str(texts(found.node_input)[1]).startswith("[3 messages are hidden: 1, 3, 5.")
    assert verdicts(found.decisions, "messages")[6] == "added"


def test_rules_that_hide_nothing_leave_no_line() -> None:
    filters = block(rule("include", "*", target="messages"), leave_pointer=True)
    assert shown(applied(of_filter(filters), talk())) == [0, 1, 2, 3, 4, 5]


def test_one_of_several_filters_that_asks_for_the_line_is_enough() -> None:
    hides = block(rule("include", "user", target="messages"))
    asks = block(rule("include", "*", target="metadata"), leave_pointer=True)
    assert len(applied(of_filter(hides, asks), talk()).messages.inserted) == 1


def test_a_later_operation_that_hides_a_line_names_what_it_named() -> None:
    again: JsonValue = {**LAST, "truncate": {"keep_last": 1}}
    seen = applied(of_filter(let_pass(messages=[LAST, again])), talk())
    assert shown(seen) == [7, 5]
    assert str(texts(seen)[0]).startswith("[5 messages are hidden: 0-4.")


def test_messages_that_a_filter_put_in_are_not_named() -> None:
    inserts: JsonValue = {
        "operation": "insert",
        "insert": {"position": 0, "messages": [{"role": "user", "content": "put in"}]},
    }
    seen = applied(of_filter(let_pass(messages=[inserts, LAST])), talk())
    assert str(texts(seen)[0]).startswith("[4 messages are hidden: 0-3.")


def test_a_budget_of_a_filter_leaves_its_line_and_counts_it() -> None:
    budget: JsonValue = {
        "operation": "budget",
        "budget": {"max_tokens": 300, "target_tokens": 200},
        "leave_pointer": True,
    }
    seen = applied(of_filter(let_pass(messages=[budget])), talk(40))
    log = talk(40).messages.log
    tokens = tokens_of(seen.messages.view, counting(seen.messages, log.tokens))  # type: ignore[attr-defined]
    assert tokens <= 300
    assert "messages are hidden: 0-" in str(texts(seen)[0])


def test_emptied_results_of_a_filter_name_their_messages() -> None:
    given = node_input(
        messages=chat(
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
            {"role": "tool", "tool_call_id": "c", "content": "found " * 200},
            {"role": "assistant", "content": "done"},
        )
    )
    budget: JsonValue = {
        "operation": "budget",
        "budget": {
            "max_tokens": 100,
            "target_tokens": 60,
            "drop": "tool_results",
            "keep_last_results": 0,
        },
        "leave_pointer": True,
    }
    seen = applied(of_filter(let_pass(messages=[budget])), given)
    assert "[Message 2. Recall one in full" in str(texts(seen)[2])
    log = given.messages.log
    assert tokens_of(seen.messages.view, counting(seen.messages, log.tokens)) <= 60  # type: ignore[attr-defined]


def test_a_line_alone_is_not_enough_for_a_node_that_calls_a_model() -> None:
    none: JsonValue = {**LAST, "truncate": {"keep_last": 0}}
    seen = applied(of_filter(let_pass(messages=[none])), talk())
    assert shown(seen) == [6]
    llm = Node.model_validate({"id": "a", "type": "llm"})
    missing = find_missing_context(llm, "llm_context", seen)
    assert missing is not None
    assert missing.missing == ("variables", "messages")
    some = applied(of_filter(let_pass(messages=[LAST])), talk())
    assert find_missing_context(llm, "llm_context", some) is None


def test_template_only_leaves_no_line() -> None:
    assert shown(applied(of_edge(type="pass_none"), talk())) == []


def test_a_document_with_lines_travels_as_yaml() -> None:
    document = read(
        {
            "name": "w",
            "nodes": [
                {
                    "id": "a",
                    "type": "llm",
                    "context_filter": {
                        "rules": [{"type": "include", "pattern": "user", "target": "messages"}],
                        "default_behavior": "block",
                        "leave_pointer": True,
                        "messages": [LAST],
                    },
                }
            ],
            "edges": [],
        }
    )
    text = dump(document)
    assert text.count("leave_pointer: true") == 2
    assert load(text) == document


@pytest.mark.parametrize(
    "fields", [{"leave_pointer": "yes"}, {"messages": [{**LAST, "leave_pointer": 1}]}]
)
def test_what_is_no_yes_or_no_is_refused(fields: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationFailed) as caught:
        of_filter(let_pass(**fields))
    assert caught.value.problems[0].pointer.endswith("leave_pointer")
