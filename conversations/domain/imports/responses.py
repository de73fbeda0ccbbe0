"""Items of the OpenAI Responses API: requests, responses, lists of items."""

from typing import Final

from pydantic import JsonValue

from conversations.domain.formats.own_fields import with_own_part
from conversations.domain.formats.source import provider_part
from conversations.domain.imports.calls import has_chat_calls, tool_call
from conversations.domain.imports.contents import content_of, result_content
from conversations.domain.imports.reasons import OF_THE_SESSION, UNKNOWN_ITEM
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Fields, Transcript

NAME: Final = "responses"
_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
# Tools that the provider runs: call and result in one item, or in two with one call_id.
_OWN_TOOLS: Final = frozenset(
    {
        *("web_search_call", "file_search_call", "code_interpreter_call", "mcp_call"),
        *("image_generation_call", "computer_call", "local_shell_call", "shell_call"),
        *("apply_patch_call", "tool_search_call", "program"),
    }
)
_OWN_RESULTS: Final = frozenset(
    {
        *("computer_call_output", "local_shell_call_output", "shell_call_output"),
        *("apply_patch_call_output", "tool_search_output", "program_output"),
    }
)
_OF_SESSION: Final = frozenset(
    {
        *("item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"),
        *("compaction", "compaction_trigger", "additional_tools", "configuration_update"),
    }
)

_ITEMS: Final = _CALLS | _RESULTS | _OWN_TOOLS | _OWN_RESULTS | _OF_SESSION | {"reasoning"}
_TEXTS: Final = frozenset({"input_text", "output_text", "text", "summary_text"})
_AS_THEY_ARE: Final = frozenset({"refusal", "input_audio"})
# What an item has of its own in a result that the provider made.
_OUTPUTS: Final = ("output", "outputs", "results", "result", "error")


def recognise(value: JsonValue) -> bool:
    """Recognizes a request, a response, or a list of items with one that is not a plain message."""
    if isinstance(value, list):
        return _are_items(value)
    if not isinstance(value, dict) or "messages" in value:
        return False
    if value.get("object") == "response":
        return True
    if value.get("object") == "list" and isinstance(value.get("data"), list):
        return _are_items(value["data"])
    given = value.get("input")
    if isinstance(given, str):
        return any(name in value for name in ("model", "instructions", "output"))
    return _are_items(given, plain=True) or (given is None and _are_items(value.get("output")))


def _are_items(value: JsonValue, *, plain: bool = False) -> bool:
    """Returns whether all are items.

    ``plain``: also if all of them are messages with only a role.
    """
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(each, dict) and _is_item(each) for each in value):
        return False
    return plain or any(isinstance(each, dict) and _is_marked(each) for each in value)


def _is_item(item: dict[str, JsonValue]) -> bool:
    if (item.get("type") or "message") == "message":
        is_other = "stop_reason" in item or has_chat_calls(item)
        return "role" in item and "content" in item and not is_other
    return isinstance(item["type"], str) and "data" not in item


def _is_marked(item: dict[str, JsonValue]) -> bool:
    """Returns whether an item cannot be a message of another shape."""
    if text_or_empty(item.get("type")) in _ITEMS:
        return True
    content = item.get("content")
    return (
        item.get("type") == "message"
        and isinstance(content, list)
        and any(
            isinstance(part, dict)
            and text_or_empty(part.get("type")) in ("input_text", "output_text")
            for part in content
        )
    )


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds instructions, input and output."""
    if isinstance(place.value, list):
        append_messages(place, transcript)
        return Fields()
    if place.fields().get("object") == "list":
        append_messages(place.get("data"), transcript)
        return Fields()
    instructions, given = place.get("instructions"), place.get("input")
    if isinstance(instructions.value, str):
        transcript.append(instructions, {"role": "system", "content": instructions.value})
        transcript.report_conversion("instructions", "role: system")
    elif instructions.value is not None:
        append_messages(instructions, transcript)
    if isinstance(given.value, str):
        transcript.append(given, {"role": "user", "content": given.value})
        transcript.report_conversion("input", "role: user")
    elif given.value is not None:
        append_messages(given, transcript)
    if place.get("output").value is not None:
        append_messages(place.get("output"), transcript)
    known = ("instructions", "input", "output", "tools", "object")
    return Fields(place.unknown_fields(*known), place.get("tools"))


def append_messages(items: SourceValue, transcript: Transcript) -> None:
    """Adds a list of items; calls in a row, and a text before them, become one message."""
    turns = _Turns(transcript)
    for item in items.items():
        turns.add(item)
    turns.flush()


class _Turns:
    """The assistant message that is being collected, until something else follows."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._start: SourceValue | None = None
        self._parts: list[JsonValue] = []
        self._calls: list[JsonValue] = []
        self._has_message = False
        self._id: JsonValue = None
        self._metadata: dict[str, JsonValue] = {}
        self._own: dict[str, JsonValue] = {}
        self._is_list = False

    def add(self, item: SourceValue) -> None:
        kind = text_or_empty(item.fields().get("type") or "message")
        if kind == "message":
            self._add_message(item)
        elif kind == "reasoning":
            self._begin(item, is_new=self._has_message or bool(self._calls))
            keeps = self._transcript.keeps_own
            self._parts.append(provider_part(NAME, item.value) if keeps else item.value)
        elif kind in _OWN_TOOLS | _OWN_RESULTS and self._transcript.keeps_own:
            self._begin(item, is_new=bool(self._calls))
            self._parts.append(provider_part(NAME, item.value))
        elif kind in _CALLS or kind in _OWN_TOOLS:
            self._begin(item)
            self._add_call(item, kind)
        elif kind in _RESULTS or kind in _OWN_RESULTS:
            self.flush()
            self._add_result(item, kind)
        elif kind in _OF_SESSION:
            self._transcript.report_omission(item, kind, OF_THE_SESSION)
        else:
            self._transcript.report_omission(item, kind, UNKNOWN_ITEM)

    def flush(self) -> None:
        """Adds what was collected as one message."""
        if self._start is not None:
            self._transcript.add(
                self._start,
                "assistant",
                self._content(),
                calls=self._calls,
                message_id=self._id,
                metadata=self._metadata,
                own=self._own,
            )
        self._start, self._parts, self._calls = None, [], []
        self._has_message, self._id, self._metadata = False, None, {}
        self._own, self._is_list = {}, False

    def _content(self) -> JsonValue:
        is_list = self._is_list and bool(self._parts or not self._calls)
        return list(self._parts) if is_list else content_of(self._parts)

    def _begin(self, item: SourceValue, *, is_new: bool = False) -> None:
        if is_new:
            self.flush()
        if self._start is None:
            self._start = item

    def _add_message(self, item: SourceValue) -> None:
        role = item.get("role").text()
        metadata, own = self._sort(item, "role", "content")
        parts = _parts(item.get("content"), self._transcript, role)
        if role != "assistant":
            self.flush()
            identity = item.get("id").value
            content = self._transcript.content_of(parts, item.get("content").value)
            self._transcript.add(
                item, role, content, message_id=identity, metadata=metadata, own=own
            )
            return
        self._begin(item, is_new=self._has_message or bool(self._calls))
        self._has_message = True
        self._parts += parts
        self._id = item.get("id").value
        self._metadata |= metadata
        self._own |= own
        is_list = isinstance(item.get("content").value, list)
        self._is_list = self._transcript.keeps_own and is_list

    def _sort(
        self, item: SourceValue, *known: str
    ) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
        """Metadata and own fields of an item; its id and status are no metadata."""
        of_item = () if self._transcript.keeps_own else ("id", "status")
        return self._transcript.sort_fields(item.unknown_fields("type", *known, *of_item))

    def _add_call(self, item: SourceValue, kind: str) -> None:
        wanted = item.get("call_id", "id").text_or_none()
        if kind in _CALLS:
            name = item.get("name").text()
            call_id = self._transcript.calls.open_call(wanted, name)
            known: tuple[str, ...] = ("type", "call_id", "name", "arguments", "input")
            of_item = () if self._transcript.keeps_own else ("id", "status")
            rest = self._transcript.of_call(item.unknown_fields(*known, *of_item))
            given = item.get("arguments", "input").value
            if kind == "custom_tool_call" and isinstance(given, str):
                custom: JsonValue = {"name": name, "input": given}
                self._calls.append({"id": call_id, "type": "custom", "custom": custom, **rest})
                self._transcript.report_conversion(kind, "tool_calls")
                return
        else:
            name = item.get("name").text_or_none() or kind.removesuffix("_call")
            call_id = self._transcript.calls.open_call(wanted, name)
            rest = {"kind": kind}
            known = ("type", "id", "call_id", "name", "arguments", "status", *_OUTPUTS)
            given = item.get("arguments").value or item.unknown_fields(*known)
        self._calls.append(tool_call(call_id, name, given, rest))
        self._transcript.report_conversion(kind, "tool_calls")
        if kind in _OWN_TOOLS:
            self._add_own_result(item, call_id, kind)

    def _add_own_result(self, item: SourceValue, call_id: str, kind: str) -> None:
        """Adds the result in the item of its call, if there is one."""
        made: dict[str, JsonValue] = {
            name: value for name in _OUTPUTS if (value := item.get(name).value) is not None
        }
        if not made and item.get("call_id").value is not None:
            return
        content, _ = result_content(_single(made) if made else item.get("status").value)
        self.flush()
        answered = self._transcript.calls.answer(call_id, None)
        self._transcript.add(item, "tool", content, answers=answered, metadata={"kind": kind})
        self._transcript.report_conversion(kind, "role: tool")

    def _add_result(self, item: SourceValue, kind: str) -> None:
        answered = self._transcript.calls.answer(item.get("call_id").text_or_none(), None)
        output = item.get("output")
        if isinstance(output.value, list):
            parts = _parts(output, self._transcript, "tool")
            content = self._transcript.content_of(parts, output.value)
        else:
            content, _ = result_content(output.value)
        metadata, own = self._sort(item, "call_id", "output")
        if kind != "function_call_output" and not self._transcript.keeps_own:
            metadata["kind"] = kind
        self._transcript.add(
            item,
            "tool",
            content,
            answers=answered,
            message_id=item.get("id").value,
            metadata=metadata,
            own=own,
        )
        self._transcript.report_conversion(kind, "role: tool")


def _single(made: dict[str, JsonValue]) -> JsonValue:
    """Returns the value of an only field, else the fields."""
    return next(iter(made.values())) if len(made) == 1 else made


def _parts(content: SourceValue, transcript: Transcript, role: str) -> list[JsonValue]:
    if isinstance(content.value, str):
        return [{"type": "text", "text": content.value}] if content.value else []
    return [_part(part, transcript, role) for part in content.items()]


def _part(part: SourceValue, transcript: Transcript, role: str) -> JsonValue:
    """Returns a part of a message in the chat form."""
    kind = text_or_empty(part.fields().get("type"))
    if kind in _TEXTS:
        rest = part.unknown_fields("type", "text")
        if not transcript.keeps_own:
            rest = {key: value for key, value in rest.items() if value != []}
        transcript.report_conversion(kind, "text")
        return {"type": "text", "text": part.get("text").text(), **rest}
    if kind == "input_image" and isinstance(url := part.get("image_url").value, str):
        transcript.report_conversion("input_image", "image_url")
        image: dict[str, JsonValue] = {"url": url, **part.unknown_fields("type", "image_url")}
        made: dict[str, JsonValue] = {"type": "image_url", "image_url": image}
        if transcript.keeps_own and set(image) != {"url", "detail"}:
            return with_own_part(NAME, made, part.fields(), "image_url")
        return made
    if kind == "input_file":
        transcript.report_conversion("input_file", "file")
        return {"type": "file", "file": part.unknown_fields("type")}
    if transcript.keeps_own and role != "assistant" and kind not in _AS_THEY_ARE:
        return provider_part(NAME, part.value)
    return part.value
