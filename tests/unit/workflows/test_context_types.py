"""Rule 5: what each kind of node sees before its own filter."""

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from tests.unit.workflows.contexts import (
    REGISTRIES,
    chat,
    names,
    node_input,
    nodes,
    rule,
    shown,
    verdicts,
)
from workflows.domain.context.explain import StepOutcome, run_steps
from workflows.domain.context.prompt_context import HistoryEntry, NodeInput
from workflows.domain.filters.context_filter import read_filter
from workflows.domain.filters.context_types import (
    CONTEXT_TYPES,
    context_type_problem,
    default_context_type,
    node_steps,
)

GIVEN = node_input(
    {
        "llm": 1,
        "llm.model": 1,
        "prompt": 1,
        "prompt.text": 1,
        "model": 1,
        "model.name": 1,
        "tool": 1,
        "tool.name": 1,
        "function.name": 1,
        "user.name": 1,
        "human.note": 1,
        "input.text": 1,
        "user_input": 1,
        "system.version": 1,
        "config.x": 1,
        "env.y": 1,
        "other": 1,
    },
    history=[
        HistoryEntry("plain"),
        HistoryEntry("tool", metadata={"toolCall": True}),
        HistoryEntry("tool2", metadata={"tool_call": {"id": "c1"}}),
        HistoryEntry("not_tool", metadata={"toolCall": False, "tool_call": None}),
        HistoryEntry("person", metadata={"humanInteraction": True}),
        HistoryEntry("person2", metadata={"human_interaction": "yes"}),
    ],
    metadata={"system.id": 1, "config.z": 2, "env.q": 3, "team": "red"},
    messages=chat(),
)
EVERY_NODE = ["plain", "tool", "tool2", "not_tool", "person", "person2"]


def see(
    context_type: str, *filters: JsonValue, given: NodeInput = GIVEN, **config: JsonValue
) -> NodeInput:
    return told(context_type, *filters, given=given, **config).node_input


def told(
    context_type: str, *filters: JsonValue, given: NodeInput = GIVEN, **config: JsonValue
) -> StepOutcome:
    own = [read_filter(each) for each in filters]
    steps = node_steps(context_type, own, REGISTRIES, config=config, pointer="/nodes/0")
    return run_steps(given, steps, explain=True)


@pytest.mark.parametrize("context_type", ["pass_through", "filter_out", "transform", "merge"])
def test_these_types_pass_everything(context_type: str) -> None:
    assert see(context_type) == GIVEN


@pytest.mark.parametrize("context_type", ["isolate", "filter_in"])
def test_these_types_alone_pass_the_template_only(context_type: str) -> None:
    seen = see(context_type)
    assert seen.context.template == "T"
    assert (names(seen), nodes(seen), dict(seen.context.metadata), shown(seen)) == ([], [], {}, [])


def test_an_llm_sees_its_variables_and_no_tool_calls() -> None:
    seen = see("llm_context")
    assert names(seen) == ["llm", "llm.model", "prompt", "prompt.text", "model", "model.name"]
    assert nodes(seen) == ["plain", "not_tool", "person", "person2"]
    assert seen.context.metadata == GIVEN.context.metadata
    assert shown(seen) == shown(GIVEN)


def test_the_example_of_the_seed() -> None:
    given = node_input({"llm.model": "gpt-4", "tool.name": "calculator", "system.version": "1.0"})
    assert names(see("llm_context", given=given)) == ["llm.model"]


def test_a_tool_sees_tools_and_functions() -> None:
    seen = see("tool_context")
    assert names(seen) == ["tool.name", "function.name"]
    assert nodes(seen) == EVERY_NODE
    assert seen.context.metadata == GIVEN.context.metadata


def test_a_person_sees_people() -> None:
    seen = see("human_context")
    assert names(seen) == ["user.name", "human.note", "input.text"]
    assert nodes(seen) == ["person", "person2"]
    assert seen.context.metadata == GIVEN.context.metadata


def test_the_system_sees_the_system_in_variables_and_metadata_and_no_history() -> None:
    seen = see("system_context")
    assert names(seen) == ["system.version", "config.x", "env.y"]
    assert list(seen.context.metadata) == ["system.id", "config.z", "env.q"]
    assert nodes(seen) == []


@pytest.mark.parametrize("context_type", CONTEXT_TYPES)
def test_every_type_leaves_the_template_alone(context_type: str) -> None:
    assert see(context_type).context.template == "T"


def test_the_type_applies_first_then_the_own_filter() -> None:
    own: JsonValue = {"rules": [rule("exclude", "*.name")], "default_behavior": "pass"}
    assert names(see("tool_context", own)) == []
    own = {
        "rules": [rule("include", "other"), rule("include", "tool*")],
        "default_behavior": "block",
    }
    assert names(see("tool_context", own)) == ["tool.name"]


def test_filter_in_blocks_what_its_filter_does_not_include() -> None:
    own: JsonValue = {"rules": [rule("include", "user*")]}
    assert names(see("filter_in", own)) == ["user.name", "user_input"]


def test_filter_out_passes_what_its_filter_does_not_exclude() -> None:
    own: JsonValue = {"rules": [rule("exclude", "*.*")]}
    assert names(see("filter_out", own)) == [
        "llm",
        "prompt",
        "model",
        "tool",
        "user_input",
        "other",
    ]


def test_a_default_that_is_given_wins_over_that_of_the_type() -> None:
    own: JsonValue = {"rules": [rule("exclude", "*.*")], "default_behavior": "pass"}
    assert len(names(see("filter_in", own))) == 6
    own = {"rules": [rule("exclude", "*.*")], "default_behavior": "block"}
    assert names(see("filter_out", own)) == []


def test_several_filters_of_filter_in_block_where_none_says_otherwise() -> None:
    first: JsonValue = {"rules": [rule("include", "llm")]}
    second: JsonValue = {"rules": [rule("include", "prompt")]}
    assert names(see("filter_in", first, second)) == ["llm", "prompt"]


def test_transform_applies_the_transforms_of_its_filter() -> None:
    own: JsonValue = {"rules": [rule("transform", "other", transform="to_string")]}
    assert see("transform", own).context.variables["other"] == "1"


def test_the_steps_of_a_node_have_labels() -> None:
    own = [read_filter({"rules": [rule("include", "a")]})]

    def labels(context_type: str, *, filtered: bool) -> list[str | int]:
        return [label for label, _ in node_steps(context_type, own if filtered else [], REGISTRIES)]

    assert labels("llm_context", filtered=True) == ["type:llm_context", "filter"]
    assert labels("llm_context", filtered=False) == ["type:llm_context"]
    assert labels("filter_in", filtered=True) == ["filter"]
    assert labels("filter_in", filtered=False) == ["type:filter_in"]


@pytest.mark.parametrize(
    ("node_type", "context_type"),
    [
        ("llm", "llm_context"),
        ("tool", "tool_context"),
        ("user_interaction", "human_context"),
        ("human_relay", "human_context"),
        ("merge", "merge"),
        ("join", "merge"),
        ("subworkflow", "isolate"),
        ("start", "pass_through"),
        ("context_processor", "pass_through"),
        ("decision", "pass_through"),
        ("anything at all", "pass_through"),
    ],
)
def test_a_node_type_has_a_default_context_type(node_type: str, context_type: str) -> None:
    assert default_context_type(node_type) == context_type


def test_an_unknown_type_is_refused_with_its_place() -> None:
    problem = context_type_problem("lm_context", REGISTRIES, "/nodes/0/context_type")
    assert problem is not None
    assert "did you mean 'llm_context'?" in problem.message
    with pytest.raises(ValidationFailed) as caught:
        node_steps("lm_context", [], REGISTRIES, pointer="/nodes/0")
    assert caught.value.problems[0].pointer == "/nodes/0/context_type"
    assert context_type_problem("merge", REGISTRIES, "") is None


def test_a_wrong_filter_of_a_node_is_reported_with_its_place() -> None:
    wrong = read_filter({"rules": [rule("include", "")]})
    for listed, pointer in ((None, "/n/context_filter/rules/0/pattern"),
                            (True, "/n/context_filter/0/rules/0/pattern")):  # fmt: skip
        with pytest.raises(ValidationFailed) as caught:
            node_steps("merge", [wrong], REGISTRIES, pointer="/n", listed=listed)
        assert caught.value.problems[0].pointer == pointer


def test_a_type_explains_itself() -> None:
    decisions = told("llm_context").decisions
    variables = verdicts(decisions, "variables")
    assert variables["llm.model"] == "kept"
    assert variables["tool.name"] == "dropped"
    reasons = {(each.section, each.name): each.reason for each in decisions}
    assert reasons["variables", "tool.name"] == (
        "llm_context shows the variables llm, prompt, model, llm.*, prompt.*, model.*"
    )
    assert "toolCall" in reasons["history", "tool"]
    assert verdicts(decisions, "messages") == dict.fromkeys(range(6), "kept")
    assert {each.step for each in decisions} == {"type:llm_context"}


def test_the_step_that_dropped_a_name_is_the_one_that_is_named() -> None:
    own: JsonValue = {"rules": [rule("exclude", "llm")]}
    by_name = {each.name: each for each in told("llm_context", own).decisions}
    assert by_name["tool"].step == "type:llm_context"
    assert (by_name["llm"].step, by_name["llm"].rule) == ("filter", 0)
    assert by_name["prompt"].step == "filter"
