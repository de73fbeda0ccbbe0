"""The conversation that an import makes: messages in the chat form, and the report."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from pydantic import JsonValue

from conversations.domain.beginnings import first_words
from conversations.domain.bodies import text_of_content
from conversations.domain.formats.own_fields import own_fields_of, with_own_fields
from conversations.domain.imports.calls import CallIds, Places
from conversations.domain.imports.contents import content_of
from conversations.domain.imports.reasons import ORPHAN, UNANSWERED
from conversations.domain.imports.report import ImportNote, ImportReport, NoteTally, TakenTally
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.message import MOST_MESSAGES, MessageDraft, read_message
from ctxadmin.lib import json_bytes
from ctxadmin.lib.errors import ContextError, FieldProblem, TooLarge, ValidationFailed
from ctxadmin.lib.ids import is_public_id, is_reserved
from ctxadmin.lib.sentence import Sentence, say

MOST_TITLE: Final = 300
_DEFAULT_ID: Final = re.compile(r"log-[0-9]+")
_MOST_UNREAD: Final = 500  # messages: what tells the place of a short one takes more than it does


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One conversation of a file; ``line`` (from 1) is where it starts, None for plain JSON.

    ``conversation_id`` is None if the file has none that is valid here; an invalid one is in the
    metadata. ``title`` is the file's, ``suggested_title`` the beginning of the first user message.
    ``tools`` is the text of the tools.
    """

    drafts: tuple[MessageDraft, ...]
    conversation_id: str | None
    title: str | None
    suggested_title: str
    metadata: dict[str, JsonValue]
    tools: str | None
    report: ImportReport
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a conversation besides its messages.

    Of ``values`` id, title and metadata are used, the others become metadata. ``tools`` is the
    place of a text or a list.
    """

    values: dict[str, JsonValue] = field(default_factory=dict)
    tools: SourceValue | None = None

    def merge(self, others: "Fields") -> "Fields":
        """Returns both; of two values with one name that of self."""
        return Fields({**others.values, **self.values}, self.tools or others.tools)


@dataclass(frozen=True, slots=True)
class _Source:
    """A message in the chat form; ``is_verbatim``: its fields are exactly those at its place."""

    message: JsonValue
    place: SourceValue
    is_verbatim: bool


class Transcript:
    """Collects the messages of one conversation, and what was taken and left out.

    ``keeps_own``: what only the provider has is preserved for it.
    """

    keeps_own: ClassVar[bool] = False

    def __init__(self, shape: str, root: SourceValue) -> None:
        self.shape = shape
        self.calls = CallIds()
        self._root = root
        self._messages: list[JsonValue] = []
        self._drafts: list[MessageDraft] = []  # of the first messages, those that were read
        self._unread: list[_Source] = []  # the others
        self._places: dict[int, SourceValue] = {}  # of calls and results that were read
        self._ids: set[str] = set()
        self._taken = TakenTally()
        self._left_out = NoteTally()
        self._warnings = NoteTally()

    def __len__(self) -> int:
        return len(self._messages)

    def report_conversion(self, source: str, target: str, count: int = 1) -> None:
        """Reports that a field or part was stored as something else."""
        self._taken.add(source, target, count)

    def report_omission(self, place: SourceValue, what: str, why: str) -> None:
        """Reports that something of the file is not stored."""
        self._left_out.add(ImportNote(what, why, 1, place.pointer, place.line))

    def append(self, place: SourceValue, message: JsonValue, *, is_verbatim: bool = False) -> None:
        """Adds a message in the chat form; errors of a verbatim one point at its fields."""
        self._messages.append(message)
        self._unread.append(_Source(message, place, is_verbatim))
        if len(self._messages) > MOST_MESSAGES:
            text = say(
                "a conversation has at most {most_messages} messages", most_messages=MOST_MESSAGES
            )
            raise place.too_large(text, MOST_MESSAGES)
        if len(self._unread) == _MOST_UNREAD:
            self.read()

    def add_system_text(self, place: SourceValue) -> None:
        """Adds the system text beside the messages, if there is one."""
        if place.value:
            self.append(place, {"role": "system", "content": place.text()})
            self.report_conversion("system", "role: system")

    def add_verbatim(self, place: SourceValue) -> None:
        """Adds a message that is in the chat form already."""
        self.append(place, place.value, is_verbatim=True)

    def add(
        self,
        place: SourceValue,
        role: str,
        content: JsonValue,
        *,
        calls: Sequence[JsonValue] = (),
        answers: str | None = None,
        name: JsonValue = None,
        message_id: JsonValue = None,
        metadata: dict[str, JsonValue] | None = None,
        own: dict[str, JsonValue] | None = None,
        is_error: bool = False,
    ) -> None:
        """Adds a message; no content is an empty text where the chat form needs one.

        ``message_id`` becomes the id if it may be one and is not used yet, else metadata.
        ``is_error`` marks the result of a call that failed. ``own``: what only the provider knows.
        """
        if content is None and not calls:
            content = ""
        message: dict[str, JsonValue] = {"role": role, "content": content}
        if calls:
            message["tool_calls"] = list(calls)
        if answers is not None:
            message["tool_call_id"] = answers
        kept = dict(metadata or {})
        self._name(message, name, kept)
        self._identify(message, message_id, kept)
        if kept:
            message["metadata"] = kept
        if is_error:
            message["is_error"] = True
        self.append(place, {**message, **with_own_fields(self.shape, own or {})})

    def fields_as_metadata(self, fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Returns further fields of a message as metadata.

        Merges an object ``metadata`` into them.
        """
        own = fields.get("metadata")
        if isinstance(own, dict):
            fields = {**{key: fields[key] for key in fields if key != "metadata"}, **own}
        for name in fields:
            self.report_conversion(name, "metadata")
        return fields

    def sort_fields(
        self, fields: dict[str, JsonValue]
    ) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
        """Further fields of a message: what becomes metadata, and what only the provider knows."""
        if not self.keeps_own:
            return self.fields_as_metadata(fields), {}
        metadata = fields.get("metadata")
        if not isinstance(metadata, dict):
            return {}, fields
        return metadata, {name: fields[name] for name in fields if name != "metadata"}

    def of_call(self, fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Further fields of a call."""
        return with_own_fields(self.shape, fields) if self.keeps_own else fields

    def place_calls(self, calls: Sequence[JsonValue], places: Places) -> list[JsonValue]:
        """The calls of a content with the places of those that parts stand behind."""
        if not self.keeps_own:
            return list(calls)
        found: list[JsonValue] = []
        for number, call in enumerate(calls):
            place = places.of(number)
            if isinstance(call, dict) and place is not None:
                fields = own_fields_of(call).fields
                call = {**call, **with_own_fields(self.shape, fields, place=place)}
            found.append(call)
        return found

    def content_of(self, parts: Sequence[JsonValue], source: JsonValue) -> JsonValue:
        """The parts as a content; a list stays one where what was sent is given back."""
        return list(parts) if self.keeps_own and isinstance(source, list) else content_of(parts)

    def _name(
        self, message: dict[str, JsonValue], name: JsonValue, kept: dict[str, JsonValue]
    ) -> None:
        if isinstance(name, str) and name:
            message["name"] = name
        elif name is not None and name != "":
            kept["name"] = name

    def _identify(
        self, message: dict[str, JsonValue], wanted: JsonValue, kept: dict[str, JsonValue]
    ) -> None:
        if wanted is None:
            return
        usable = isinstance(wanted, str) and is_public_id(wanted) and wanted not in self._ids
        if usable and not _DEFAULT_ID.fullmatch(str(wanted)):
            message["id"] = wanted
            self._ids.add(str(wanted))
        else:
            kept["id"] = wanted
            self.report_conversion("id", "metadata")

    def message_keys(self) -> list[bytes]:
        """Returns a digest of each message: equal ones have the same content, calls and results."""
        self.read()
        return [json_bytes.digest(json_bytes.dumps(_identity_of(each))) for each in self._messages]

    def chat(self) -> list[JsonValue]:
        """Returns the messages in the chat form."""
        return self._messages

    def read(self) -> Sequence[MessageDraft]:
        """Parses the messages added since the last call.

        The first invalid one is a ContextError.
        """
        for source in self._unread:
            draft = _draft(source)
            if draft.call_ids or draft.answers is not None:
                self._places[len(self._drafts)] = source.place
            self._drafts.append(draft)
        self._unread.clear()
        return self._drafts

    def finish(self, fields: Fields) -> ImportedConversation:
        """Parses all messages; the first invalid one is a ContextError that names its place."""
        drafts = tuple(self.read())
        if not drafts:
            raise self._root.refusal(say("there is no message in this conversation"))
        rest = {name: value for name, value in fields.values.items() if value is not None}
        own = rest.pop("metadata", {})
        if not isinstance(own, dict):
            raise self._root.get("metadata").refusal(say("the metadata is an object"))
        name = rest.get("id")
        known = isinstance(name, str) and is_public_id(name) and not is_reserved(name)
        if known:
            del rest["id"]
        title = rest.get("title")
        titled = isinstance(title, str) and len(title) <= MOST_TITLE
        if titled:
            del rest["title"]
        for other in rest:
            self.report_conversion(other, "metadata")
        self._warn_of_pairs(drafts)
        return ImportedConversation(
            drafts=drafts,
            conversation_id=str(name) if known else None,
            title=str(title) if titled else None,
            suggested_title=_first_words(drafts),
            metadata={**rest, **own},
            tools=None if fields.tools is None else _tools_text(fields.tools),
            report=self._report(drafts),
            line=self._root.line,
        )

    def _report(self, drafts: Sequence[MessageDraft]) -> ImportReport:
        return ImportReport(
            shape=self.shape,
            conversations=1,
            messages=len(drafts),
            calls=sum(len(draft.call_ids) for draft in drafts),
            results=sum(draft.answers is not None for draft in drafts),
            taken=self._taken.taken(),
            left_out=self._left_out.notes(),
            left_out_count=self._left_out.total,
            warnings=self._warnings.notes(),
            warning_count=self._warnings.total,
        )

    def _warn_of_pairs(self, drafts: Sequence[MessageDraft]) -> None:
        """Warns of orphans, and calls without a result.

        Those of the last turn can still get theirs.
        """
        waiting: dict[str, list[int]] = {}
        last_talk = 0
        for index, draft in enumerate(drafts):
            for call in draft.call_ids:
                waiting.setdefault(call, []).append(index)
            if draft.answers is None:
                last_talk = index
            elif waiting.get(draft.answers):
                waiting[draft.answers].pop()
            else:
                self._warn(index, ORPHAN)
        for index in sorted(index for indices in waiting.values() for index in indices):
            if index < last_talk:
                self._warn(index, UNANSWERED)

    def _warn(self, index: int, why: str) -> None:
        place = self._places[index]
        what = "tool_call_id" if why == ORPHAN else "tool_calls"
        self._warnings.add(ImportNote(what, why, 1, place.pointer, place.line))


def _tools_text(place: SourceValue) -> str | None:
    """Returns the text of tools: a text, or a list of tools as JSON."""
    tools = place.value
    if tools is None or isinstance(tools, str):
        return tools or None
    if not isinstance(tools, list):
        raise place.refusal(say("tools is a text or a list of tools"))
    return json_bytes.dumps(tools).decode() if tools else None


def _draft(source: _Source) -> MessageDraft:
    try:
        return read_message(source.message, source.place.pointer)
    except ContextError as error:
        if source.is_verbatim and not source.place.is_embedded:
            raise source.place.locate(error) from None
        raise source.place.locate(_at_source(error, source.place.pointer)) from None


def _at_source(error: ContextError, pointer: str) -> ContextError:
    """Returns the error of a converted message, at the place it was converted from."""
    problems = []
    for each in error.problems:
        inner = each.pointer.removeprefix(pointer).removeprefix("/")
        message = _in_field(inner, each.message) if inner else each.message
        problems.append(FieldProblem(pointer, message, each.code, each.extra))
    first = problems[0] if problems else FieldProblem(pointer, error.detail)
    if isinstance(error, TooLarge):
        return TooLarge(first.message, limit=error.limit, problems=problems or [first])
    return ValidationFailed(first.message, problems=problems or [first])


def _in_field(name: str, message: str) -> Sentence:
    return say("{field}: {message}", field=name, message=message)


def _identity_of(message: JsonValue) -> JsonValue:
    if not isinstance(message, dict):
        return message
    calls, content = message.get("tool_calls"), message.get("content")
    asked: list[JsonValue] = [
        call.get("function") if isinstance(call, dict) else call
        for call in (calls if isinstance(calls, list) else [])
    ]
    media: list[JsonValue] = [
        part
        for part in (content if isinstance(content, list) else [])
        if not isinstance(part, dict) or part.get("type") in ("image_url", "input_audio", "file")
    ]
    text = text_of_content(content)
    return [message.get("role"), text, media, asked, message.get("tool_call_id")]


def _first_words(drafts: Sequence[MessageDraft]) -> str:
    """Returns the beginning of the first user message with text."""
    names = (first_words(draft.text) for draft in drafts if draft.role == "user")
    return next(filter(None, names), "")
