"""Rule 15: everything travels with an export."""

import json
from collections.abc import Callable

import pytest
from pydantic import JsonValue

from conversations.domain.export_reading import read_export
from conversations.domain.transfer import FORMAT, is_export
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import loads_strict
from tests.conversation_model import Conversation
from tests.unit.conversations.chats import (
    CAUSE,
    assistant,
    calls,
    conversation,
    exported,
    imported,
    operation,
    result,
    tools,
    user,
    visible,
)

Document = dict[str, JsonValue]


def lived() -> Conversation:
    """A conversation with pairs, branches, a replace and moves."""
    made = conversation(
        tools(),
        user("Hi", id="mine", tokens=9, node_id="n.1"),
        calls("a"),
        result("a"),
        assistant("", extra={"k": [1, None]}),
        text="Tools: look",
    )
    made.operate(operation("truncate", {"keep_last": 2}), CAUSE)
    made.rollback(0, CAUSE)
    block: JsonValue = {"index": 1, "message": {"role": "user", "content": "Hello"}}
    made.operate(operation("replace", block), CAUSE)
    made.append([user("More")], CAUSE)
    made.rollback(0, CAUSE)
    made.append([user("Other")], CAUSE)
    made.restore(2, CAUSE)
    return made


def document() -> Document:
    """The export of ``lived``, parsed."""
    found = loads_strict(exported(lived()))
    assert isinstance(found, dict)
    return found


def test_an_import_gives_back_everything_as_it_was() -> None:
    made = lived()
    again = imported(exported(made))
    assert again.messages == made.messages
    assert again.revisions == made.revisions
    assert again.moves == made.moves
    assert again.current == made.current
    assert again.diff(0, 2) == made.diff(0, 2)
    found = read_export(document())
    assert (found.conversation_id, found.title, found.workflow) == ("c-1", "A title", "support")
    assert (found.metadata, found.tools) == ({"kept": [1, None]}, "Tools: look")
    assert (found.created_at, found.updated_at) == (CAUSE.at, CAUSE.at)


def test_a_revision_that_was_opened_from_an_earlier_state_travels() -> None:
    made = conversation(user(), calls("a"))
    made.append([result("a")], CAUSE)
    made.reopen(2, 2, CAUSE)
    again = imported(exported(made))
    assert again.revisions == made.revisions
    again.append([result("a", "found again")], CAUSE)
    assert visible(again) == [0, 1, 3]
    assert again.messages[3].entry.call_index == 1


def test_rollback_still_works_after_an_import() -> None:
    again = imported(exported(lived()))
    again.rollback(0, CAUSE)
    assert visible(again) == [0, 1, 2, 3, 4]
    again.restore(1, CAUSE)
    assert visible(again) == [3, 4]
    again.restore(3, CAUSE)
    assert again.append([user()], CAUSE).revision == 3


def test_the_bodies_of_messages_travel_as_they_came() -> None:
    messages = document()["messages"]
    assert isinstance(messages, list)
    last = messages[4]
    assert isinstance(last, dict)
    assert json.dumps(last["message"]) == (
        '{"role": "assistant", "content": "", "extra": {"k": [1, null]}}'
    )


def test_an_export_is_known_by_its_format() -> None:
    assert is_export(document())
    assert document()["format"] == FORMAT
    assert is_export({"format": "ctxadmin-conversation/9"})
    assert not is_export({"messages": [], "format": "chat"})
    assert not is_export([])


def set_at(path: str, value: JsonValue) -> Callable[[Document], None]:
    """A change of the document at a JSON pointer."""

    def change(data: Document) -> None:
        *parents, last = path.removeprefix("/").split("/")
        here: JsonValue = data
        for step in parents:
            here = here[int(step)] if isinstance(here, list) else here[step]  # type: ignore[index]
        if isinstance(here, list):
            here[int(last)] = value
        elif isinstance(here, dict):
            here[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        ("/format", "ctxadmin-conversation/9", "/format"),
        ("/format", None, "/format"),
        ("/extra", 1, "/extra"),
        ("/id", "a b", "/id"),
        ("/created_at", "yesterday", "/created_at"),
        ("/created_at", "2026-01-31T09:00:00", "/created_at"),
        ("/current_revision", 4, "/current_revision"),
        ("/current_revision", -1, "/current_revision"),
        ("/revisions/1/branched_at", 6, "/revisions/1/branched_at"),
        ("/view", [[0, 1]], "/view"),
        ("/revisions", [], "/revisions"),
        ("/metadata", [], "/metadata"),
        ("/messages/1/index", 7, "/messages/1/index"),
        ("/messages/1/id", "log-0", "/messages/1/id"),
        ("/messages/1/id", "log-3", "/messages/1/id"),
        ("/messages/1/revision", 9, "/messages/1/revision"),
        ("/messages/6/revision", 1, "/messages/6/revision"),
        ("/messages/1/tokens", -1, "/messages/1/tokens"),
        ("/messages/1/tokens", 1e9, "/messages/1/tokens"),
        ("/messages/1/message", {"role": "user"}, "/messages/1/message/content"),
        ("/messages/1/message/id", "x", "/messages/1/message"),
        ("/messages/3/call_index", 1, "/messages/3/call_index"),
        ("/messages/3/call_index", 3, "/messages/3/call_index"),
        ("/messages/3/call_index", 99, "/messages/3/call_index"),
        ("/messages/1/call_index", 2, "/messages/1/call_index"),
        ("/revisions/1/id", 5, "/revisions/1/id"),
        ("/revisions/0/parent", 0, "/revisions/0"),
        ("/revisions/0/operation", "append", "/revisions/0"),
        ("/revisions/1/parent", None, "/revisions/1"),
        ("/revisions/1/parent", 1, "/revisions/1/parent"),
        ("/revisions/1/parent", 3, "/revisions/1/parent"),
        ("/revisions/1/number", 2, "/revisions/1/number"),
        ("/revisions/1/operation", "start", "/revisions/1/number"),
        ("/revisions/1/operation", "append", "/revisions/1/number"),
        ("/revisions/1/operation", "explode", "/revisions/1/operation"),
        ("/revisions/1/view", [[0, 3], [2, 4]], "/revisions/1/view"),
        ("/revisions/1/view", [[4, 6]], "/revisions/1/view"),
        ("/revisions/1/view", [[3, 3]], "/revisions/1/view"),
        ("/revisions/1/view", [[3]], "/revisions/1/view/0"),
        ("/revisions/1/view", [[0, 10**18]], "/revisions/1/view/0/1"),
        ("/revisions/1/log_length", 99, "/revisions/1/log_length"),
        ("/revisions/2/config", {"replace": {"index": 1}}, "/revisions/2/config"),
        ("/revisions/2/config", {"replace": []}, "/revisions/2/config"),
        (
            "/revisions/2/config",
            {"replace": {"index": 77, "message": {"index": 5}}},
            "/revisions/2/config",
        ),
        ("/moves/0/to_revision", 9, "/moves/0/to_revision"),
        ("/moves/0/kind", "jump", "/moves/0/kind"),
    ],
)
def test_a_hostile_document_is_refused_at_its_field(
    path: str, value: JsonValue, pointer: str
) -> None:
    data = document()
    set_at(path, value)(data)
    with pytest.raises(ContextError) as caught:
        read_export(data, "/document")
    assert [each.pointer for each in caught.value.problems] == [f"/document{pointer}"]


@pytest.mark.parametrize("data", [None, [], "x", 1])
def test_what_is_no_object_is_no_export(data: JsonValue) -> None:
    with pytest.raises(ContextError):
        read_export(data)


def test_two_results_of_one_call_on_one_revision_are_refused() -> None:
    data = document()
    set_at("/messages/4/message", {"role": "tool", "content": "", "tool_call_id": "a"})(data)
    set_at("/messages/4/call_index", 2)(data)
    with pytest.raises(ContextError) as caught:
        read_export(data)
    assert caught.value.problems[0].pointer == "/messages/4/call_index"
