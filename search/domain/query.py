"""Reads what someone searches for: words, phrases and filters in one line of text."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import Sentence, say
from search.domain.terms import is_unspaced, pair_start, terms_of

LONGEST: Final = 400  # characters of a query
MOST_PHRASES: Final = 20
_FEWEST_TYPED: Final = 2  # letters of a word that is still being typed
_ALIKE: Final = 0.65  # rol, status, stat and tools are filters; note and http are words
_PIECES: Final = re.compile(r'(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))')
_SINCE: Final = re.compile(r"([1-9]\d{0,4})(h|d|w)")
_UNITS: Final = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_FULLWIDTH: Final = {"：": ":", "“": '"', "”": '"'}


class HitKind(StrEnum):
    """What a hit is found in."""

    WORKFLOW = "workflow"
    CONVERSATION = "conversation"
    MESSAGE = "message"
    STATE = "state"
    REASON = "reason"
    COMMENT = "comment"


ROLES: Final = ("system", "developer", "user", "assistant", "tool")
STATUSES: Final = ("IDLE", "PENDING", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED")
# In the order in which the palette offers them.
FILTERS: Final = ("tool", "status", "role", "since", "in", "workflow")
# Values as people type them; each kind is listed by its plural, as the palette offers it.
VALUES: Final[Mapping[str, Sequence[str]]] = {
    "status": ("paused", "running", "completed", "failed", "cancelled", "pending", "idle"),
    "role": ROLES,
    "in": ("messages", "conversations", "state", "reasons", "comments", "workflows"),
}
_LAST_FILTER: Final = re.compile(rf"(?:^|(?<=\s))({'|'.join(FILTERS)}):([^\s\"]*)$")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that follow each other; of the last one, if ``open``, only the beginning is given."""

    terms: tuple[str, ...]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for: all phrases, in what the filters leave. Empty filters leave all.

    ``archived`` searches archived conversations, False the others, None both. ``conversation`` is
    the key of the only one that is searched, 0 for all.
    """

    phrases: tuple[Phrase, ...] = ()
    kinds: frozenset[HitKind] = frozenset()
    status: str = ""
    workflow: str = ""
    role: str = ""
    tool: str = ""
    since: datetime | None = None
    archived: bool | None = False
    conversation: int = 0

    def __bool__(self) -> bool:
        """Returns whether anything is searched for; without it nothing is found."""
        narrowed = self.kinds or self.status or self.workflow or self.role or self.tool
        return bool(self.phrases or narrowed or self.since)

    @property
    def of_messages_only(self) -> bool:
        return bool(self.role or self.tool)


def read_query(
    text: str,
    given: Mapping[str, str],
    now: datetime,
    *,
    archived: bool | None = False,
    typing: bool = False,
) -> Query:
    """Returns the query of a text and of filters that are given beside it, which come first.

    A word with ``:`` behind the name of a filter is that filter; all others are words. With
    ``typing`` the last word may be the beginning of one, as every word with ``*`` behind it, and
    a filter without a value at the end is left out.
    Raises ValidationFailed, which names the filter.
    """
    if len(text) > LONGEST:
        raise ValidationFailed.at(
            "?q", say("Search for at most {longest} characters.", longest=LONGEST)
        )
    text = without_unfinished(_plain(text), {}) if typing else _plain(text)
    phrases: list[Phrase] = []
    filters: dict[str, str] = {}
    for name, value, quoted in _pieces(text):
        if name:
            filters[name] = value
        else:
            phrases.extend(_phrases(value, quoted=quoted))
    if typing and phrases and text[-1:].isalnum():
        phrases[-1] = _opened(phrases[-1])
    if len(phrases) > MOST_PHRASES:
        raise ValidationFailed.at("?q", say("Search for at most {most} words.", most=MOST_PHRASES))
    filters.update({name: value for name, value in given.items() if value})
    return _filtered(Query(tuple(phrases), archived=archived), filters, now)


def without_filters(text: str) -> str:
    """Returns the words of a text as they were typed, without the filters among them."""
    left = [
        found.group()
        for found in _PIECES.finditer(_plain(text))
        if found[1] not in FILTERS or not (found[2] or found[3])
    ]
    return " ".join(left)


def last_filter(text: str) -> tuple[str, str, str] | None:
    """Returns the filter that ends a text, which someone may be typing; None for another end.

    That is what is before it, its name, and its value so far.
    """
    plain = _plain(text)
    found = _LAST_FILTER.search(plain)
    return (plain[: found.start()], found[1], found[2]) if found else None


def without_unfinished(text: str, known: Mapping[str, Sequence[str]] = VALUES) -> str:
    """Returns a text without a filter at its end that has no value or the beginning of one.

    ``known`` are the values of each filter.
    """
    last = last_filter(text)
    if last is None:
        return text
    before, name, typed = last
    value = typed.lower()
    values = [each.lower() for each in known.get(name, ())]
    is_whole = value in values or (name == "in" and value in [*HitKind])
    is_begun = not is_whole and any(each.startswith(value) for each in values)
    return before if not typed or is_begun else text


def filters_in(text: str) -> dict[str, str]:
    """Returns the filters among the words of a text, by name; the last one of each."""
    return {name: value for name, value, _ in _pieces(_plain(text)) if name}


def mistyped_filter(text: str) -> tuple[str, str] | None:
    """Returns the first word that is almost the name of a filter, and that name; None without."""
    for found in _PIECES.finditer(_plain(text)):
        name, quoted, word = found.groups()
        if name and name not in FILTERS and (quoted or word):
            close = difflib.get_close_matches(name, FILTERS, n=1, cutoff=_ALIKE)
            if close:
                return name, close[0]
    return None


def _plain(text: str) -> str:
    """Returns a text with the signs of Chinese keyboards as those of others."""
    for sign, plain in _FULLWIDTH.items():
        text = text.replace(sign, plain)
    return text


def _pieces(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yields the filter or "", the text, and whether that was quoted."""
    for found in _PIECES.finditer(text):
        name, quoted, word = found.groups()
        if name in FILTERS and (quoted or word):
            yield name, quoted or word, quoted is not None
        elif name:
            yield "", f"{name} {quoted or word or ''}", True
        else:
            yield "", quoted if quoted is not None else word, quoted is not None


def _phrases(text: str, *, quoted: bool) -> Iterator[Phrase]:
    """Yields the phrase of one piece of text; a text without a letter or digit has none."""
    terms = terms_of(text)
    if not terms:
        return
    phrase = Phrase(tuple(terms))
    last = terms[-1]
    if is_unspaced(last):
        # The last character stands alone only at the end of a run: it is in the pair before, or it
        # begins one.
        paired = len(terms) > 1 and is_unspaced(terms[-2]) and terms[-2].endswith(last[1:])
        phrase = Phrase(tuple(terms[:-1])) if paired else Phrase(tuple(terms), open=True)
    elif text.endswith("*") and not quoted:
        phrase = _opened(phrase)
    yield phrase


def _opened(phrase: Phrase) -> Phrase:
    last = phrase.terms[-1]
    long_enough = last.startswith("x") and len(last) > _FEWEST_TYPED
    return replace(phrase, open=True) if long_enough or last.startswith("u") else phrase


def _filtered(query: Query, filters: Mapping[str, str], now: datetime) -> Query:
    """Returns the query with its filters; raises ValidationFailed for a value that none has."""
    status = filters.get("status", "").upper()
    if status and status not in STATUSES:
        known = _all(VALUES["status"])
        raise _unknown("status", say("Unknown status. Use one of: {known}.", known=known))
    role = filters.get("role", "").lower()
    if role and role not in ROLES:
        raise _unknown("role", say("Unknown role. Use one of: {known}.", known=_all(ROLES)))
    kinds = _kinds_of(filters.get("in", ""))
    workflow = filters.get("workflow", "")
    if workflow and not is_public_id(workflow):
        raise _unknown("workflow", say("A workflow is named by its slug."))
    tool = filters.get("tool", "")
    if tool and not terms_of(tool):
        raise _unknown("tool", say("A tool is named with letters or digits."))
    return replace(
        query,
        kinds=kinds,
        status=status,
        workflow=workflow,
        role=role,
        tool=tool,
        since=_moment(filters.get("since", ""), now),
    )


def _kinds_of(text: str) -> frozenset[HitKind]:
    names = [each for each in text.lower().split(",") if each]
    known = {name: kind for kind in HitKind for name in (kind.value, f"{kind.value}s")}
    if any(name not in known for name in names):
        raise _unknown("in", say("Search in one of: {known}.", known=_all(VALUES["in"])))
    return frozenset(known[name] for name in names)


def _moment(text: str, now: datetime) -> datetime | None:
    """Reads ``7d``, ``24h``, ``2w`` before now, or a day or moment in ISO 8601."""
    if not text:
        return None
    if found := _SINCE.fullmatch(text.lower()):
        try:
            return now - int(found[1]) * _UNITS[found[2]]
        except OverflowError:
            raise _since() from None
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise _since() from None


def _since() -> ValidationFailed:
    return _unknown("since", say("Write 24h, 7d, 2w or a day such as 2026-11-24."))


def _unknown(name: str, text: Sentence) -> ValidationFailed:
    return ValidationFailed.at(f"?{name}", text)


def _all(names: Sequence[str]) -> str:
    return ", ".join(names)


def term_beginning(phrase: Phrase) -> str:
    """Returns the last term of an open phrase as the beginning that is looked for."""
    last = phrase.terms[-1]
    return pair_start(last) if is_unspaced(last) else last
