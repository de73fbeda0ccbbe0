"""One call as data, and what to do with what came of it: pure rules, no network."""

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
    """A request to one address of the contract, below ``/api/v1``.

    ``key`` is the idempotency key of a POST or PATCH: with it the server does a repeat only once.
    ``wait`` are the seconds that the server may take to answer, beside the usual; ``patience`` is
    how many seconds its repeats may take, if not as many as those of other calls.
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
        """Path and query, as they stand in the request."""
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
        """The body as JSON in UTF-8; None without one.

        NaN, Infinity and half a character, which JSON cannot hold, are a ValueError.
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
    """The JSON pointers of texts that have half a character."""
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
    """The address of a server without a slash at its end; ValueError if it cannot be one."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"url: write http:// or https:// and the server's name, not {url!r}")
    return url.rstrip("/")


def secret(token: str) -> str:
    """A token as a header takes it; ValueError if it is none. The value is not told."""
    known = token.strip()
    if not known:
        raise ValueError("token: it is empty")
    if not known.isascii() or not known.isprintable() or " " in known:
        raise ValueError("token: it has characters that no token has")
    return known


def path(*parts: str) -> str:
    """The path of ``parts``, with what an address cannot hold written as ``%XX``."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def new_key() -> str:
    """An idempotency key that nobody else has."""
    return uuid4().hex


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    return str(value)


@dataclass(frozen=True, slots=True)
class Retries:
    """How a call is repeated that met a lost connection, a restart or a busy server.

    At most ``seconds`` are spent on one call, with pauses that begin at ``first`` seconds and
    double, each with some chance in it. 0 seconds repeat nothing.
    """

    seconds: float = 120.0
    first: float = 0.2

    def within(self, seconds: float | None) -> "Retries":
        """These, or with at most so many seconds."""
        return self if seconds is None else Retries(min(seconds, self.seconds), self.first)

    def pause(self, repeats: int, spent: float, wished: float | None) -> float | None:
        """Seconds to wait before the next try; None to give up.

        ``repeats`` were made in the ``spent`` seconds, ``wished`` is what the server asked for.
        """
        doubled = min(self.first * 2.0 ** min(repeats, 20), _MOST_SECONDS)
        pause = max(doubled * random.uniform(0.5, 1.0), wished or 0.0)  # noqa: S311 - no secret
        return pause if spent + pause <= self.seconds else None


def is_temporary(status: int) -> bool:
    """True for an answer that may be another one if the same call is made again."""
    return status in _AGAIN


def wished_pause(headers: Mapping[str, str]) -> float | None:
    """The seconds that ``Retry-After`` asks for, which may be a number or a date.

    A date is compared with the ``Date`` of the answer, so that no clock here counts.
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
    """Seconds since 1970 of a date in a header, None if it is none."""
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None


def problem_of(status: int, content: bytes, headers: Mapping[str, str]) -> Refused:
    """The error that an answer of 300 or above says."""
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
    """The JSON of an answer, None if it has no body."""
    return json.loads(content) if content else None
