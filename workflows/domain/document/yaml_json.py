"""Reads YAML 1.2 strictly as JSON, bounded in size and with places for its errors."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import yaml
from pydantic import JsonValue

from ctxadmin.lib.errors import TooLarge, ValidationFailed
from ctxadmin.lib.json_bytes import MAX_DEPTH, dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.lib.work_budget import spend
from workflows.domain.document.yaml_faults import fault

MAX_TEXT: Final = 32 * 1024 * 1024
# 10,000 nodes with 50,000 edges have about a million values; read in 2 to 3 s of processor time.
MAX_VALUES: Final = 1_200_000
# What aliases stand for, together: values, and every eight characters of a text as one more.
MAX_EXPANDED: Final = 1_000_000

_PREFIX: Final = "tag:yaml.org,2002:"
_NULL: Final = re.compile(r"~|null|Null|NULL|")
_BOOL: Final = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_A_NUMBER: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# JSON is YAML but for this: it writes characters beyond 16 bit as two escapes.
_PAIR: Final = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)

# The core schema of YAML 1.2: what an unquoted text is, the first form that fits.
IMPLICIT_TAGS: Final = (
    (_PREFIX + "null", re.compile(rf"(?:{_NULL.pattern})\Z")),
    (_PREFIX + "bool", re.compile(rf"(?:{_BOOL.pattern})\Z")),
    (_PREFIX + "int", re.compile(rf"(?:{_INT.pattern})\Z")),
    (_PREFIX + "float", re.compile(rf"(?:{_FLOAT.pattern}|{_NOT_A_NUMBER.pattern})\Z")),
)
_CONSTANTS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_OF_NUMBERS: Final = frozenset("+-.0123456789")  # what a number begins with
_FORMS: Final = {_PREFIX + "str": re.compile(""), **dict(IMPLICIT_TAGS)}
_BASES: Final = {"0o": 8, "0x": 16}
_LONGEST_INT: Final = 70
_DIGITS: Final = 18  # as many always fit
_MIN_INT: Final = -(2**63)
_MAX_INT: Final = 2**64 - 1
_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


# Where values stand, as keys and (as None) lists, and the last of them: a refusal, or None.
Refuse = Callable[[Sequence[str | None], JsonValue], str | None]
_ASKED_EVERY: Final = 1024
_WORK: Final = 30  # units for each value: 2.2 to 3 us


@dataclass(frozen=True, slots=True)
class YamlPlace:
    """A line and a column of a text, both from 1."""

    line: int
    column: int


def load_json(text: str | bytes, refuse: Refuse | None = None) -> JsonValue:
    """Returns the one document of a YAML text as JSON.

    ``refuse`` is called for every so many values at their places: its result is the refusal, so
    that a long text of something else is not read to its end.

    Refuses, as ValidationFailed with line and column: duplicate keys, keys that are not text, merge
    keys, tags beyond the core schema's, several documents, numbers that JSON or 64 bits cannot
    hold, nesting over MAX_DEPTH, more than MAX_VALUES, and aliases that stand for more than
    MAX_EXPANDED or for themselves. Raises TooLarge over MAX_TEXT bytes, and over the work that its
    caller can request.
    """
    return _Reader(_events(text), refuse=refuse).read()


def find_places(text: str | bytes, pointers: Sequence[str]) -> list[YamlPlace]:
    """Returns the places of JSON pointers in a text that ``load_json`` could read.

    An entry of a mapping is at its key; a missing place is at what surrounds it.
    """
    wanted = {_cut(pointer, steps) for pointer in pointers for steps in range(_steps(pointer) + 1)}
    reader = _Reader(_events(text), wanted)
    reader.read()
    found = []
    for pointer in pointers:
        known = pointer
        while known and known not in reader.places:
            known = known.rpartition("/")[0]
        found.append(reader.places.get(known, YamlPlace(1, 1)))
    return found


def _steps(pointer: str) -> int:
    return pointer.count("/")


def _cut(pointer: str, steps: int) -> str:
    return "/".join(pointer.split("/")[: steps + 1])


def _events(text: str | bytes) -> Iterator[yaml.Event]:
    decoded = _decoded(text)
    try:
        yield from yaml.parse(decoded, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = YamlPlace(mark.line + 1, mark.column + 1) if mark else YamlPlace(1, 1)
        why = fault(error.context, error.problem)
        raise _malformed(say("This is not YAML: {why}.", why=why), place) from None
    except yaml.reader.ReaderError as error:
        before = decoded[: error.position]
        place = YamlPlace(before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise _malformed(
            say("This is not YAML: {why}.", why=fault(None, error.reason)), place
        ) from None


def _decoded(text: str | bytes) -> str:
    if len(text) > MAX_TEXT:
        raise TooLarge(say("A YAML text has at most {n} bytes.", n=MAX_TEXT), limit=MAX_TEXT)
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        text.encode()
    except UnicodeError:
        raise _malformed(say("This text is not UTF-8."), YamlPlace(1, 1)) from None
    if text.lstrip()[:1] == "{":
        text = _PAIR.sub(_join_escapes, text)
    return text


def _join_escapes(found: re.Match[str]) -> str:
    """Joins two JSON escapes that are one character together into the one escape of YAML."""
    high, low = int(found[2], 16) - 0xD800, int(found[3], 16) - 0xDC00
    return f"{found[1]}\\U{0x10000 + (high << 10) + low:08x}"


def _malformed(message: str, place: YamlPlace) -> ValidationFailed:
    refused = ValidationFailed.at("", message, line=place.line, column=place.column)
    return ValidationFailed(
        say(
            "line {line}, column {column}: {message}",
            line=place.line,
            column=place.column,
            message=message,
        ),
        problems=refused.problems,
        malformed=True,
    )


@dataclass(slots=True)
class _Open:
    """An open mapping or sequence, and the key that waits for its value."""

    value: dict[str, JsonValue] | list[JsonValue]
    anchor: str | None
    pointer: str
    key: str | None = None
    key_place: YamlPlace | None = None
    size: int = 1


@dataclass(slots=True)
class _Anchored:
    value: JsonValue
    size: int


@dataclass(slots=True)
class _Reader:
    """Builds the JSON of one document from the parser's events, on a stack of its own."""

    events: Iterator[yaml.Event]
    wanted: Collection[str] = ()
    refuse: Refuse | None = None
    places: dict[str, YamlPlace] = field(default_factory=dict)
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Anchored] = field(default_factory=dict)
    result: JsonValue = None
    documents: int = 0
    values: int = 0
    expanded: int = 0

    def read(self) -> JsonValue:
        for event in self.events:
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._open(event)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                self._close(event)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    raise self._refused(say("only one document is read"), event)
        return self.result

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        value = self._scalar_value(event)
        size = 1 + len(event.value) // 8
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(value, size)
        self._add_value(value, size, event)

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", _PREFIX + ("map" if mapping else "seq")):
            raise self._refused(say("the tag {tag} is not read", tag=event.tag), event)
        if self._waits_for_key():
            raise self._refused(say("a key is a text"), event)
        if len(self.stack) >= MAX_DEPTH:
            raise self._refused(say("nesting is deeper than {most} levels", most=MAX_DEPTH), event)
        if event.anchor is not None:  # known from its end on: nothing contains itself
            self.anchors.pop(event.anchor, None)
        self._note(event)
        pointer = self._pointer() if self.wanted else ""
        self.stack.append(_Open({} if mapping else [], event.anchor, pointer))

    def _close(self, event: yaml.Event) -> None:
        closed = self.stack.pop()
        if closed.anchor is not None:
            self.anchors[closed.anchor] = _Anchored(closed.value, closed.size)
        self._add_value(closed.value, closed.size, event)

    def _alias(self, event: yaml.AliasEvent) -> None:
        known = self.anchors.get(event.anchor or "")
        if known is None:
            raise self._refused(
                say("*{anchor} refers to no complete value", anchor=event.anchor), event
            )
        self.expanded += known.size
        if self.expanded > MAX_EXPANDED:
            raise self._refused(say("the aliases of this text expand to too much"), event)
        self._add_value(known.value, known.size, event)

    def _add_value(self, value: JsonValue, size: int, event: yaml.Event) -> None:
        """Puts a complete value in its place: as a key, under a key, in a list, or as the whole."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise self._refused(say("a text has at most {most} values", most=MAX_VALUES), event)
        if self.values % _ASKED_EVERY == 0:
            spend(_WORK * _ASKED_EVERY, "reading this YAML")
            if self.refuse is not None:
                self._ask(self.refuse, value, event)
        if self.wanted and (
            not isinstance(value, dict | list) or isinstance(event, yaml.AliasEvent)
        ):
            self._note(event)
        if not self.stack:
            self.result = value
            return
        top = self.stack[-1]
        top.size += size
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            self._set_key(top, value, event)
        else:
            top.value[top.key] = value
            top.key = None

    def _ask(self, refuse: Refuse, value: JsonValue, event: yaml.Event) -> None:
        if self._waits_for_key():
            return
        message = refuse([each.key for each in self.stack], value)
        if message is not None:
            raise self._refused(message, event)

    def _set_key(self, top: _Open, key: JsonValue, event: yaml.Event) -> None:
        if not isinstance(key, str):
            raise self._refused(
                say("a key is a text; put {key} in quotes", key=dumps(key).decode()[:40]), event
            )
        if key == "<<" and isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
            raise self._refused(say("merge keys (<<) are not read; write the fields out"), event)
        if key in top.value:
            raise self._refused(
                say("the key {key} occurs twice in one mapping", key=repr(key)), event
            )
        top.key, top.key_place = key, _place_of(event)

    def _scalar_value(self, event: yaml.ScalarEvent) -> JsonValue:
        text = event.value
        kind = event.tag
        if kind is None and event.implicit[0]:
            if text in _CONSTANTS:
                return _CONSTANTS[text]
            if text[0] not in _OF_NUMBERS:
                return str(text)
            if (number := whole_number(text, digits=_DIGITS)) is not None:
                return number
            kind = _implicit_tag(text)
        elif kind is None or kind == "!":
            return str(text)
        else:
            form = _FORMS.get(kind)
            if form is None:
                raise self._refused(say("the tag {tag} is not read", tag=kind), event)
            if not form.match(text):
                raise self._refused(
                    say("{text} cannot be read as {kind}", text=repr(text[:40]), kind=kind), event
                )
        if kind == _PREFIX + "str":
            return str(text)
        if kind == _PREFIX + "null":
            return None
        if kind == _PREFIX + "bool":
            return text.lower() == "true"
        return self._number(text, kind, event)

    def _number(self, text: str, kind: str, event: yaml.ScalarEvent) -> JsonValue:
        if kind == _PREFIX + "int":
            base = _BASES.get(text[:2], 10)
            number = int(text, base) if len(text) <= _LONGEST_INT else _MAX_INT + 1
            if not _MIN_INT <= number <= _MAX_INT:
                raise self._refused(
                    say("the integer {text} does not fit into 64 bit", text=text[:32]), event
                )
            return number
        if _NOT_A_NUMBER.fullmatch(text) or float(text) in (float("inf"), float("-inf")):
            raise self._refused(
                say("{text} is not a number that JSON knows", text=text[:32]), event
            )
        return float(text)

    def _waits_for_key(self) -> bool:
        if not self.stack:
            return False
        top = self.stack[-1]
        return isinstance(top.value, dict) and top.key is None

    def _pointer(self) -> str:
        """Returns the pointer of the next value."""
        if not self.stack:
            return ""
        top = self.stack[-1]
        step = str(len(top.value)) if isinstance(top.value, list) else top.key or ""
        return f"{top.pointer}/{step.replace('~', '~0').replace('/', '~1')}"

    def _note(self, event: yaml.Event) -> None:
        """Records the place of the value that begins here, if it was requested."""
        if not self.wanted or self._waits_for_key():
            return
        pointer = self._pointer()
        if pointer in self.wanted:
            key_place = self.stack[-1].key_place if self.stack else None
            self.places[pointer] = key_place or _place_of(event)

    def _refused(self, message: str, event: yaml.Event) -> ValidationFailed:
        place = _place_of(event)
        steps = [
            str(len(each.value)) if isinstance(each.value, list) else each.key
            for each in self.stack
        ]
        pointer = "".join(
            f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps if step is not None
        )
        problem = ValidationFailed.at(pointer, message, line=place.line, column=place.column)
        detail = say(
            "line {line}, column {column}: {message}",
            line=place.line,
            column=place.column,
            message=message,
        )
        return ValidationFailed(detail, problems=problem.problems)


def _implicit_tag(text: str) -> str:
    for tag, form in IMPLICIT_TAGS:
        if form.match(text):
            return tag
    return _PREFIX + "str"


def _place_of(event: yaml.Event) -> YamlPlace:
    mark = event.start_mark
    return YamlPlace(mark.line + 1, mark.column + 1) if mark else YamlPlace(1, 1)
