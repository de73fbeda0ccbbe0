"""Whatever was changed in a file of another program, it is read or refused by its place."""

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from conversations.domain.imports.files import read_file
from conversations.domain.imports.shapes import NAMES, read_any
from conversations.domain.message import MessageDraft, read_messages
from tests.examples import examples
from tests.property.conversation_strategies import drafts
from tests.property.test_conversations_hostile import VALUES, points_into, refusal
from tests.shape_examples import EXAMPLES


def paths(value: JsonValue) -> list[tuple[str | int, ...]]:
    """The ways to all values within a value, itself included."""
    found: list[tuple[str | int, ...]] = [()]
    children: list[tuple[str | int, JsonValue]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    for key, child in children:
        found += [(key, *rest) for rest in paths(child)]
    return found


@st.composite
def mutated(draw: st.DrawFn) -> JsonValue:
    """An example in which up to three values are others, are gone, or stand there twice."""
    value: Any = copy.deepcopy(draw(st.sampled_from(EXAMPLES)).value)
    for _ in range(draw(st.integers(1, 3))):
        ways = [way for way in paths(value) if way]
        if not ways:
            break
        *before, last = draw(st.sampled_from(ways))
        here = value
        for step in before:
            here = here[step]
        change = draw(st.sampled_from(["replace", "remove", "repeat", "text"]))
        if change == "remove":
            del here[last]
        elif change == "repeat" and isinstance(here, list):
            here.append(copy.deepcopy(here[int(last)]))
        elif change == "text":
            here[last] = json.dumps(here[last])
        else:
            here[last] = draw(VALUES)
    result: JsonValue = value
    return result


@given(mutated(), st.sampled_from([None, *NAMES]))
@settings(max_examples=examples(600))
def test_a_changed_example_is_read_or_refused_by_its_place(
    value: JsonValue, shape: str | None
) -> None:
    error = refusal(lambda: read_any(value, shape))
    if error is not None:
        assert error.problems
        assert all(points_into(problem.pointer, value) for problem in error.problems)


@given(st.lists(mutated(), min_size=1, max_size=3))
@settings(max_examples=examples(200))
def test_lines_of_changed_examples_are_read_or_refused(values: list[JsonValue]) -> None:
    data = b"\n".join(json.dumps(each).encode() for each in values)
    error = refusal(lambda: read_file(data))
    assert error is None or str(error)


@given(st.lists(drafts(), min_size=1, max_size=8))
def test_messages_of_ours_are_taken_as_they_are(log: list[MessageDraft]) -> None:
    messages: list[JsonValue] = [json.loads(draft.body) for draft in log]
    (found,) = read_any({"messages": messages})
    assert found.drafts == read_messages(messages)
    assert found.report.shape == "openai"
    assert found.report.is_plain or found.report.warning_count
