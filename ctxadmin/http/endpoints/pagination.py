"""Cursor pages of every list: ``?cursor=&limit=``."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import orjson
from django.http import QueryDict

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
_MOST_ITEMS: Final = 2**31

ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page: at most ``limit`` items after the position ``after``.

    ``after`` is the sort key of the last item of the page before, or empty for the first page.
    """

    after: tuple[int | str, ...] = ()
    limit: int = DEFAULT_LIMIT

    @classmethod
    def of(cls, query: QueryDict, most: int = MAX_LIMIT) -> "PageRequest":
        """Parses a query string; raises ValidationFailed for an invalid limit or cursor.

        ``most`` is the highest limit of the list.
        """
        text = query.get("limit", str(DEFAULT_LIMIT))
        if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most:
            raise ValidationFailed.at(
                "?limit", say("limit must be a number from 1 to {max_limit}.", max_limit=most)
            )
        cursor = query.get("cursor")
        return cls(_decode(cursor) if cursor else (), int(text))


@dataclass(frozen=True, slots=True)
class Page(Generic[ItemT]):
    """One page, and the start of the next one."""

    items: Sequence[ItemT]
    next: str | None

    def as_json(self, results: Sequence[Any]) -> dict[str, object]:
        return {"results": results, "next": self.next}


def page_of(rows: Sequence[ItemT], request: PageRequest, key: Any) -> Page[ItemT]:
    """Returns a page of ``rows``, which were queried with one more than the limit.

    ``key(row)`` is the sort key, a tuple of numbers and texts.
    """
    items = rows[: request.limit]
    more = len(rows) > request.limit
    return Page(items, encode(key(items[-1])) if more else None)


def position_after(request: PageRequest) -> int:
    """Returns where a page by position starts: after the cursor's position, or at 0.

    Raises ValidationFailed for a cursor of another list.
    """
    number = _number_of(request)
    return 0 if number is None else number + 1


def offset_of(request: PageRequest) -> int:
    """Returns where a page starts whose cursor counts the items before it.

    Raises ValidationFailed for a cursor of another list.
    """
    return _number_of(request) or 0


def foreign_cursor() -> ValidationFailed:
    """Returns the refusal of a cursor that another list made."""
    return ValidationFailed.at("?cursor", say("This cursor belongs to another list."))


def _number_of(request: PageRequest) -> int | None:
    match request.after:
        case ():
            return None
        case (int() as number,) if 0 <= number < _MOST_ITEMS:
            return number
    raise foreign_cursor()


def encode(key: tuple[int | str, ...]) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(list(key))).decode().rstrip("=")


def _decode(cursor: str) -> tuple[int | str, ...]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        value = orjson.loads(
            base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
        )
    except (ValueError, binascii.Error, UnicodeEncodeError):
        value = None
    if not isinstance(value, list) or not all(isinstance(part, int | str) for part in value):
        raise ValidationFailed.at("?cursor", say("This cursor is not valid."))
    return tuple(value)
