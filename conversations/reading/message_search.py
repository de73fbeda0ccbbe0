"""Searches the messages of a conversation, a bounded stretch at a time."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import orjson
from pydantic import JsonValue

from conversations.domain.bodies import text_of_content
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.reading.word_pattern import word_pattern
from conversations.store.message_rows import message_rows
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_texts import unescaped
from ctxadmin.lib.markdown_marks import cut, mark_spans, within
from ctxadmin.lib.sentence import say

MOST_HITS: Final = 50
LONGEST: Final = 200
_BLOCK: Final = 1000
# What one request looks at: 25,000 real messages take 0.2 s; the reader continues from there.
MOST_MESSAGES: Final = 25_000
_MOST_BYTES: Final = 24 * 1024 * 1024
_AROUND: Final = 60
_ALL_QUOTED: Final = re.compile(r"(?:[\"“][^\"“”]*[^\"“”\s][^\"“”]*[\"”]\s*)+")
_QUOTES: Final = re.compile(r"[\"“]")
_QUOTED: Final = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_NEAR: Final = _AROUND  # characters in which several texts are shown together
_MOST_MATCHES: Final = 400  # of each of several texts in one message
_PASSAGE: Final = 600  # on each side of the words in a message that is shown shortened
_MARKS: Final = 400  # beyond the passage: how far the other mark of a pair is looked for


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message with a match: the text before it, the words as written, the text after it.

    The text around the words is without the marks of Markdown.
    """

    index: int
    position: int
    role: str
    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits in a stretch of a view.

    ``next`` is the position to continue from, None at the end.
    """

    hits: Sequence[SearchHit]
    next: int | None
    total: int


def find(
    head: Conversation, view: View, words: str, start: int = 0, *, whole: bool = False
) -> SearchResult:
    """Finds the messages of a view from a position on that have the words.

    Case, accents and widths are ignored, and so are marks of Markdown within the words. Several
    texts in quotes, as in ``"late" "refund"``, may stand anywhere in the message. With ``whole``
    no match begins or ends within a word. It searches text, and the names and arguments of tool
    calls. Raises ValidationFailed for words that are too long.
    """
    if len(words) > LONGEST:
        raise ValidationFailed.at(
            "?q", say("Search for at most {longest} characters.", longest=LONGEST)
        )
    if not words:
        return SearchResult((), None, len(view))
    patterns = _patterns(words, whole)
    hits: list[SearchHit] = []
    read = 0
    for position, index, role, body in _messages(head, view, start):
        if len(hits) == MOST_HITS or position - start >= MOST_MESSAGES or read > _MOST_BYTES:
            return SearchResult(hits, position, len(view))
        read += len(body)
        text = searched_text(orjson.loads(body))
        if match := _nearest(patterns, text):
            hits.append(_hit(index, position, role, text, match))
    return SearchResult(hits, None, len(view))


def passage_in(text: str, words: str, *, whole: bool = False) -> SearchHit | None:
    """Returns the match in one text, with more of the text around it; None if it has none."""
    match = _nearest(_patterns(words, whole), text) if words else None
    return _hit(0, 0, "", text, match, _PASSAGE) if match else None


def texts_in(words: str) -> list[str]:
    """Returns the texts that a message has to have: those in quotes if all words are."""
    return _QUOTED.findall(words) if _ALL_QUOTED.fullmatch(words) else [words]


def is_phrase(words: str) -> bool:
    """Returns whether several words are looked for only as they follow each other."""
    return len(words.split()) > 1 and not _QUOTES.search(words)


def _nearest(patterns: Sequence[re.Pattern[str]], text: str) -> re.Match[str] | None:
    """Returns the match from which on the most patterns are near; None if one pattern has none."""
    if len(patterns) == 1:
        return patterns[0].search(text)
    found: list[tuple[int, re.Match[str]]] = []
    for number, pattern in enumerate(patterns):
        matches = [(number, match) for match in islice(pattern.finditer(text), _MOST_MATCHES)]
        if not matches:
            return None
        found += matches
    found.sort(key=lambda each: each[1].start())
    near: Counter[int] = Counter()
    most, nearest, end = 0, found[0][1], 0
    for number, match in found:
        while end < len(found) and found[end][1].start() <= match.start() + _NEAR:
            near[found[end][0]] += 1
            end += 1
        if len(+near) > most:
            most, nearest = len(+near), match
        near[number] -= 1
    return nearest


def _patterns(words: str, whole: bool) -> list[re.Pattern[str]]:
    return [word_pattern(text, whole=whole) for text in texts_in(words)]


def _has_marks_within(match: re.Match[str]) -> bool:
    """Returns whether marks stand within the words that do not belong to them."""
    return any(match.group(number) for number in range(1, match.re.groups + 1))


def searched_text(body: dict[str, JsonValue]) -> str:
    """Returns the searched text of a message: its text, then its tool calls line by line.

    JSON in it is without its escapes.
    """
    calls = body.get("tool_calls")
    lines = [unescaped(text_of_content(body.get("content")))]
    for call in calls if isinstance(calls, list) else ():
        inner = call.get("function") if isinstance(call, dict) else None
        if isinstance(inner, dict):
            arguments = inner.get("arguments") or ""
            lines.append(f"{inner.get('name')} {unescaped(str(arguments))}")
    return "\n".join(lines)


def _messages(head: Conversation, view: View, start: int) -> Iterator[tuple[int, int, str, bytes]]:
    for first in range(start, len(view), _BLOCK):
        part = view.slice(first, first + _BLOCK)
        rows = message_rows(head.key, part)
        for position, index in enumerate(part, first):
            _, _, role, body, *_ = rows[index]
            yield position, index, str(role), bytes(body)


def _hit(
    index: int, position: int, role: str, text: str, match: re.Match[str], around: int = _AROUND
) -> SearchHit:
    start, stop = match.span()
    near = max(start - around - _MARKS, 0)
    return SearchHit(
        index=index,
        position=position,
        role=role,
        before=("… " if start > around else "")
        + _readable(text, near, max(start - around, 0), start).lstrip(),
        words=_readable(text, near, start, stop) if _has_marks_within(match) else match.group(),
        after=_readable(text, near, stop, stop + around).rstrip()
        + (" …" if len(text) > stop + around else ""),
    )


def _readable(text: str, near: int, start: int, stop: int) -> str:
    """Returns a part of a text without marks, of which it looks at the text from ``near`` on."""
    window = text[near : stop + _MARKS]
    part = within(mark_spans(window), start - near, stop - near)
    return cut(text[start:stop], part)
