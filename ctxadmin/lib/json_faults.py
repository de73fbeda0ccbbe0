"""What the JSON parser says is wrong with a text, as sentences that pages translate."""

from collections.abc import Mapping
from typing import Final

import orjson

from ctxadmin.lib.sentence import Sentence, say

_SENTENCES: Final[Mapping[str, Sentence]] = {
    str(each): each
    for each in (
        say("Input is a zero-length, empty document"),
        say("UTF-8 byte order mark (BOM) is not supported"),
        say("invalid UTF-8 encoding in string"),
        say("invalid escape in string"),
        say("invalid escaped sequence in string"),
        say("invalid high surrogate in string"),
        say("invalid literal, expected 'false'"),
        say("invalid literal, expected 'null'"),
        say("invalid literal, expected 'true'"),
        say("invalid low surrogate in string"),
        say("no digit after decimal point"),
        say("no digit after exponent sign"),
        say("no digit after sign"),
        say("no low surrogate in string"),
        say("number is infinity when parsed as double"),
        say("number with leading zero is not allowed"),
        say("str is not valid UTF-8: surrogates not allowed"),
        say("trailing comma is not allowed"),
        say("unexpected character, expected ',' or ']'"),
        say("unexpected character, expected ',' or '}}'"),
        say("unexpected character, expected ':' after key"),
        say("unexpected character, expected a JSON value"),
        say("unexpected character, expected a string key"),
        say("unexpected content after document"),
        say("unexpected control character in string"),
        say("unexpected end of data"),
    )
}


def fault(error: orjson.JSONDecodeError) -> str:
    """Returns what is wrong; the parser's own text where it is not known."""
    return _SENTENCES.get(error.msg, error.msg)


def fault_with_place(error: orjson.JSONDecodeError) -> Sentence:
    """Returns what is wrong and where, in the words of ``str(error)``."""
    return say(
        "{what}: line {line} column {column} (char {at})",
        what=fault(error),
        line=error.lineno,
        column=error.colno,
        at=error.pos,
    )
