"""Whatever comes in, it is read or refused by name: no other error, and nothing half done."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.domain.export_reading import read_export
from conversations.domain.imports.files import read_file
from conversations.domain.imports.shapes import read_any
from conversations.domain.legacy import migrate
from conversations.domain.memory import MemoryLog
from conversations.domain.message import read_message
from conversations.domain.operations import apply
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import loads_strict
from tests.unit.conversations.chats import (
    CAUSE,
    calls,
    conversation,
    exported,
    operation,
    result,
    user,
    whole,
)

WORDS = st.sampled_from(
    [
        *("role", "content", "user", "tool", "assistant", "system", "text", "type", "id"),
        *("tool_calls", "toolCalls", "tool_call_id", "tool_description", "metadata", "messages"),
        *("operation", "truncate", "keep_first", "range", "start", "end", "insert", "position"),
        *("replace", "index", "message", "clear", "filter", "roles", "version", "pairing"),
        *("processorType", "rules", "sourcePath", "targetPath", "messages[1:2]", "", "\x00", "你"),
    ]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    WORDS,
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)
READERS: list[Callable[[JsonValue], object]] = [
    read_message,
    read_operation,
    read_any,
    read_export,
    migrate,
]


def refusal(read: Callable[[], object]) -> ContextError | None:
    """How a reading was refused, None if it was not; any other error is a failure."""
    try:
        read()
    except ContextError as error:
        return error
    return None


@pytest.mark.parametrize("read", READERS)
@given(VALUES)
def test_a_value_is_read_or_refused_with_pointers(
    read: Callable[[JsonValue], object], value: JsonValue
) -> None:
    error = refusal(lambda: read(value))
    if error is not None:
        assert error.problems
        assert all(points_into(problem.pointer, value) for problem in error.problems)


def points_into(pointer: str, value: JsonValue) -> bool:
    """True if the pointer names a place of the value, or a field that is missing there."""
    here: Any = value
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for number, step in enumerate(steps):
        if isinstance(here, list) and step.isdigit() and int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return isinstance(here, dict) and number == len(steps) - 1
    return True


@given(VALUES)
def test_what_was_read_as_a_message_comes_back(value: JsonValue) -> None:
    try:
        draft = read_message({"role": "user", "content": "x", "free": value})
    except ContextError:
        return
    assert json.loads(draft.body)["free"] == json.loads(json.dumps(value))


@given(VALUES)
def test_an_operation_that_was_read_works_or_is_refused(value: JsonValue) -> None:
    log = MemoryLog([user(), calls("a"), result("a")])
    try:
        config = read_operation(value)
        apply(config, whole(log), log)
    except ContextError:
        return
    assert len(log) == 3


@given(st.one_of(st.binary(max_size=60), st.lists(VALUES, max_size=4).map(json.dumps)))
def test_a_file_is_read_or_refused(data: bytes | str) -> None:
    text = data.encode() if isinstance(data, str) else data
    error = refusal(lambda: read_file(text))
    assert error is None or str(error)


def _lived() -> JsonValue:
    made = conversation(user(), calls("a"), result("a"))
    block: JsonValue = {"index": 0, "message": {"role": "user", "content": "new"}}
    made.operate(operation("replace", block), CAUSE)
    made.rollback(0, CAUSE)
    made.append([user()], CAUSE)
    return loads_strict(exported(made))


def _places(value: JsonValue, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _places(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            found += _places(inner, (*path, place))
    return found


@given(st.data())
def test_an_export_with_one_place_changed_is_read_or_refused(data: st.DataObject) -> None:
    document: Any = _lived()
    path = data.draw(st.sampled_from(_places(document)))
    here = document
    for step in path[:-1]:
        here = here[step]
    if data.draw(st.booleans()):
        del here[path[-1]]
    else:
        here[path[-1]] = data.draw(VALUES)
    try:
        found = read_export(document)
    except ContextError:
        return
    assert found.revisions[0].number == 0
