"""Rule 12: the registries of processors and transforms, and what packages add to them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from importlib.metadata import EntryPoint
from typing import cast

import pytest
from pydantic import JsonValue

from conversations.domain.view import View
from ctxadmin.lib.errors import Duplicate, Forbidden, InvalidState, NotFound, ValidationFailed
from tests.unit.workflows.contexts import REGISTRIES, chat, names, node_input, rule, shown, verdicts
from workflows.domain.context.explain import StepOutcome, run_steps
from workflows.domain.context.prompt_context import HistoryEntry, Messages, NodeInput
from workflows.domain.filters.context_filter import filter_step, read_filter
from workflows.domain.filters.context_types import CONTEXT_TYPES, node_steps
from workflows.domain.processors.builtin import Processor
from workflows.domain.processors.registries import (
    PROCESSOR_GROUP,
    Registries,
    processor_step,
    standard,
)

GIVEN = node_input(
    {"a": 1, "b": [1]}, history=["x", "y"], metadata={"k": {"v": 1}}, messages=chat()
)

Config = Mapping[str, JsonValue]


def only_a(given: NodeInput, config: Config) -> NodeInput:
    """Shows the variable a.

    And nothing else.
    """
    return replace(given, context=replace(given.context, variables={"a": 1}, history=()))


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, PROCESSOR_GROUP)


def with_points(*points: EntryPoint) -> Registries:
    return Registries.build(processors=lambda: points, transforms=lambda: ())


def fresh(**processors: Processor) -> Registries:
    registries = with_points()
    for name, function in processors.items():
        registries.processors.register(name, function)
    return registries


def run(name: str, registries: Registries, **config: JsonValue) -> StepOutcome:
    step = processor_step(name, registries, config=config, pointer="/steps/0/processor")
    return run_steps(GIVEN, [("step", step)], explain=True)


# Names


def test_the_ten_context_types_are_builtin_processors() -> None:
    assert len(CONTEXT_TYPES) == 10
    assert set(CONTEXT_TYPES) <= set(REGISTRIES.processors.names())


def test_a_registered_processor_is_found_and_is_a_context_type() -> None:
    registries = fresh(only_a=only_a)
    assert "only_a" in registries.processors.names()
    assert names(run("only_a", registries).node_input) == ["a"]
    [(label, step)] = node_steps("only_a", [], registries)
    assert label == "type:only_a"
    assert names(step(GIVEN, label, False).node_input) == ["a"]


def test_a_processor_is_given_the_config_of_its_node() -> None:
    seen: list[Config] = []

    def note(given: NodeInput, config: Config) -> NodeInput:
        seen.append(config)
        return given

    run("note", fresh(note=note), depth=3)
    processor_step("note", fresh(note=note))(GIVEN, 0, False)
    assert seen == [{"depth": 3}, {}]


@pytest.mark.parametrize("name", ["llm_context", "only_a"])
def test_a_name_that_is_taken_is_a_duplicate(name: str) -> None:
    with pytest.raises(Duplicate):
        fresh(only_a=only_a).processors.register(name, only_a)


@pytest.mark.parametrize("name", ["", "a b", "ü", "a" * 65, "a/b"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(ValidationFailed):
        fresh().processors.register(name, only_a)


def test_a_builtin_cannot_be_removed() -> None:
    registries = fresh(only_a=only_a)
    with pytest.raises(Forbidden):
        registries.processors.unregister("llm_context")
    with pytest.raises(Forbidden):
        registries.transforms.unregister("uppercase")
    registries.processors.unregister("only_a")
    assert registries.processors.find("only_a") is None
    with pytest.raises(NotFound):
        registries.processors.unregister("only_a")


def test_an_unknown_processor_is_refused_with_its_place() -> None:
    with pytest.raises(ValidationFailed) as caught:
        run("lm_context", fresh())
    [problem] = caught.value.problems
    assert problem.pointer == "/steps/0/processor"
    assert problem.message == "unknown processor 'lm_context'; did you mean 'llm_context'?"


def test_entries_tell_origin_and_purpose() -> None:
    entries = {entry.name: entry for entry in fresh(only_a=only_a).processors.entries()}
    assert entries["only_a"].origin == "registered"
    assert entries["only_a"].description == "Shows the variable a."
    assert entries["isolate"].origin == "builtin"
    assert all(entry.description for entry in REGISTRIES.processors.entries())
    assert all(entry.description for entry in REGISTRIES.transforms.entries())


def test_the_registries_of_the_process_are_always_the_same() -> None:
    assert standard() is standard()


# Packages


def test_a_package_adds_a_processor_when_it_is_asked_for() -> None:
    loads: list[str] = []

    class Point(EntryPoint):
        def load(self) -> Processor:
            loads.append(self.name)
            return only_a

    points = [Point("theirs", "package:only_a", PROCESSOR_GROUP)]
    registries = Registries.build(processors=lambda: points, transforms=lambda: ())
    assert registries.processors.find("llm_context") is not None
    assert "theirs" in registries.processors.names()
    assert loads == []
    assert names(run("theirs", registries).node_input) == ["a"]
    run("theirs", registries)
    assert loads == ["theirs"]
    [entry] = [each for each in registries.processors.entries() if each.name == "theirs"]
    assert (entry.origin, entry.description) == ("package:only_a", "Shows the variable a.")


def test_packages_are_looked_for_only_when_another_name_does_not_answer() -> None:
    def never() -> Sequence[EntryPoint]:
        raise AssertionError("the entry points were listed")

    registries = Registries.build(processors=never, transforms=never)
    assert registries.processors.find("merge") is not None
    assert registries.transforms.find("json") is not None


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (point("theirs", "no_such_package_here:f"), "ModuleNotFoundError"),
        (point("theirs", "json:no_such_name"), "AttributeError"),
        (point("theirs", "json:__name__"), "it is not a function"),
        (point("theirs", "tests.unit.workflows.broken_package:f"), "RuntimeError: half built"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named_and_harms_no_other(
    broken: EntryPoint, words: str
) -> None:
    registries = with_points(broken, point("good", "tests.unit.workflows.contexts:node_input"))
    with pytest.raises(ValidationFailed, match="theirs") as caught:
        run("theirs", registries)
    assert words in caught.value.detail
    [fault] = registries.processors.faults()
    assert (fault.name, fault.origin) == ("theirs", broken.value)
    assert words in fault.message
    [entry] = [each for each in registries.processors.entries() if each.name == "theirs"]
    assert entry.fault is not None
    assert registries.processors.find("good") is not None


def test_a_package_cannot_take_a_name_that_is_taken() -> None:
    registries = with_points(
        point("llm_context", "a:f"),
        point("twice", "b:f"),
        point("twice", "c:f"),
        point("a b", "d:f"),
    )
    assert {(fault.name, fault.origin): fault.message for fault in registries.processors.faults()
            if fault.origin != "b:f"} == {
        ("llm_context", "a:f"): "the name is taken",
        ("twice", "c:f"): "the name is taken by b:f",
        ("a b", "d:f"): "a name has 1 to 64 letters, digits, - and _",
    }  # fmt: skip
    with pytest.raises(Duplicate):
        registries.processors.register("twice", only_a)
    with pytest.raises(Forbidden):
        registries.processors.unregister("twice")


# Foreign code


def _fails(given: NodeInput, config: Config) -> NodeInput:
    raise KeyError("nothing here")


def _knows(given: NodeInput, config: Config) -> NodeInput:
    raise InvalidState("not now")


def _no_node_input(given: NodeInput, config: Config) -> NodeInput:
    return cast(NodeInput, None)


def _no_json(given: NodeInput, config: Config) -> NodeInput:
    odd = cast(JsonValue, date(2026, 1, 1))
    return replace(given, context=replace(given.context, variables={"a": odd}))


def _no_names(given: NodeInput, config: Config) -> NodeInput:
    odd = cast(Mapping[str, JsonValue], {1: GIVEN.context.variables["a"]})
    return replace(given, context=replace(given.context, variables=odd))


def _no_entry(given: NodeInput, config: Config) -> NodeInput:
    odd = HistoryEntry("n", metadata=cast(Mapping[str, JsonValue], [1]))
    return replace(given, context=replace(given.context, history=(odd,)))


def _no_template(given: NodeInput, config: Config) -> NodeInput:
    return replace(given, context=replace(given.context, template=cast(str, 5)))


def _own_log(given: NodeInput, config: Config) -> NodeInput:
    return replace(given, messages=Messages.of(chat()))


def _beyond_the_log(given: NodeInput, config: Config) -> NodeInput:
    return replace(given, messages=given.messages.with_view(View([(0, 99)])))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (_fails, "KeyError: 'nothing here'"),
        (_no_node_input, "not a NodeInput"),
        (_no_json, "not JSON"),
        (_no_names, "not JSON"),
        (_no_entry, "not JSON"),
        (_no_template, "not JSON"),
        (_own_log, "messages of its own"),
        (_beyond_the_log, "view of the messages is wrong"),
    ],
)
def test_a_processor_that_fails_is_named(function: Processor, words: str) -> None:
    with pytest.raises(ValidationFailed, match="the processor 'theirs' failed") as caught:
        run("theirs", fresh(theirs=function))
    assert words in caught.value.detail


def test_a_processor_may_refuse_with_an_error_of_ours() -> None:
    with pytest.raises(InvalidState, match="not now"):
        run("theirs", fresh(theirs=_knows))


def test_a_transform_that_fails_is_named() -> None:
    def divide(value: JsonValue) -> JsonValue:
        return 1 / cast(int, value)

    def odd(value: JsonValue) -> JsonValue:
        return cast(JsonValue, {1, 2})

    registries = with_points()
    registries.transforms.register("divide", divide)
    registries.transforms.register("odd", odd)
    for name, words in (("divide", "ZeroDivisionError"), ("odd", "not JSON")):
        own = read_filter({"rules": [rule("transform", "*", transform=name)]})
        with pytest.raises(ValidationFailed, match=f"the transform '{name}' failed") as caught:
            filter_step([own], registries)(node_input({"a": 0}), 0, False)
        assert words in caught.value.detail


# Explanations of code that does not explain itself


def test_a_processor_is_explained_by_its_effect() -> None:
    def work(given: NodeInput, config: Config) -> NodeInput:
        first, second = given.context.history
        context = replace(
            given.context,
            variables={"a": 2, "c": 3},
            metadata={"k": {"v": 1}},
            history=(HistoryEntry("new"), replace(second, response="other"), first),
        )
        return replace(given, context=context, messages=given.messages.with_view(View([(4, 6)])))

    result = run("work", fresh(work=work))
    assert verdicts(result.decisions, "variables") == {"a": "changed", "b": "dropped", "c": "added"}
    assert verdicts(result.decisions, "metadata") == {"k": "kept"}
    assert verdicts(result.decisions, "history") == {"x": "kept", "y": "changed", "new": "added"}
    assert verdicts(result.decisions, "messages") == {
        0: "dropped", 1: "dropped", 2: "dropped", 3: "dropped", 4: "kept", 5: "kept"
    }  # fmt: skip
    by_name = {each.name: each for each in result.decisions if each.name}
    assert (by_name["a"].before, by_name["a"].after) == (1, 2)
    assert by_name["b"].reason == "work: dropped"


def test_what_a_processor_moved_is_followed() -> None:
    def turn(given: NodeInput, config: Config) -> NodeInput:
        return replace(given, context=replace(given.context, history=given.context.history[::-1]))

    registries = fresh(turn=turn)
    drop = read_filter({"rules": [rule("exclude", "x", target="history")]})
    steps = [("turn", processor_step("turn", registries)),
             ("drop", filter_step([drop], registries))]  # fmt: skip
    told = [each for each in run_steps(GIVEN, steps, explain=True).decisions
            if each.section == "history"]  # fmt: skip
    assert [(each.name, each.index, each.verdict) for each in told] == [
        ("x", 0, "dropped"),
        ("y", 1, "kept"),
    ]


def test_a_processor_that_shows_a_hidden_message_again_is_reported() -> None:
    def all_of_them(given: NodeInput, config: Config) -> NodeInput:
        return replace(given, messages=given.messages.with_view(View([(0, 6)])))

    registries = fresh(all=all_of_them)
    hidden = replace(GIVEN, messages=GIVEN.messages.with_view(View([(4, 6)])))
    result = run_steps(hidden, [(0, processor_step("all", registries))], explain=True)
    assert shown(result.node_input) == [0, 1, 2, 3, 4, 5]
    told = verdicts(result.decisions, "messages")
    assert (told[0], told[4]) == ("added", "kept")


def test_a_processor_that_splits_a_pair_warns() -> None:
    def tail(given: NodeInput, config: Config) -> NodeInput:
        return replace(given, messages=given.messages.with_view(View([(3, 6)])))

    assert [each.code for each in run("tail", fresh(tail=tail)).warnings] == ["split_pair"]
