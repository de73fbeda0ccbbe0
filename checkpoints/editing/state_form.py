"""Reads and writes the fields of the form of a state: pure functions without a request."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote

import orjson
from django.utils.translation import gettext as _
from pydantic import JsonValue

from checkpoints.domain.directives import MAX_KEY_LENGTH
from checkpoints.domain.reducers import HISTORY, MESSAGES, Reducer, ReducerTable, reduce
from checkpoints.editing.wrong_json import describe_fault
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.json_bytes import NotJson, loads_strict
from ctxadmin.lib.structural_diff import ABSENT, Value, equal
from ctxadmin.ui.sentences import translated
from ctxadmin.ui.visible_text import has_invisible

KINDS: Final = ("text", "number", "boolean", "list", "object", "null", "json")
RAW: Final = "raw"
_MOST_ROWS: Final = 400
_MOST_LINES: Final = 18
_SHORT: Final = 60  # letters of a text that fits beside its name
_SAID: Final = 40  # characters of a name that is too long
# What, added to a value that its reducer can continue with, leaves it as it is.
_NEUTRAL: Final[Mapping[Reducer, JsonValue]] = {
    Reducer.APPEND: [],
    Reducer.MERGE: {},
    Reducer.INCREMENT: 0,
    Reducer.ADD_BY_ID: [],
}
# What a key can hold, if its reducer takes only that.
_DECLARED: Final[Mapping[Reducer, str]] = {
    Reducer.APPEND: "list",
    Reducer.ADD_BY_ID: "list",
    Reducer.MERGE: "object",
    Reducer.INCREMENT: "number",
    Reducer.MAX: "number",
}

Changes = Mapping[str, Value]  # by key, ABSENT deletes it


@dataclass(frozen=True, slots=True)
class Theirs:
    """What another applied at ``version`` to a key that the draft changes; ``own``: oneself did.

    ``mark`` says that the reader's value is kept, "" if both merge without a question.
    """

    value: str
    gone: bool
    author: str
    own: bool
    version: int
    mark: str


@dataclass(slots=True)
class Row:
    """One key in the form; ``old`` is True for a key of the state, False for an added one.

    ``kind`` is how its text is parsed; ``offered`` is True for a key that the workflow declares and
    the state lacks: left empty, it stays so.
    """

    name: str
    kind: str
    text: str
    old: bool = True
    gone: bool = False
    offered: bool = False
    reducer: str = ""
    version: int = 0
    before: "Row | None" = None  # the key in the state, of a row that the draft changes
    problem: str = ""
    of_name: bool = False  # the problem is that of the name of a new key
    section: str = ""
    begins: bool = False  # the first row of its section
    theirs: Theirs | None = None

    @property
    def sent_name(self) -> str:
        """Returns the name for a hidden field; forms would normalize line ends in it."""
        return quote(self.name, safe="") if self.old or self.offered else self.name

    @property
    def declared(self) -> str:
        """Returns the only kind that the key's reducer accepts, "" for any."""
        return _DECLARED.get(Reducer(self.reducer), "") if self.reducer else ""

    @property
    def fixed(self) -> bool:
        """Returns True if there is no choice: the key already has the kind it must have."""
        return self.kind == self.declared

    @property
    def hides(self) -> bool:
        """Returns True if the text has characters that its field does not show, or that reverse
        it.
        """
        return has_invisible(self.text)

    @property
    def short(self) -> bool:
        """Returns True if the name and the input fit in one line of the form."""
        if self.kind == "text":
            return len(self.text) <= _SHORT and "\n" not in self.text
        return self.kind in ("number", "boolean", "null")

    @property
    def lines(self) -> int:
        """Returns the rows of the text area: a short text has one, and it grows."""
        long_ones = sum(len(line) // 90 for line in self.text.split("\n"))
        least = 1 if self.kind == "text" else 2
        return min(max(self.text.count("\n") + 1 + long_ones, least), _MOST_LINES)


@dataclass(slots=True)
class FormInput:
    """The result of reading the form: the changes against its state, and the problems."""

    changes: dict[str, Value] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    raw: str = ""
    problem: str = ""

    @property
    def valid(self) -> bool:
        return not self.problem and not any(row.problem for row in self.rows)


class _BadName(ValidationFailed):
    """The name of a key is invalid."""


def row_of(name: str, value: JsonValue, *, old: bool = True) -> Row:
    """Returns a key as the form shows it."""
    match value:
        case bool():
            return Row(name, "boolean", "true" if value else "false", old)
        case int() | float():
            return Row(name, "number", orjson.dumps(value).decode(), old)
        case str() if _is_plain(value):
            return Row(name, "text", value, old)
        case list():
            return Row(name, "list", format_json(value), old)
        case dict():
            return Row(name, "object", format_json(value), old)
        case None:
            return Row(name, "null", "", old)
    return Row(name, "json", format_json(value), old)


def declared_rows(reducers: ReducerTable, there: Collection[str]) -> list[Row]:
    """Returns empty rows for the keys that are declared by name and not ``there``."""
    names = [name for name in sorted(reducers.names) if name not in (*there, MESSAGES, HISTORY)]
    kinds = [_DECLARED.get(reducers.for_key(name), "text") for name in names]
    return [
        Row(name, kind, "", old=False, offered=True)
        for name, kind in zip(names, kinds, strict=True)
    ]


def format_json(value: Value) -> str:
    """Returns JSON formatted for editing."""
    if value is ABSENT:
        return ""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def rows_in(sent: Mapping[str, str]) -> list[Row]:
    """Returns the rows of a sent form: ``name-0``, ``kind-0``, ``value-0``, ``gone-0``,
    ``old-0``.

    Empty rows for new and for offered keys are omitted.
    """
    rows: list[Row] = []
    for place in range(_MOST_ROWS):
        if f"name-{place}" not in sent:
            break
        row = _row_in(sent, place)
        if row.old or row.text.strip() or (row.name and not row.offered):
            rows.append(row)
    return rows


def places_of(rows: Iterable[Row]) -> dict[str, Row]:
    """Returns rows by place: the key, whether it is new, and which of that name."""
    seen: dict[str, int] = {}
    found: dict[str, Row] = {}
    for row in rows:
        which = 0
        if not row.old:
            which = seen[row.name] = seen.get(row.name, 0) + 1
        found[f"{which}:{row.name}"] = row
    return found


def read_rows(
    rows: Sequence[Row], base: Mapping[str, JsonValue], reducers: ReducerTable
) -> FormInput:
    """Returns the changes that rows make; every problem is attached to its row.

    ``base`` has those of the named keys that were in the state when the form was made.
    """
    read = FormInput(rows=list(rows))
    for row in rows:
        _read_row(row, read, base, reducers)
    return read


def read_raw(text: str, base: Mapping[str, JsonValue], reducers: ReducerTable) -> FormInput:
    """Parses the whole state as one JSON object; missing keys are deleted."""
    text = _lines(text)
    read = FormInput(raw=text)
    try:
        value = read_json(text)
        if not isinstance(value, dict):
            raise ValidationFailed(_("The state must be one JSON object: {…}."))
        for name, each in value.items():
            _check_name(name)
            if name not in base or not equal(base[name], each):
                check_reducible(name, each, reducers)
                read.changes[name] = each
    except ContextError as error:
        read.problem = translated(error.detail)
    else:
        read.changes |= {name: ABSENT for name in base if name not in value}
    return read


def as_update(changes: Changes) -> dict[str, JsonValue]:
    """Returns changes as an update of the REST contract.

    Reducers do not apply to edits of people.
    """
    return {
        name: {"$delete": True} if value is ABSENT else {"$replace": value}
        for name, value in changes.items()
    }


def typed_values(changes: Changes) -> tuple[dict[str, JsonValue], list[str]]:
    """Returns changes for copying: the values by key, and the deleted keys."""
    values = {name: value for name, value in changes.items() if value is not ABSENT}
    return values, [name for name in changes if name not in values]


def with_changes(base: Mapping[str, JsonValue], changes: Changes) -> dict[str, JsonValue]:
    """Returns the state after the changes."""
    after = {name: value for name, value in base.items() if changes.get(name) is not ABSENT}
    return after | {name: value for name, value in changes.items() if value is not ABSENT}


def check_reducible(name: str, value: JsonValue, reducers: ReducerTable) -> None:
    """Raises TypeMismatch naming the key if its reducer could not continue from this value.

    ``$replace`` would store it anyway, and the engine's next save would be refused.
    """
    reducer = reducers.for_key(name)
    if value is None or reducer is Reducer.OVERWRITE:
        return
    if reducer is Reducer.MAX:
        probe: JsonValue = 0
    else:
        probe = _NEUTRAL[reducer]
    reduce(reducer, name, value, probe)


def read_json(text: str) -> JsonValue:
    """Parses JSON that a person typed; errors name line and column."""
    text = _lines(text)
    try:
        return loads_strict(text.encode(errors="surrogatepass"))
    except NotJson as error:
        raise ValidationFailed(describe_fault(text, error), malformed=True) from None


def _row_in(sent: Mapping[str, str], place: int) -> Row:
    kind, old = sent.get(f"kind-{place}", "text"), f"old-{place}" in sent
    name = sent.get(f"name-{place}", "")
    return Row(
        name=unquote(name) if old or f"offered-{place}" in sent else name,
        kind=kind if kind in KINDS else "text",
        text=_lines(sent.get(f"value-{place}", "")),
        old=old,
        gone=f"gone-{place}" in sent,
        offered=f"offered-{place}" in sent,
    )


def _read_row(
    row: Row, read: FormInput, base: Mapping[str, JsonValue], reducers: ReducerTable
) -> None:
    if row.gone:
        if row.name in base:
            read.changes[row.name] = ABSENT
        return
    try:
        if not row.old:
            _check_name(row.name)
            if row.name in base or row.name in read.changes:
                raise _BadName(_("This key already exists."))
        value = _value(row, base.get(row.name, ABSENT))
        if row.name in base and equal(base[row.name], value):
            return
        check_reducible(row.name, value, reducers)  # which names the key and what it needs
        _check_kind(row.kind, value)
    except _BadName as error:
        row.problem, row.of_name = translated(error.detail), True
    except ContextError as error:
        row.problem = translated(error.detail)
    else:
        read.changes[row.name] = value


def _value(row: Row, before: Value) -> JsonValue:
    match row.kind:
        case "text":
            return row.text
        case "null":
            return None
        case "boolean":
            if row.text not in ("true", "false"):
                raise ValidationFailed(_("Enter true or false."))
            return row.text == "true"
        case "number":
            value = _number(row.text)
            if isinstance(before, float) and isinstance(value, int) and before == value:
                return before  # 2.0 and 2 look the same to the person who left it alone
            return value
    return read_json(row.text)


def _check_kind(kind: str, value: JsonValue) -> None:
    if kind == "list" and not isinstance(value, list):
        raise ValidationFailed(_("Enter a list, for example [1, 2]."))
    if kind == "object" and not isinstance(value, dict):
        raise ValidationFailed(_('Enter an object, for example {"a": 1}.'))


def _number(text: str) -> JsonValue:
    try:
        value = loads_strict(text.strip().encode(errors="surrogatepass"))
    except ValidationFailed as error:
        if "64 bit" in error.detail:
            raise
        value = None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValidationFailed(_("Enter a number, for example 12 or 0.5."))
    return value


def _check_name(name: str) -> None:
    if not name:
        raise _BadName(_("Enter a key of 1 to %(n)s characters.") % {"n": MAX_KEY_LENGTH})
    if len(name) > MAX_KEY_LENGTH:
        text = _("The key %(key)s is too long: %(m)s characters, at most %(n)s are allowed.")
        values = {"key": f"{name[:_SAID]}…", "n": MAX_KEY_LENGTH, "m": len(name)}
        raise _BadName(text % values)
    if name in (MESSAGES, HISTORY):
        text = _(
            "The key %(key)s cannot be edited here. Change messages on the page of the "
            "conversation."
        )
        raise _BadName(text % {"key": name})


def _is_plain(text: str) -> bool:
    """Returns True if a text area returns the text unchanged: forms turn line ends into CR LF."""
    return all(sign in "\n\t" or unicodedata.category(sign) != "Cc" for sign in text)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
