"""Short words for messages, logs and operations in tests."""

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig, read_operation
from conversations.domain.export_reading import read_export
from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft, read_message
from conversations.domain.operations import Outcome, apply
from conversations.domain.revisions import Cause
from conversations.domain.transfer import Transfer, write_export
from conversations.domain.view import View
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from tests.conversation_model import Conversation

SAID: JsonValue = {"role": "user", "content": "new"}
CAUSE = Cause("ada", "a reason", datetime(2026, 1, 31, 9, tzinfo=UTC))


def message(role: str, content: JsonValue = "", **fields: JsonValue) -> MessageDraft:
    return read_message({"role": role, "content": content, **fields})


def system(text: str = "Be kind.", **fields: JsonValue) -> MessageDraft:
    return message("system", text, **fields)


def user(text: str = "Hello?", **fields: JsonValue) -> MessageDraft:
    return message("user", text, **fields)


def assistant(text: str = "Hello.", **fields: JsonValue) -> MessageDraft:
    return message("assistant", text, **fields)


def calls(*call_ids: str) -> MessageDraft:
    """An assistant message that calls tools."""
    return message(
        "assistant",
        None,
        tool_calls=[
            {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}
            for name in call_ids
        ],
    )


def result(call_id: str, text: str = "found") -> MessageDraft:
    return message("tool", text, tool_call_id=call_id)


def tools(text: str = "Tools: look") -> MessageDraft:
    """A tool description."""
    return system(text, tool_description=True)


def ten() -> MemoryLog:
    """A log of ten messages, 0 to 9."""
    return MemoryLog([user(f"number {place}") for place in range(10)])


def whole(log: MemoryLog) -> View:
    """The view that shows a whole log."""
    return View(((0, len(log)),))


def operation(name: str, block: JsonValue = None, **fields: JsonValue) -> OperationConfig:
    return read_operation({"operation": name, name: block, **fields})


def problems(data: JsonValue) -> list[str]:
    """The pointers of what is wrong with a config."""
    with pytest.raises(ValidationFailed) as caught:
        read_operation(data)
    return [problem.pointer for problem in caught.value.problems]


def run(
    log: MemoryLog,
    name: str,
    block: JsonValue = None,
    *,
    view: View | None = None,
    **fields: JsonValue,
) -> Outcome:
    """The outcome of an operation on a view of a log, by default of all of it."""
    return apply(operation(name, block, **fields), whole(log) if view is None else view, log)


def shown(log: MemoryLog, name: str, block: JsonValue = None, **fields: JsonValue) -> list[int]:
    """The log indices that an operation leaves visible."""
    return list(apply(operation(name, block, **fields), whole(log), log).view)


def conversation(*drafts: MessageDraft, text: str | None = None) -> Conversation:
    """A conversation with messages in batch 0, and with a tools text."""
    made = Conversation(CAUSE, tools=text)
    made.append(drafts, CAUSE)
    return made


def exported(made: Conversation) -> bytes:
    """The export document of a conversation."""
    return write_export(
        Transfer(
            conversation_id="c-1",
            title="A title",
            metadata={"kept": [1, None]},
            tools=made.log().tools(),
            created_at=CAUSE.at,
            updated_at=CAUSE.at,
            current_revision=made.current.id,
            messages=made.messages,
            revisions=list(made.revisions.values()),
            moves=made.moves,
            workflow="support",
        )
    )


def imported(document: bytes) -> Conversation:
    """The conversation of an export document."""
    found = read_export(loads_strict(document))
    return Conversation.restored(
        found.messages, found.revisions, found.moves, found.current_revision, tools=found.tools
    )


def visible(made: Conversation) -> list[int]:
    return list(made.current.view)
