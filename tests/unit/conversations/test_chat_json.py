"""Reading OpenAI chat JSON and JSONL."""

import json
import re

import pytest
from pydantic import JsonValue

from conversations.domain.imports.files import read_file, read_lines
from conversations.domain.imports.shapes import read_any
from conversations.domain.imports.transcript import ImportedConversation
from conversations.domain.message import MAX_BYTES
from ctxadmin.lib.errors import ContextError, TooLarge, ValidationFailed

HELLO: JsonValue = {"role": "user", "content": "Hello?"}
ANSWER: JsonValue = {"role": "assistant", "content": "你好"}
CHAT: JsonValue = {"id": "one", "messages": [HELLO, ANSWER]}


def lines(*values: JsonValue) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


def read_conversation(value: JsonValue) -> ImportedConversation:
    (found,) = read_any(value)
    return found


def refused(data: bytes) -> ContextError:
    with pytest.raises(ContextError) as caught:
        read_file(data)
    return caught.value


def test_an_object_with_messages_is_a_conversation() -> None:
    (found,) = read_file(lines(CHAT))
    assert [draft.text for draft in found.drafts] == ["Hello?", "你好"]
    assert (found.conversation_id, found.line) == ("one", None)


def test_a_list_of_messages_is_a_conversation() -> None:
    (found,) = read_file(json.dumps([HELLO, ANSWER], indent=2).encode())
    assert len(found.drafts) == 2
    assert found.conversation_id is None


def test_a_list_of_conversations_is_all_of_them() -> None:
    found = read_file(json.dumps([CHAT, [HELLO]], indent=2).encode())
    assert [len(each.drafts) for each in found] == [2, 1]


def test_a_line_of_jsonl_is_a_conversation() -> None:
    data = lines(CHAT, [HELLO]) + b"\n\n" + lines({"messages": [HELLO]}) + b"\n"
    found = read_file(data)
    assert [(each.line, len(each.drafts)) for each in found] == [(1, 2), (2, 1), (4, 1)]


def test_jsonl_of_messages_is_one_conversation() -> None:
    (found,) = read_file(lines(HELLO, ANSWER))
    assert [draft.role for draft in found.drafts] == ["user", "assistant"]
    assert found.line == 1


def test_one_line_that_is_a_message_is_no_conversation() -> None:
    assert "object with messages" in str(refused(lines(HELLO)))


def test_a_byte_order_mark_is_skipped() -> None:
    assert len(read_file(b"\xef\xbb\xbf" + lines(CHAT, CHAT))) == 2
    assert len(read_file(b"\xef\xbb\xbf" + lines(CHAT))) == 1
    assert len(list(read_lines([b"\xef\xbb\xbf" + lines(CHAT)]))) == 1


def test_the_other_fields_of_a_conversation_are_kept_as_metadata() -> None:
    data: dict[str, JsonValue] = {
        "id": 7,
        "model": "m",
        "title": "T",
        "tools": [{"type": "function"}],
        "metadata": {"task": 1},
        "messages": [HELLO],
        "empty": None,
    }
    found = read_conversation(data)
    assert found.conversation_id is None
    assert found.metadata == {"id": 7, "model": "m", "task": 1}
    assert (found.title, found.tools) == ("T", '[{"type":"function"}]')


@pytest.mark.parametrize("name", ["a/b", "import", "x" * 65, ""])
def test_an_id_that_cannot_be_ours_stays_in_the_metadata(name: str) -> None:
    found = read_conversation({"id": name, "messages": [HELLO]})
    assert (found.conversation_id, found.metadata) == (None, {"id": name})


def test_tools_may_be_a_text() -> None:
    assert read_conversation({"messages": [HELLO], "tools": "Tools: f"}).tools == "Tools: f"
    assert read_conversation({"messages": [HELLO], "tools": []}).tools is None
    with pytest.raises(ValidationFailed) as caught:
        read_conversation({"messages": [HELLO], "tools": 1})
    assert caught.value.problems[0].pointer == "/tools"


def test_an_error_names_line_and_field() -> None:
    wrong: JsonValue = {"messages": [HELLO, {"role": "user", "content": 5}]}
    error = refused(lines(CHAT, wrong))
    assert str(error).startswith("Line 2, /messages/1/content: ")
    assert error.problems[0].pointer == "/messages/1/content"
    assert dict(error.problems[0].extra) == {"line": 2}


def test_a_wrong_message_in_a_line_of_messages_is_named_by_its_line() -> None:
    error = refused(lines(HELLO, {"role": "user"}, ANSWER))
    assert str(error).startswith("Line 2, /content: ")


def test_broken_json_names_its_line() -> None:
    error = refused(lines(CHAT) + b"\n{")
    assert re.match(r"Line 2, column \d+: This is not JSON: [^:]+\.$", str(error)), error
    assert isinstance(error, ValidationFailed)
    assert error.malformed
    assert "line 3" in str(refused(b'{\n"messages":\n[}'))


def test_a_message_that_is_too_large_stays_so_in_its_line() -> None:
    huge: JsonValue = {"messages": [{"role": "user", "content": "x" * MAX_BYTES}]}
    error = refused(lines(CHAT, huge))
    assert isinstance(error, TooLarge)
    assert error.limit == MAX_BYTES


def test_messages_and_conversations_do_not_mix() -> None:
    assert str(refused(lines(HELLO, CHAT))).startswith("Line 2, ")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n\n",
        b"[]",
        b"{}",
        b"null",
        b"7",
        b'"text"',
        b'{"messages": []}',
        b'{"messages": {}}',
        b"[[]]",
        b"\xff\xfe",
        b'{"messages": [{"role": "user", "content": "\\ud800"}]}',
        b'{"messages": [], "messages": []}',
        b'{"metadata": [], "messages": [{"role": "user", "content": "x"}]}',
        b"[" * 2000,
    ],
)
def test_what_is_no_conversation_is_refused(data: bytes) -> None:
    assert isinstance(refused(data), ValidationFailed)


def test_large_files_are_read_line_by_line() -> None:
    found = read_lines([lines(CHAT), b"broken"])
    assert next(found).conversation_id == "one"
    with pytest.raises(ValidationFailed, match="Line 2"):
        next(found)
