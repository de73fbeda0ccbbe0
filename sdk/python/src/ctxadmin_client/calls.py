"""A call as data, when to repeat it, and how to read its answer: pure rules."""

import email.utils
import json
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

from ctxadmin_client.errors import Refused, refusal

BASE = "/api/v1"
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_MOST_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Call:
    """A request to an address below ``/api/v1``.

    ``key`` is the idempotency key of a POST or PATCH: with it the server does a repeated call once.
    ``wait`` is the number of seconds that the server may take longer than usual; ``patience``
    limits the seconds spent on repeats, if they differ from those of other calls.
    """

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    body: object = None
    key: str = ""
    wait: float = 0.0
    patience: float | None = None

    @property
    def target(self) -> str:
        """Returns path and query as sent in the request."""
        given = {name: _text(value) for name, value in self.query.items() if value is not None}
        return f"{BASE}{self.path}" + (f"?{urlencode(given)}" if given else "")

    @property
    def headers(self) -> dict[str, str]:
        made = {"Accept": "application/json"}
        if self.body is not None:
            made["Content-Type"] = "application/json"
        if self.key:
            made["Idempotency-Key"] = self.key
        return made

    def content(self) -> bytes | None:
        """Returns the body as JSON in UTF-8; None without one.

        Raises ValueError for NaN, Infinity and lone surrogates, which JSON cannot represent.
        """
        if self.body is None:
            return None
        text = json.dumps(self.body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        try:
            return text.encode()
        except UnicodeEncodeError:
            place = next(_halves(self.body), "")
            raise ValueError(
                f"{place}: half a character (U+D800 to U+DFFF), as of a text that was cut"
            ) from None


def _halves(value: object, pointer: str = "") -> Iterator[str]:
    """Returns the JSON pointers of texts with a lone surrogate."""
    if isinstance(value, str):
        if any("\ud800" <= each <= "\udfff" for each in value):
            yield pointer
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from _halves(each, f"{pointer}/{name}")
    elif isinstance(value, (list, tuple)):
        for place, each in enumerate(value):
            yield from _halves(each, f"{pointer}/{place}")


def address(url: str) -> str:
    """Returns an address without trailing slash; raises ValueError if it is malformed."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"url: write http:// or https:// and the server's name, not {url!r}")
    return url.rstrip("/")


def secret(token: str) -> str:
    """Returns a token for a header; raises ValueError, without the value, if it is malformed."""
    known = token.strip()
    if not known:
        raise ValueError("token: it is empty")
    if not known.isascii() or not known.isprintable() or " " in known:
        raise ValueError("token: it has characters that no token has")
    return known


def path(*parts: str) -> str:
    """Returns the path of ``parts``, percent-encoded."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def new_key() -> str:
    """Returns a new unique idempotency key."""
    return uuid4().hex


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    return str(value)


@dataclass(frozen=True, slots=True)
class Retries:
    """How calls are repeated after a lost connection, a restart, or a busy server.

    At most ``seconds`` are spent on a call. Pauses begin at ``first`` seconds and double, with
    random variation. With 0 seconds nothing is repeated.
    """

    seconds: float = 120.0
    first: float = 0.2

    def within(self, seconds: float | None) -> "Retries":
        """Returns the same rules limited to so many seconds."""
        return self if seconds is None else Retries(min(seconds, self.seconds), self.first)

    def pause(self, repeats: int, spent: float, wished: float | None) -> float | None:
        """Returns the seconds before the next try; None to give up.

        ``repeats`` is the number of repeats so far, ``spent`` the seconds they took, ``wished`` the
        pause that the server asked for.
        """
        doubled = min(self.first * 2.0 ** min(repeats, 20), _MOST_SECONDS)
        pause = max(doubled * random.uniform(0.5, 1.0), wished or 0.0)  # noqa: S311 - no secret
        return pause if spent + pause <= self.seconds else None


def is_temporary(status: int) -> bool:
    """Returns True for a status that can change when the same call is repeated."""
    return status in _AGAIN


def requested_pause(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that ``Retry-After`` asks for as a number or a date.

    A date is compared with the ``Date`` of the answer, so that the local clock does not matter.
    """
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if value.isdigit():
        return float(value)
    at = _moment(value)
    if at is None:
        return None
    now = _moment(headers.get("date", ""))
    return max(0.0, at - (time.time() if now is None else now))


def _moment(date: str) -> float | None:
    """Returns the seconds since 1970 of a date in a header, None if it is malformed."""
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None


def problem_of(status: int, content: bytes, headers: Mapping[str, str]) -> Refused:
    """Returns the error of an answer with status 300 or above."""
    if status < 400:
        where = headers.get("location", "elsewhere")
        return refusal(status, {"detail": f"The server redirects to {where}: use that address."})
    try:
        problem = json.loads(content)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"detail": content[:500].decode(errors="replace").strip()}
    return refusal(status, problem)


def answer_of(content: bytes) -> Any:
    """Returns the JSON of an answer, None if it has no body."""
    return json.loads(content) if content else None
