"""The tokens of a condition's text, each with its place in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from ctxadmin.lib.sentence import say

MAX_DIGITS: Final = 15  # every number of 15 digits is exact as a double, here and in JavaScript

Kind = Literal["name", "string", "number", "operator", "end"]

_OPERATORS: Final = (
    *("===", "!==", "==", "!=", "<=", ">=", "&&", "||"),
    *("<", ">", "!", "(", ")", ".", "[", "]"),
)
_ESCAPES: Final = {
    "\\": "\\", "'": "'", '"': '"', "/": "/",
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0",
}  # fmt: skip
_STRAY_HINTS: Final = {
    "=": say("use === to compare"),
    "&": say("use && for and"),
    "|": say("use || for or"),
    "`": say("write text in ' or \""),
    "“": say("write text in ' or \""),
    "”": say("write text in ' or \""),
    "‘": say("write text in ' or \""),
    "’": say("write text in ' or \""),
    "?": say("a missing name is already null; ?. ?? and ? : are not supported"),
    **dict.fromkeys("+-*/%^~", say("arithmetic is not supported; write a name with such "
                    "characters as variables['the-name']")),
    "{": say("objects are not supported"),
    ",": say("a method takes one value"),
    ";": say("a condition is one expression"),
}  # fmt: skip


class SyntaxFault(Exception):
    """Why a text is not a condition: a message, its range ``[start, end)``, and a hint."""

    def __init__(self, message: str, start: int, end: int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Token:
    """One token: an operator or name as its ``text``, a string or number as its ``value``."""

    kind: Kind
    text: str
    start: int
    end: int
    value: str | int | float = ""

    def fault(self, message: str, hint: str = "") -> SyntaxFault:
        """Returns a fault at this token."""
        return SyntaxFault(message, self.start, self.end, hint)

    def described(self) -> str:
        """Returns the token as a message names it."""
        if self.kind == "end":
            return say("the end of the condition")
        return repr(self.text if len(self.text) <= 40 else f"{self.text[:40]}…")


def tokens(text: str) -> Iterator[Token]:
    """Returns the tokens of ``text`` and an ``end`` token; raises SyntaxFault for invalid text."""
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        token = _token(text, position)
        yield token
        position = token.end
    yield Token("end", "", len(text), len(text))


def _token(text: str, start: int) -> Token:
    character = text[start]
    if character in "'\"":
        return _string(text, start)
    if character in "0123456789" or (character == "-" and text[start + 1 : start + 2].isdecimal()):
        return _number(text, start)
    if _starts_name(character):
        end = _end_of_name(text, start)
        return Token("name", text[start:end], start, end)
    for operator in _OPERATORS:
        if text.startswith(operator, start):
            return Token("operator", operator, start, start + len(operator))
    sign = repr(character) if character.isprintable() else ascii(character)
    message = say("unexpected character {sign}", sign=sign)
    raise SyntaxFault(message, start, start + 1, _STRAY_HINTS.get(character, ""))


def _starts_name(character: str) -> bool:
    return character.isidentifier() or character == "$"


def _end_of_name(text: str, start: int) -> int:
    end = start
    while end < len(text) and (("_" + text[end]).isidentifier() or text[end] == "$"):
        end += 1
    return end


def _number(text: str, start: int) -> Token:
    end = start + (text[start] == "-")
    first = end
    while end < len(text) and text[end] in "0123456789":
        end += 1
    whole = text[first:end]
    if text[end : end + 1] == "." and text[end + 1 : end + 2] in tuple("0123456789"):
        end += 1
        while end < len(text) and text[end] in "0123456789":
            end += 1
    if _end_of_name(text, end) > end or not whole:
        raise SyntaxFault(
            say("this is not a number"),
            start,
            max(_end_of_name(text, end), start + 1),
            say("numbers are written 12, -3 or 0.5; a name starts with a letter"),
        )
    digits = text[start:end]
    if sum(digit.isdecimal() for digit in digits) > MAX_DIGITS:
        raise SyntaxFault(say("a number has at most {n} digits", n=MAX_DIGITS), start, end)
    if len(whole) > 1 and whole.startswith("0"):
        raise SyntaxFault(say("a number does not start with 0"), start, end)
    value = float(digits) if "." in digits else int(digits)
    return Token("number", digits, start, end, value)


def _string(text: str, start: int) -> Token:
    quote = text[start]
    parts: list[str] = []
    position = start + 1
    while position < len(text) and text[position] != "\n":
        character = text[position]
        if character == quote:
            end = position + 1
            return Token("string", text[start:end], start, end, _join_surrogates(parts, start, end))
        if character == "\\":
            decoded, position = _escape(text, position)
            parts.append(decoded)
        else:
            parts.append(character)
            position += 1
    raise SyntaxFault(
        say("this text is not closed"), start, position, say("end it with {quote}", quote=quote)
    )


def _escape(text: str, start: int) -> tuple[str, int]:
    letter = text[start + 1 : start + 2]
    if letter in _ESCAPES and not (letter == "0" and text[start + 2 : start + 3].isdecimal()):
        return _ESCAPES[letter], start + 2
    digits = text[start + 2 : start + 6]
    if letter == "u" and len(digits) == 4 and all(d in "0123456789abcdefABCDEF" for d in digits):
        return chr(int(digits, 16)), start + 6
    end = min(start + 2, len(text))
    raise SyntaxFault(say("unknown escape"), start, end, say("write \\\\ for a backslash"))


def _join_surrogates(parts: list[str], start: int, end: int) -> str:
    """Joins the characters of a string and its surrogate pairs; refuses lone surrogates."""
    joined = "".join(parts)
    try:
        return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise SyntaxFault(say("half a surrogate pair is not text"), start, end) from None
