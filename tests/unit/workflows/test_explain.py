"""Rule 13: what a filter says about every name and message."""

import pytest
from pydantic import JsonValue

from tests.unit.workflows.contexts import (
    GIVEN,
    block,
    explained,
    let_pass,
    of_filter,
    rule,
    verdicts,
)
from workflows.domain.context.explain import Decision, Verdict, final_decisions


def test_every_name_and_message_is_explained_once() -> None:
    result = explained(of_filter(block(rule("include", "llm.*"))), GIVEN)
    assert verdicts(result.decisions, "variables") == {
        "llm.model": "kept",
        "llm.temperature": "kept",
        "tool.name": "dropped",
        "llm": "dropped",
        "secret": "dropped",
    }
    history = [(each.name, each.index, each.verdict) for each in result.decisions
               if each.section == "history"]  # fmt: skip
    assert history == [("llm_1", 0, "kept"), ("tool_1", 1, "kept"), ("llm_1", 2, "kept")]
    assert verdicts(result.decisions, "metadata") == {"llm.user": "kept", "team": "kept"}
    assert verdicts(result.decisions, "messages") == dict.fromkeys(range(6), "kept")


def test_an_explanation_names_rule_and_reason() -> None:
    step = of_filter(
        let_pass(
            rule("include", "llm.*"),
            rule("exclude", "secret"),
            rule("exclude", "tool.*", condition="false"),
        )
    )
    told = {each.name: each for each in explained(step, GIVEN).decisions if each.name}
    assert (told["llm.model"].rule, told["llm.model"].reason) == (
        0,
        "include rule 0 'llm.*' matches",
    )
    assert (told["secret"].rule, told["secret"].reason) == (1, "exclude rule 1 'secret' matches")
    assert told["llm"].rule is None
    assert told["llm"].reason == "no rule matches it, the default is pass"
    assert told["tool.name"].reason == (
        "no rule matches it, the default is pass; "
        "exclude rule 2 'tool.*' is skipped: its condition is false"
    )
    assert told["team"].reason == "no rule applies to metadata"


def test_an_explanation_names_the_filter_of_the_list() -> None:
    step = of_filter(block(rule("include", "llm.*")), block(rule("exclude", "llm"), priority=1))
    told = {each.name: each for each in explained(step, GIVEN).decisions if each.name}
    assert (told["llm"].filter, told["llm"].rule) == (1, 0)
    assert (told["llm.model"].filter, told["llm.model"].rule) == (0, 0)
    assert told["llm"].reason == "exclude rule 0 'llm' of filter 1 matches"


def test_a_change_is_reported_with_before_and_after() -> None:
    step = of_filter(let_pass(rule("transform", "llm.*", transform="uppercase")))
    told = {each.name: each for each in explained(step, GIVEN).decisions if each.name}
    assert told["llm.model"].as_json() == {
        "section": "variables",
        "name": "llm.model",
        "rule": 0,
        "verdict": "changed",
        "step": 0,
        "reason": "transform rule 0 'llm.*' applies uppercase",
        "before": "gpt",
        "after": "GPT",
    }
    assert told["llm.temperature"].verdict == "kept"


def test_the_explanation_of_messages_tells_role_rule_and_operation() -> None:
    step = of_filter(
        let_pass(
            rule("exclude", "system", target="messages"),
            rule("transform", "tool", target="messages", transform="truncate"),
            messages=[
                {"operation": "truncate", "truncate": {"keep_last": 3}},
                {
                    "operation": "insert",
                    "insert": {"position": -1, "messages": [{"role": "user", "content": "x"}]},
                },
            ],
        )
    )
    told = [each for each in explained(step, GIVEN).decisions if each.section == "messages"]
    assert [(each.index, each.verdict) for each in told] == [
        (0, "dropped"),
        (1, "dropped"),
        (2, "dropped"),
        (3, "changed"),
        (4, "kept"),
        (5, "kept"),
        (6, "added"),
    ]
    assert told[0].reason == "role system: exclude rule 0 'system' matches"
    assert told[1].reason == "hidden by “keep the last 3”"
    assert told[3].reason == "role tool: transform rule 1 'tool' applies truncate"
    assert told[6].reason == "added by “insert”"


def test_a_message_that_a_later_operation_shows_again_was_kept() -> None:
    last: JsonValue = {"operation": "truncate", "truncate": {"keep_last": 3}}
    pairs: JsonValue = {"operation": "truncate", "truncate": {"keep_first": 9}, "pairing": "keep"}
    told = explained(of_filter(let_pass(messages=[last, pairs])), GIVEN).decisions
    assert verdicts(told, "messages")[2] == "kept"
    assert verdicts(told, "messages")[1] == "dropped"


def test_nothing_is_explained_that_was_not_asked_for() -> None:
    result = of_filter(block(rule("include", "llm.*")))(GIVEN, 0, False)
    assert result.decisions == ()


@pytest.mark.parametrize(("first", "final"), [("added", "added"), ("kept", "kept")])
def test_what_was_hidden_and_shown_again_is_new_only_if_it_came_in_on_the_way(
    first: Verdict, final: Verdict
) -> None:
    verdicts_of_steps: list[Verdict] = [first, "dropped", "added"]
    steps = [[Decision("messages", each, "filter", "", index=0)] for each in verdicts_of_steps]
    (decision,) = final_decisions(steps)
    assert decision.verdict == final
