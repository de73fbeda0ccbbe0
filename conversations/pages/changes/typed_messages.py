"""A message in the form of an operation, and back: calls by choice, arguments as JSON."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import orjson
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue, field_validator

from conversations.domain.message import Role
from ctxadmin.lib import json_bytes
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.forms import FieldHint, ShownWhen

Fields = dict[str, JsonValue]

# Where the dialects of real data keep the arguments of a call.
_ARGUMENTS: Final = ("arguments", "args", "input")


class TypedCalls(Contract):
    """Whether the message has tool calls, and which; ``as_text``: their arguments are text."""

    choice: Literal["leave", "keep"] = "leave"
    tool_calls: list[JsonValue] | None = None
    as_text: bool = True


class TypedMessage(Contract):
    """The fields of the form; ``further`` are all fields of a message without one."""

    role: Role
    content: str | list[JsonValue] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    calls: TypedCalls | None = None
    metadata: dict[str, JsonValue] | None = None
    tool_description: bool = False
    further: dict[str, JsonValue] | None = None

    @field_validator("further")
    @classmethod
    def _no_second_place(cls, further: Fields | None) -> Fields | None:
        twice = sorted({*TypedMessage.model_fields, "tool_calls"} & set(further or ()))
        if twice:
            text = gettext("Enter these in their own fields: %(names)s.")
            raise ValueError(text % {"names": ", ".join(twice)})
        return further


def hints(path: str, height: int) -> dict[str, FieldHint]:
    """Returns the hints of the message at ``path``, with a text area of so many lines."""
    keeps = ShownWhen.is_("choice", "keep")
    return {
        f"{path}.content": FieldHint(label=_("Content"), as_text=True, height=height, wide=True),
        f"{path}.tool_call_id": FieldHint(
            label=_("Id of the tool call"), shown_when=ShownWhen.is_("role", "tool")
        ),
        f"{path}.name": FieldHint(label=_("Name"), keep_empty=False),
        f"{path}.calls": FieldHint(
            label=_("Tool calls"), shown_when=ShownWhen.is_("role", "assistant")
        ),
        f"{path}.calls.choice": FieldHint(
            label=_("Tool calls of the new message"),
            choices=[("leave", _("No tool calls")), ("keep", _("The calls below"))],
        ),
        f"{path}.calls.tool_calls": FieldHint(
            label=_("Calls with their arguments"),
            help=_(
                "Results belong to the calls that they were logged for. “Keep both” shows them "
                "again behind calls whose ids you do not change."
            ),
            height=10,
            wide=True,
            code=True,
            shown_when=keeps,
        ),
        f"{path}.calls.as_text": FieldHint(
            label=_("Send the arguments as a JSON string, as OpenAI does"), shown_when=keeps
        ),
        f"{path}.metadata": FieldHint(
            label=_("Metadata"), help=_("Enter a JSON object."), height=3, wide=True
        ),
        f"{path}.tool_description": FieldHint(label=_("This message describes the tools")),
        f"{path}.further": FieldHint(
            label=_("Other fields"),
            help=_(
                "Enter other fields of the message as a JSON object. They are kept as they are."
            ),
            height=2,
            wide=True,
        ),
    }


def form_message(message: Mapping[str, JsonValue], *, keeps_calls: bool) -> Fields:
    """Returns a message of the contract for the form; ``keeps_calls`` is its initial value."""
    calls = message.get("tool_calls")
    own = {"role", "tool_call_id", "name", "metadata", "tool_description"}
    typed: Fields = {name: message[name] for name in own if message.get(name) is not None}
    typed["content"] = plain_content(message.get("content"))
    if isinstance(calls, list) and calls:
        as_text = all(isinstance(_arguments(call), str | None) for call in calls)
        typed["calls"] = {
            "choice": "keep" if keeps_calls else "leave",
            "tool_calls": [_with_arguments(call, _editable_arguments) for call in calls]
            if as_text
            else calls,
            "as_text": as_text,
        }
    further = {*message} - own - {"content", "tool_calls"}
    if kept := {name: message[name] for name in sorted(further) if message[name] is not None}:
        typed["further"] = kept
    return typed


def as_message(typed: Mapping[str, JsonValue]) -> Fields:
    """Returns the message in the form, to be parsed by the rules of the contract."""
    message = dict(typed)
    calls, further = message.pop("calls", None), message.pop("further", None)
    if isinstance(calls, dict) and calls.get("choice") == "keep":
        typed_calls = calls.get("tool_calls")
        if calls.get("as_text", True) and isinstance(typed_calls, list):
            typed_calls = [_with_arguments(call, _closed) for call in typed_calls]
        message["tool_calls"] = typed_calls
    return (further if isinstance(further, dict) else {}) | message


def map_messages(fields: JsonValue, change: Callable[[Fields], Fields]) -> JsonValue:
    """Applies ``change`` to each message of an operation; anything else stays."""
    if not isinstance(fields, dict):
        return fields
    result = dict(fields)
    insert = fields.get("insert")
    if isinstance(insert, dict):
        messages = insert.get("messages")
        rows = messages if isinstance(messages, list) else []
        result["insert"] = insert | {"messages": [_changed(each, change) for each in rows]}
    for name in ("replace", "summarize"):
        block = fields.get(name)
        if isinstance(block, dict):
            result[name] = block | {"message": _changed(block.get("message"), change)}
    return result


def _changed(message: JsonValue, change: Callable[[Fields], Fields]) -> JsonValue:
    return change(message) if isinstance(message, dict) else message


def plain_content(content: JsonValue) -> JsonValue:
    """Returns a content for its text area: one plain text part as text, others as parts."""
    if isinstance(content, list) and len(content) == 1:
        part = content[0]
        if isinstance(part, dict) and set(part) == {"type", "text"} and part["type"] == "text":
            return part["text"]
    return "" if content is None else content


def _holder(call: JsonValue) -> tuple[Fields, str]:
    """Returns the object of a call that has the arguments, and their name in it; "" without any."""
    if not isinstance(call, dict):
        return {}, ""
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    return inner, next((name for name in _ARGUMENTS if name in inner), "")


def _arguments(call: JsonValue) -> JsonValue:
    inner, name = _holder(call)
    return inner.get(name)


def _with_arguments(call: JsonValue, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    inner, name = _holder(call)
    if not name or not isinstance(call, dict):
        return call
    changed: Any = inner | {name: change(inner[name])}
    return changed if inner is call else call | {"function": changed}


def _editable_arguments(arguments: JsonValue) -> JsonValue:
    """Returns arguments for editing: JSON text as its object, anything else unchanged."""
    if not isinstance(arguments, str) or arguments.lstrip()[:1] not in ("{", "["):
        return arguments
    try:
        return json_bytes.loads_strict(arguments.encode())
    except ValidationFailed:
        return arguments


def _closed(arguments: JsonValue) -> JsonValue:
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
