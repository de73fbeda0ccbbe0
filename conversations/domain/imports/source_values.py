"""Values of an imported file with their places, for errors and reports."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import JsonValue

from conversations.domain.message import MOST_MESSAGES
from ctxadmin.lib import json_bytes
from ctxadmin.lib.errors import ContextError, FieldProblem, TooLarge, ValidationFailed
from ctxadmin.lib.sentence import say


@dataclass(frozen=True, slots=True)
class SourceValue:
    """A value, its JSON pointer, and its line (from 1) in a JSONL file.

    Within JSON text in a field (``is_embedded``) everything has the pointer of the field.
    ``children`` are the items of a list whose items are in lines of their own.
    """

    value: JsonValue
    pointer: str = ""
    line: int | None = None
    is_embedded: bool = False
    children: tuple["SourceValue", ...] | None = None
    is_outside: bool = False  # a field was read of something that is no object

    def get(self, *names: str) -> "SourceValue":
        """Returns the first of these fields that exists and is not null, else a place with None."""
        if not isinstance(self.value, dict):
            return replace(self, value=None, children=None, is_outside=True)
        for name in names:
            if self.value.get(name) is not None:
                return self._child(name, self.value[name])
        return self._child(names[0], None)

    def items(self, most: int | None = MOST_MESSAGES) -> Iterator["SourceValue"]:
        """Yields the items of a list; raises ValidationFailed if this is not one.

        Raises TooLarge over ``most`` items: a message of no format has as many parts, and their
        representation takes more memory than they do.
        """
        if self.children is not None:
            yield from self.children
            return
        if not isinstance(self.value, list):
            raise self._not(say("this must be a list"))
        if most is not None and len(self.value) > most:
            raise self.too_large(say("this has more than {most} items", most=most), most)
        for number, item in enumerate(self.value):
            yield self._child(str(number), item)

    def items_if_any(self) -> Iterator["SourceValue"]:
        """Yields ``items``; none for null."""
        return iter(()) if self.value is None and self.children is None else self.items()

    def text(self) -> str:
        """Returns the text; raises ValidationFailed for anything else."""
        if not isinstance(self.value, str):
            raise self._not(say("this must be a text"))
        return self.value

    def text_or_none(self) -> str | None:
        """Returns the text, None for null; raises ValidationFailed for anything else."""
        return None if self.value is None else self.text()

    def fields(self) -> dict[str, JsonValue]:
        """Returns the fields of an object; raises ValidationFailed for anything else."""
        if not isinstance(self.value, dict):
            raise self.refusal(say("this must be an object"))
        return self.value

    def unknown_fields(self, *known: str) -> dict[str, JsonValue]:
        """Returns the fields of an object without the known and the null ones."""
        return {
            name: value
            for name, value in self.fields().items()
            if name not in known and value is not None
        }

    def parsed(self) -> "SourceValue":
        """Returns the value of JSON text in a field; any other value unchanged."""
        if not isinstance(self.value, str):
            return self
        try:
            value = json_bytes.loads_strict(self.value.encode())
        except (ValidationFailed, UnicodeEncodeError) as error:
            why = error.detail if isinstance(error, ValidationFailed) else str(error)
            raise self.refusal(say("this must be JSON in a text: {error}", error=why)) from None
        return replace(self, value=value, is_embedded=True, children=None)

    def refusal(self, message: str) -> ContextError:
        """Returns a ValidationFailed at this place."""
        return self.locate(ValidationFailed.at(self.pointer, message))

    def too_large(self, message: str, most: int) -> ContextError:
        """Returns a TooLarge at this place."""
        problem = FieldProblem(self.pointer, message, "too_large")
        return self.locate(TooLarge(message, limit=most, problems=[problem]))

    def locate(self, error: ContextError) -> ContextError:
        """Returns the same error; its text names the line, if there is one, and the field."""
        return _with_place(error) if self.line is None else with_line(error, self.line)

    def _not(self, message: str) -> ContextError:
        """Returns the refusal of a value of another type, or of what has no such field at all."""
        return self.refusal(say("this must be an object") if self.is_outside else message)

    def _child(self, name: str, value: JsonValue) -> "SourceValue":
        if self.is_embedded:
            return SourceValue(value, self.pointer, self.line, True)
        if "~" in name or "/" in name:
            name = name.replace("~", "~0").replace("/", "~1")
        return SourceValue(value, f"{self.pointer}/{name}", self.line)


def text_or_empty(value: JsonValue) -> str:
    """Returns the text; "" for anything else, which is no name of a role or a type."""
    return value if isinstance(value, str) else ""


def _with_place(error: ContextError) -> ContextError:
    """Returns the error with its place in its text, unless that has it."""
    first = error.problems[0] if error.problems else FieldProblem("", error.detail)
    if not first.pointer or error.detail != first.message:
        return error
    detail = say("{place}: {message}", place=first.pointer, message=first.message)
    if isinstance(error, TooLarge):
        return TooLarge(detail, limit=error.limit, problems=error.problems)
    return ValidationFailed(detail, problems=error.problems)


def with_line(error: ContextError, line: int) -> ContextError:
    """Returns the same error with its line."""
    if isinstance(error, json_bytes.NotJson):
        text = say("This is not JSON: {why}.", why=error.what)
        problem = FieldProblem("", text, extra=(("line", line), ("column", error.column)))
        detail = say(
            "Line {line}, column {column}: {message}", line=line, column=error.column, message=text
        )
        return ValidationFailed(detail, problems=[problem], malformed=True)
    problems = [
        FieldProblem(each.pointer, each.message, each.code, (*each.extra, ("line", line)))
        for each in error.problems or (FieldProblem("", error.detail),)
    ]
    first = problems[0]
    detail = say(
        "Line {line}, {place}: {message}",
        line=line,
        place=first.pointer or say("the whole line"),
        message=first.message,
    )
    if isinstance(error, TooLarge):
        return TooLarge(detail, limit=error.limit, problems=problems)
    malformed = isinstance(error, ValidationFailed) and error.malformed
    return ValidationFailed(detail, problems=problems, malformed=malformed)
