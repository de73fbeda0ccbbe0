"""Laws of filters, over any context, any rules, any messages."""

import json
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from ctxadmin.lib.errors import ContextError, Duplicate
from tests.examples import examples
from tests.unit.workflows.contexts import REGISTRIES, chat, node_input, shown
from workflows.domain.context.explain import Decision, Step, run_steps
from workflows.domain.context.prompt_context import HistoryEntry, NodeInput
from workflows.domain.filters.context_filter import (
    ContextFilter,
    filter_step,
    merge,
    merge_all,
    read_filter,
)
from workflows.domain.filters.context_types import CONTEXT_TYPES, node_steps
from workflows.domain.filters.edge_filter import edge_step, read_edge_filter

NAMES = ["a", "b", "llm", "llm.model", "tool.name", "llm.model.name", "x.y"]
PATTERNS = ["*", "a", "llm.*", "*.name", "*l*", "tool*", "zz", "llm.model"]
ROLES = ["*", "user", "s*", "tool", "assistant"]

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3)
values: st.SearchStrategy[JsonValue] = scalars | st.lists(scalars, max_size=3)
named = st.dictionaries(st.sampled_from(NAMES), values, max_size=6)
entries = st.builds(
    HistoryEntry,
    st.sampled_from(NAMES),
    scalars,
    scalars,
    st.just(None),
    st.dictionaries(st.sampled_from(["toolCall", "human_interaction"]), scalars, max_size=2),
)

# A chat in which every call is answered at once, or not at all.
turns = st.lists(st.sampled_from(["system", "user", "assistant", "tools", "open"]), max_size=8)


def _chat(kinds: Sequence[str]) -> list[dict[str, JsonValue]]:
    messages: list[dict[str, JsonValue]] = []
    for number, kind in enumerate(kinds):
        if kind in ("tools", "open"):
            calls: JsonValue = [{"id": f"c{number}"}]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        if kind == "tools":
            messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "r"})
        if kind in ("system", "user", "assistant"):
            messages.append({"role": kind, "content": f"text {number}"})
    return messages


def _sight(
    variables: dict[str, JsonValue],
    history: list[HistoryEntry],
    metadata: dict[str, JsonValue],
    kinds: list[str],
) -> NodeInput:
    messages = _chat(kinds)
    drafts = chat(*messages) if messages else []
    return node_input(variables, history=history, metadata=metadata, messages=drafts, tools="Tools")


sights = st.builds(_sight, named, st.lists(entries, max_size=5), named, turns)
conditions = st.sampled_from([None, "true", "false", "context.a", "context.llm.model === 1"])


@st.composite
def rules(draw: st.DrawFn, kinds: Sequence[str] = ("include", "exclude", "transform")) -> JsonValue:
    target = draw(st.sampled_from([None, "variables", "history", "metadata", "messages"]))
    kind = draw(st.sampled_from(kinds))
    transform = draw(st.sampled_from(["uppercase", "redact", "length"]))
    return {
        "type": kind,
        "pattern": draw(st.sampled_from(ROLES if target == "messages" else PATTERNS)),
        "target": target,
        "condition": draw(conditions),
        "transform": transform if kind == "transform" else None,
    }


operations: st.SearchStrategy[JsonValue] = st.sampled_from(
    [
        {"operation": "truncate", "truncate": {"keep_last": 2}},
        {"operation": "truncate", "truncate": {"keep_last": 3}, "pairing": "keep"},
        {"operation": "filter", "filter": {"roles": ["user", "tool"]}, "pairing": "drop"},
        {"operation": "clear"},
        {
            "operation": "insert",
            "insert": {"position": 0, "messages": [{"role": "user", "content": "in"}]},
        },
    ]
)
behaviors = st.sampled_from([None, "pass", "block"])


@st.composite
def filters(
    draw: st.DrawFn,
    kinds: Sequence[str] = ("include", "exclude", "transform"),
    most_operations: int = 0,
) -> ContextFilter:
    return read_filter(
        {
            "rules": draw(st.lists(rules(kinds), max_size=6)),
            "default_behavior": draw(behaviors),
            "priority": draw(st.integers(-1, 2)),
            "messages": draw(st.lists(operations, max_size=most_operations)),
        }
    )


choosing = filters(kinds=("include", "exclude"))
patterns = st.lists(st.sampled_from(PATTERNS), max_size=3)


@st.composite
def edges(draw: st.DrawFn) -> Step:
    kind = draw(st.sampled_from(["pass_all", "pass_none", "selective", "conditional"]))
    fields: dict[str, JsonValue] = {"type": kind}
    if kind in ("selective", "conditional"):
        excludes: JsonValue = ["zz", *draw(patterns)]
        fields |= {"include_patterns": list(draw(patterns)), "exclude_patterns": excludes}
    if kind == "conditional":
        fields["condition"] = draw(conditions.filter(bool))
    return edge_step(read_edge_filter(fields), REGISTRIES)


types = st.sampled_from(CONTEXT_TYPES)
choosing_steps = (
    st.builds(lambda each: filter_step([each], REGISTRIES), choosing)
    | edges()
    | st.builds(lambda name: node_steps(name, [], REGISTRIES)[0][1], types)
)


def _seen(given: NodeInput) -> str:
    context = json.dumps(given.context.as_json())
    return f"{context} {shown(given)} {sorted(given.messages.rewrites)}"


def _is_part_in_order(part: Sequence[object], whole: Sequence[object]) -> bool:
    rest = iter(whole)
    return all(any(each == other for other in rest) for each in part)


@given(sights, choosing_steps)
def test_what_comes_out_is_a_part_of_what_came_in_its_order(
    given_sight: NodeInput, step: Step
) -> None:
    seen = step(given_sight, 0, False).node_input
    before, after = given_sight.context, seen.context
    assert after.template == before.template
    assert _is_part_in_order(list(after.variables.items()), list(before.variables.items()))
    assert _is_part_in_order(list(after.metadata.items()), list(before.metadata.items()))
    assert _is_part_in_order(after.history, before.history)
    assert _is_part_in_order(shown(seen), shown(given_sight))


@given(sights, choosing)
def test_a_filter_without_conditions_applied_twice_is_as_if_once(
    given_sight: NodeInput, own: ContextFilter
) -> None:
    bare = own.model_copy(
        update={"rules": tuple(rule for rule in own.rules if rule.condition is None)}
    )
    step = filter_step([bare], REGISTRIES)
    once = step(given_sight, 0, False).node_input
    assert _seen(step(once, 0, False).node_input) == _seen(once)


@given(sights, choosing)
def test_the_order_of_include_and_exclude_rules_does_not_matter(
    given_sight: NodeInput, own: ContextFilter
) -> None:
    turned = own.model_copy(update={"rules": own.rules[::-1]})
    first = filter_step([own], REGISTRIES)(given_sight, 0, False).node_input
    second = filter_step([turned], REGISTRIES)(given_sight, 0, False).node_input
    assert _seen(first) == _seen(second)


@given(sights, choosing)
def test_adding_an_exclude_takes_away_what_it_matches_and_nothing_else(
    given_sight: NodeInput, own: ContextFilter
) -> None:
    about_names: JsonValue = [{"type": "include", "pattern": "a"}]
    base = own.model_copy(
        update={"rules": (*own.rules, *read_filter({"rules": about_names}).rules)}
    )
    exclude = read_filter({"rules": [{"type": "exclude", "pattern": "llm*"}]}).rules
    more = base.model_copy(update={"rules": (*base.rules, *exclude)})
    before = filter_step([base], REGISTRIES)(given_sight, 0, False).node_input
    after = filter_step([more], REGISTRIES)(given_sight, 0, False).node_input
    left = {name: value for name, value in before.context.variables.items() if name[:3] != "llm"}
    assert after.context.variables == left
    assert after.context.history == before.context.history
    assert shown(after) == shown(before)


@given(sights, st.lists(filters(most_operations=2), max_size=3), types)
def test_explaining_changes_nothing_and_tells_everything_once(
    given_sight: NodeInput, own: list[ContextFilter], context_type: str
) -> None:
    steps = node_steps(context_type, own, REGISTRIES)
    try:
        plain = run_steps(given_sight, steps)
    except ContextError:
        return
    told = run_steps(given_sight, steps, explain=True)
    assert _seen(told.node_input) == _seen(plain.node_input)
    assert plain.decisions == ()
    _check_names(told.decisions, given_sight, told.node_input)
    _check_history(told.decisions, given_sight, told.node_input)
    _check_messages(told.decisions, given_sight, told.node_input)


def _check_names(decisions: Sequence[Decision], before: NodeInput, after: NodeInput) -> None:
    for section, old, new in (
        ("variables", before.context.variables, after.context.variables),
        ("metadata", before.context.metadata, after.context.metadata),
    ):
        told = [each for each in decisions if each.section == section]
        assert [each.name for each in told] == list(old)
        for each in told:
            assert (each.verdict != "dropped") == (each.name in new)
            if each.verdict == "kept":
                assert each.name is not None
                assert json.dumps(new[each.name]) == json.dumps(old[each.name])


def _check_history(decisions: Sequence[Decision], before: NodeInput, after: NodeInput) -> None:
    told = [each for each in decisions if each.section == "history"]
    assert [each.index for each in told] == list(range(len(before.context.history)))
    left = [each.name for each in told if each.verdict != "dropped"]
    assert left == [entry.node_id for entry in after.context.history]


def _check_messages(decisions: Sequence[Decision], before: NodeInput, after: NodeInput) -> None:
    told = {each.index: each.verdict for each in decisions if each.section == "messages"}
    assert len(told) == sum(each.section == "messages" for each in decisions)
    assert {index for index, verdict in told.items() if verdict != "dropped"} == set(shown(after))
    assert set(shown(before)) <= set(told)
    assert {index for index in told if told[index] == "added"} == set(shown(after)) - set(
        shown(before)
    )


@given(choosing, choosing, choosing)
def test_merging_is_associative(
    first: ContextFilter, second: ContextFilter, third: ContextFilter
) -> None:
    assert merge(merge(first, second), third) == merge(first, merge(second, third))


@given(sights, choosing, choosing)
def test_merging_is_commutative_in_effect(
    given_sight: NodeInput, first: ContextFilter, second: ContextFilter
) -> None:
    one = filter_step([merge(first, second)], REGISTRIES)(given_sight, 0, False).node_input
    other = filter_step([merge(second, first)], REGISTRIES)(given_sight, 0, False).node_input
    assert _seen(one) == _seen(other)


@given(sights, filters())
def test_merging_a_filter_with_itself_changes_nothing_but_double_rules(
    given_sight: NodeInput, own: ContextFilter
) -> None:
    doubled = merge(own, own)
    assert doubled.rules == own.rules * 2
    assert doubled.default_behavior == (own.default_behavior or "pass")
    assert doubled.priority == own.priority


@given(sights, st.lists(filters(most_operations=1), max_size=4))
def test_a_list_of_filters_acts_as_their_merge(
    given_sight: NodeInput, own: list[ContextFilter]
) -> None:
    try:
        listed = filter_step(own, REGISTRIES)(given_sight, 0, False).node_input
    except ContextError:
        return
    merged = filter_step([merge_all(own)], REGISTRIES)(given_sight, 0, False).node_input
    assert _seen(listed) == _seen(merged)


rename_rules = st.lists(
    st.sampled_from(
        [
            {"pattern": "llm.*", "rename": "model.*"},
            {"pattern": "*", "rename": "in.*"},
            {"pattern": "a", "rename": "b"},
            {"pattern": "b", "rename": "a"},
            {"pattern": "*.name", "rename": "*"},
            {"pattern": "x.*", "rename": "one"},
        ]
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=examples(60))
@given(sights, rename_rules)
def test_a_rename_loses_no_value_or_is_refused(
    given_sight: NodeInput, renames: list[dict[str, JsonValue]]
) -> None:
    step = edge_step(
        read_edge_filter({"type": "transform", "transform_rules": list(renames)}), REGISTRIES
    )
    before = given_sight.context.variables
    try:
        after = step(given_sight, 0, False).node_input.context.variables
    except Duplicate:
        return
    assert list(after.values()) == list(before.values())
