"""Text of messages and state as HTML in which control and invisible characters are named."""

import json
import re
import unicodedata
from functools import cache
from typing import Final

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

# Controls but tab and newline, format characters that show nothing (bidi overrides, zero
# width, tags, variation selectors beyond those of emoji), blank letters, odd line ends.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINERS: Final = "\u200c\u200d"
_NAMES: Final = {"\r": "CARRIAGE RETURN", "\x00": "NULL", "\x1b": "ESCAPE", "\x7f": "DELETE"}


def visible(text: str, *, in_json: bool = False) -> SafeString:
    """Returns ``text`` escaped; invisible characters appear as their code point, with its name.

    Joiners inside emoji and inside words of scripts that need them stay as they are. A text that is
    ``in_json`` has the escapes of JSON instead, so that a copy of it is equivalent.
    """
    pieces: list[str] = []
    position = 0
    for match in _HIDDEN.finditer(text):
        if match[0] in _JOINERS and _joins(text, match.start()):
            continue
        pieces.append(escape(text[position : match.start()]))
        pieces.append(_named(match[0], in_json))
        position = match.end()
    pieces.append(escape(text[position:]))
    return mark_safe("".join(pieces))  # noqa: S308  # every piece is escaped above


def shows_nothing(text: str) -> bool:
    """Whether a text has only spaces and invisible characters."""
    return not _HIDDEN.sub("", text).strip()


def plain(text: str) -> str:
    """Returns ``text`` for a place without elements: invisible characters appear as U+202E."""

    def named(match: re.Match[str]) -> str:
        joins = match[0] in _JOINERS and _joins(text, match.start())
        return match[0] if joins else f"U+{ord(match[0]):04X}"

    return _HIDDEN.sub(named, text)


def has_invisible(text: str) -> bool:
    """Returns True if ``text`` has a character that ``visible`` names."""
    return any(
        match[0] not in _JOINERS or not _joins(text, match.start())
        for match in _HIDDEN.finditer(text)
    )


@cache  # a few thousand signs; a hostile text has a million of them
def _named(char: str, in_json: bool) -> SafeString:
    name = _NAMES.get(char) or unicodedata.name(char, "CONTROL CHARACTER")
    shown = json.dumps(char)[1:-1] if in_json else f"U+{ord(char):04X}"
    return format_html('<span class="mark-char" title="{}">{}</span>', name, shown)


def _joins(text: str, at: int) -> bool:
    """Returns True for a joiner with a letter, sign or emoji on both sides, as in real text."""
    if at == 0 or at + 1 >= len(text):
        return False
    kinds = {unicodedata.category(text[at - 1]), unicodedata.category(text[at + 1])}
    return kinds <= {"So", "Sk", "Mn", "Mc", "Lo"}
