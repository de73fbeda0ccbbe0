"""The format of Anthropic's Messages: ``system`` beside ``user`` and ``assistant`` in turns."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.pairs import Pairs
from conversations.domain.formats.source import (
    Image,
    ModelRefusal,
    Other,
    Part,
    SourceCall,
    SourceMessage,
    SourceText,
    arguments_object,
    insert_calls,
    own_part,
    warn_of_fields,
    warn_of_further_fields,
)
from conversations.domain.formats.warnings import (
    A_TEXT_PART,
    AN_IMAGE,
    REFUSAL_AS_TEXT,
    Warnings,
    image_of_role,
    part_of_type,
)
from ctxadmin.lib.sentence import Sentence, say

Block = dict[str, JsonValue]

NAME: Final = "anthropic"
FIRST: Final = "(The conversation continues.)"
"""What stands in front of an assistant message that comes first: the first message is a user's."""

_NOT_IN_IDS: Final = re.compile(r"[^a-zA-Z0-9_-]")
_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_PARTS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "user": frozenset({"document", "search_result"}),
        "tool": frozenset({"document", "search_result"}),
        "assistant": frozenset({"thinking", "redacted_thinking"}),
    }
)
_OF_TEXTS: Final = frozenset({"cache_control", "citations"})
_OF_IMAGES: Final = frozenset({"cache_control"})


def write(messages: Sequence[SourceMessage]) -> FormattedView:
    """Writes user and assistant in turns.

    All results come first in the user message after the calls.

    System texts of all messages are the blocks of ``system``.
    """
    chat = _Chat()
    for message in messages:
        chat.add(message)
    chat.pairs.close()
    return FormattedView(chat.messages(), chat.system, chat.warnings.all())


class _Turn:
    """An unfinished message: results, and its other parts."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.results: list[JsonValue] = []
        self.blocks: list[JsonValue] = []

    def as_json(self) -> Block:
        return {"role": self.role, "content": [*self.results, *self.blocks]}


class _Chat:
    def __init__(self) -> None:
        self.system: list[Block] = []
        self.warnings = Warnings(NAME)
        self.pairs = Pairs(self.warnings, forbidden=_NOT_IN_IDS)
        self._turns: list[_Turn] = []

    def messages(self) -> list[Block]:
        return [turn.as_json() for turn in self._turns]

    def add(self, message: SourceMessage) -> None:
        known = {"refusal", "is_error"} if message.role == "tool" else {"refusal"}
        warn_of_fields(message, self.warnings, known)
        blocks = self._blocks(message)
        if message.role in ("system", "developer"):
            self._add_system(message, blocks)
        elif message.role == "tool":
            self._turn("user", message).results.append(self._result(message, blocks))
        elif message.role == "assistant":
            self._add_assistant(message, blocks)
        elif blocks:
            self._turn("user", message).blocks.extend(blocks)
        else:
            self._warn_of_empty(message)

    def _add_system(self, message: SourceMessage, blocks: list[Block]) -> None:
        self.system += blocks
        if self._turns and blocks:
            warning = say("a system message was moved in front of all others")
            self.warnings.add("system_moved", warning, message.index)

    def _add_assistant(self, message: SourceMessage, blocks: list[Block]) -> None:
        calls = list(message.calls(self.warnings))
        if not blocks and not calls:
            self._warn_of_empty(message)
            return
        turn = self._turn("assistant", message)
        content: list[JsonValue] = [*blocks]
        insert_calls(content, [(call, self._call(call, message)) for call in calls], NAME)
        turn.blocks.extend(content)

    def _call(self, call: SourceCall, message: SourceMessage) -> Block:
        call_id = self.pairs.call(call, message.index).id
        given = arguments_object(call, message.index, self.warnings)
        own = call.own.of(NAME)
        return {**own, "type": "tool_use", "id": call_id, "name": call.name, "input": given}

    def _turn(self, role: str, message: SourceMessage) -> _Turn:
        """Returns the last message if it is of the role, else a new one."""
        if self._turns and self._turns[-1].role == role:
            return self._turns[-1]
        if not self._turns and role == "assistant":
            first = _Turn("user")
            first.blocks.append({"type": "text", "text": FIRST})
            self._turns.append(first)
            warning = say(
                "a user message was added in front, because the first message must be one"
            )
            self.warnings.add("first_message_added", warning, message.index)
        if role == "assistant":
            self.pairs.close()
        self._turns.append(_Turn(role))
        return self._turns[-1]

    def _result(self, message: SourceMessage, blocks: list[Block]) -> Block:
        call = self.pairs.answer(message.answers, message.index)
        call_id = self.pairs.cleaned(message.answers) if call is None else call.id
        kept = message.own_fields(self.warnings)
        result: Block = {**kept, "type": "tool_result", "tool_use_id": call_id}
        if blocks:
            result["content"] = list[JsonValue](blocks)
        if message.body.get("is_error") is True:
            result["is_error"] = True
        return result

    def _blocks(self, message: SourceMessage) -> list[Block]:
        found = (self._block(part, message) for part in message.all_parts(self.warnings))
        return [block for block in found if block is not None]

    def _block(self, part: Part, message: SourceMessage) -> Block | None:
        own = own_part(part, NAME)
        if own is not None and message.role != "system":
            return own
        match part:
            case SourceText(text, more):
                return self._text(text, more, message)
            case ModelRefusal(text):
                self.warnings.add("refusal_as_text", REFUSAL_AS_TEXT, message.index)
                return self._text(text, {}, message)
            case Image() if message.role in ("user", "tool"):
                return self._image(part, message)
            case Image():
                self.warnings.part_left_out(image_of_role(message.role), message.index)
            case Other(kind, fields) if kind in _PARTS.get(message.role, ()):
                return dict(fields)
            case Other(kind):
                self.warnings.part_left_out(part_of_type(kind), message.index)
        return None

    def _text(
        self, text: str, more: Mapping[str, JsonValue], message: SourceMessage
    ) -> Block | None:
        if not text.strip():
            if text:
                warning = say("a text of white space only, which Anthropic rejects, is left out")
                self.warnings.add("empty_text", warning, message.index)
            return None
        return {
            "type": "text",
            "text": text,
            **self._further_fields(more, _OF_TEXTS, A_TEXT_PART, message),
        }

    def _image(self, image: Image, message: SourceMessage) -> Block | None:
        if image.url:
            source: JsonValue = {"type": "url", "url": image.url}
        elif image.media_type in _IMAGES:
            source = {"type": "base64", "media_type": image.media_type, "data": image.data}
        else:
            warning = say("an image of the type {media_type}", media_type=image.media_type)
            self.warnings.part_left_out(warning, message.index)
            return None
        more = self._further_fields(image.more, _OF_IMAGES, AN_IMAGE, message)
        return {"type": "image", "source": source, **more}

    def _further_fields(
        self,
        more: Mapping[str, JsonValue],
        known: frozenset[str],
        of: Sentence,
        message: SourceMessage,
    ) -> Block:
        rest = {name: value for name, value in more.items() if name not in known}
        warn_of_further_fields(rest, of, message.index, self.warnings)
        return {name: value for name, value in more.items() if name in known}

    def _warn_of_empty(self, message: SourceMessage) -> None:
        warning = say("a message without content, which Anthropic rejects, is left out")
        self.warnings.add("empty_message", warning, message.index)
