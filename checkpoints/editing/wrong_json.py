"""Explains why a text is not JSON, in the same words as the editor on the page."""

import json
from typing import Final

from django.utils.translation import gettext as _

from ctxadmin.lib.json_bytes import NotJson

_REASONS: Final = {
    "Expecting value": "value",
    "Expecting property name enclosed in double quotes": "key",
    "Expecting ':' delimiter": "colon",
    "Expecting ',' delimiter": "comma",
    "Extra data": "rest",
    "Invalid control character at": "string",
    "Unterminated string starting at": "end",
}


def describe_fault(text: str, refusal: NotJson) -> str:
    """Returns the line, the column and the problem; ``refusal`` is that of the strict parser."""
    reason, at = reason_of(text) or _refused(text, refusal)
    before = text[:at]
    line = before[before.rfind("\n") + 1 :]
    where = {"line": before.count("\n") + 1, "column": _units(line) + 1, "what": _words(reason)}
    return _("Line {line}, column {column}: {what}").format(**where)


def reason_of(text: str) -> tuple[str, int] | None:
    """Returns why and where the standard library fails to parse a text, by the editor's cases."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return _as_the_editor(text, error)
    except RecursionError:
        return None
    return None


def _as_the_editor(text: str, error: json.JSONDecodeError) -> tuple[str, int]:
    """Returns the editor's wording: it tells an early end from a missing token, and names bad
    numbers.
    """
    reason, at = _REASONS.get(error.msg, "string"), error.pos
    if error.msg.startswith("Illegal trailing comma"):
        at += len(text[at:]) - len(text[at + 1 :].lstrip(" \t\r\n"))
        reason = "key" if "object" in error.msg else "value"
    if reason == "string" and text[at - 1 : at] == "\\":
        at -= 1
    backslashes = len(text) - len(text.rstrip("\\"))
    if reason == "end" and backslashes % 2:
        return "string", len(text) - 1
    if reason == "end" or (at >= len(text) and reason != "rest"):
        return "end", len(text)
    if reason == "value" and text[at] in "-0123456789":
        return "number", at
    return reason, at


def _refused(text: str, refusal: NotJson) -> tuple[str, int]:
    """Returns the problem of a text that the standard library accepts: NaN, half a surrogate."""
    lines = text.split("\n")[: refusal.line - 1]
    at = sum(len(each) + 1 for each in lines) + refusal.column - 1
    return ("string" if "string" in refusal.what else "value"), at


def _units(text: str) -> int:
    """Returns the length of a text in UTF-16 units, as JavaScript counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _words(reason: str) -> str:
    return {
        "end": _("the text ends too early"),
        "value": _("a value is missing"),
        "key": _("a key in double quotes is missing"),
        "colon": _("a colon is missing"),
        "comma": _("a comma or a closing bracket is missing"),
        "rest": _("there is text after the end"),
        "string": _("this character must be escaped"),
        "number": _("not a number"),
    }[reason]
