"""Answers frequent writes of engines, many in one transaction, before Django sees them.

A simple request - a token, JSON, no condition - waits with others for the *writer* of the process,
which decides them all, commits once, and then answers each. Only successes are answered here. A
request that is refused, is not simple, or cannot share a transaction has left nothing behind and
continues to its endpoint, which answers it as if there were no fast path. So there is one contract,
and one place for its errors (ADR 27).
"""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any, Final, TypeAlias

from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.http import HttpResponse
from django.middleware.security import SecurityMiddleware
from pydantic import JsonValue
from rest_framework.views import APIView

from ctxadmin.http.middleware import NoStoreMiddleware
from ctxadmin.http.problems import of_exception
from ctxadmin.http.requests.compression import INLINE_BYTES, LEAST_BYTES, accepts_gzip, gzipped
from ctxadmin.http.requests.fair_queue import SMALL
from ctxadmin.lib.ids import PATTERN
from ctxadmin.telemetry.facts import SCOPE_KEY, Facts
from ctxadmin.telemetry.shared_spans import OwnWrite, own_write

Scope: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]

# A large body goes to its endpoint, whose threads callers share: here, 225 KB of messages of one
# letter kept the calls of all others waiting for 0.3 s, and 24 of them for all of their time.
_MOST_BODY: Final = SMALL
_MOST_BYTES: Final = 4 * SMALL  # of a batch
_LOOKED_AT: Final = 4  # times as many calls as a batch takes, to find conversations of their own
# Headers that mean something to an endpoint and nothing here.
_MEANING: Final = frozenset({b"if-match", b"content-encoding", b"cookie", b"expect"})
_READ: Final = frozenset(
    {
        *(b"authorization", b"content-type", b"x-forwarded-proto", b"idempotency-key"),
        b"accept-encoding",
    }
)
_NAME: Final = re.compile(r"\{(\w+)\}")
_ACCEPTED: Final = frozenset({b"*/*", b"application/json"})
_SCHEMES: Final = frozenset({b"http", b"https"})


class HotCall:
    """A method of an endpoint that the fast path can answer, with 201.

    ``route`` is the template of its path; the names in it stand for ids of the contract,
    ``conversation_id`` among them. ``read`` parses body and ids for the Writer.
    """

    def __init__(
        self,
        method: str,
        route: str,
        view: type[APIView],
        read: Callable[[JsonValue, Mapping[str, str]], Any],
    ) -> None:
        self.method = method
        self.route = route
        self.view = view
        self.read = read
        self.path = re.compile(_NAME.sub(rf"(?P<\1>{PATTERN})", route))
        self.headers: Headers = [
            (b"Content-Type", b"application/json"),
            (b"Allow", ", ".join(_allowed(view)).encode()),
        ]


@dataclass(slots=True)
class QueuedCall:
    """One request that waits to be written with others."""

    hot: HotCall
    names: Mapping[str, str]
    body: bytes
    secret: str  # of the token
    key: str | None  # Idempotency-Key
    facts: Facts
    address: str
    headers: Headers  # of every answer
    accept_encoding: bytes = b""
    context: Context = field(default_factory=copy_context)
    write: OwnWrite | None = None  # its span, if traces are wanted

    @property
    def conversation_id(self) -> str:
        return self.names["conversation_id"]

    @property
    def path(self) -> str:
        return self.hot.route.format_map(self.names)


# Writes calls of different conversations in one transaction and gives their answers in the same
# order, None for each that has left nothing and is to be answered by its endpoint. What it raises
# is told to all callers.
Writer: TypeAlias = Callable[[Sequence[QueuedCall]], Sequence[bytes | None]]


class FastPath:
    """The waiting requests of this process, and the thread that writes them.

    It answers ``hot`` calls; at most ``most`` go into one transaction, and while one is written the
    next gathers. Callers take turns in it, so that nobody waits behind all requests of another.
    """

    def __init__(self, hot: Sequence[HotCall], writer: Writer, most: int) -> None:
        self._hot = hot
        self._writer = writer
        self._most = most
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._waiting: dict[Hashable, deque[_Waiting]] = {}  # by caller; the next one first
        self._is_writing = False

    async def try_answer(
        self, scope: Scope, body: bytes, send: Send, caller: Hashable = None
    ) -> bool:
        """Answers a request if possible; returns False to leave it to its endpoint."""
        call = plain_call(self._hot, scope, body)
        if call is None:
            return False
        call.facts.conversation = call.conversation_id
        with own_write(call.context, call.facts, call.conversation_id) as call.write:
            answer = await self._answer_of(call, caller)
            if answer is None:
                if call.write is not None:
                    call.write.mark_alone()
                return False
        call.facts.route = call.hot.route
        await _send(send, call, answer)
        return True

    async def _answer_of(self, call: QueuedCall, caller: Hashable) -> "_Answer":
        waiting = _Waiting(call, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(caller, deque()).append(waiting)
        if not self._is_writing:
            self._write_next()
        return await waiting.answer

    def _write_next(self) -> None:
        batch = self._next_batch()
        self._is_writing = bool(batch)
        if batch:
            calls = [each.call for each in batch]
            loop = asyncio.get_running_loop()
            written = loop.run_in_executor(self._thread, self._write, calls)
            written.add_done_callback(lambda done: self._set_answers(batch, done.result()))

    def _next_batch(self) -> list["_Waiting"]:
        """Returns requests of each caller in turn, longest wait first, one per conversation.

        The next one of a conversation is in the next batch.
        """
        batch: list[_Waiting] = []
        later: dict[Hashable, list[_Waiting]] = {}
        taken: set[str] = set()
        size = 0
        for caller, each in self._in_turn(self._most * _LOOKED_AT):
            if each.call.conversation_id in taken:
                later.setdefault(caller, []).append(each)
            elif size + len(each.call.body) > _MOST_BYTES and batch:
                later.setdefault(caller, []).append(each)
                break
            elif not each.answer.done():  # else nobody waits for it any more
                taken.add(each.call.conversation_id)
                size += len(each.call.body)
                batch.append(each)
                if len(batch) == self._most:
                    break
        for caller, calls in later.items():
            self._waiting.setdefault(caller, deque()).extendleft(reversed(calls))
        return batch

    def _in_turn(self, most: int) -> Iterator[tuple[Hashable, "_Waiting"]]:
        """Removes requests from the queue, in turns, at most so many of each caller."""
        looked_at: Counter[Hashable] = Counter()
        while able := [each for each in self._waiting if looked_at[each] < most]:
            for caller in able:
                looked_at[caller] += 1
                calls = self._waiting.pop(caller)
                each = calls.popleft()
                if calls:  # it goes behind the others
                    self._waiting[caller] = calls
                yield caller, each

    def _set_answers(self, batch: Sequence["_Waiting"], answers: Sequence["_Answer"]) -> None:
        for each, answer in zip(batch, answers, strict=True):
            if not each.answer.done():
                each.answer.set_result(answer)
        self._write_next()

    def _write(self, calls: Sequence[QueuedCall]) -> Sequence["_Answer"]:
        """Returns the answers of a batch, in the thread of the writer."""
        close_old_connections()
        try:
            return self._writer(calls)
        except Exception as error:  # noqa: BLE001 - the thread's outermost loop; all are reported
            return [call.context.run(of_exception, error) for call in calls]
        finally:
            close_old_connections()


# The bytes of a success, a refusal of all, or None: the endpoint answers.
_Answer: TypeAlias = bytes | HttpResponse | None


@dataclass(slots=True)
class _Waiting:
    call: QueuedCall
    answer: asyncio.Future[_Answer]


def plain_call(hot_calls: Sequence[HotCall], scope: Scope, body: bytes) -> QueuedCall | None:
    """Returns the request, if nothing in its method, path and headers needs its endpoint."""
    method, path = scope["method"], scope["path"]
    if len(body) > _MOST_BODY or scope["query_string"] or scope.get("root_path"):
        return None
    for hot in hot_calls:
        if method == hot.method and (match := hot.path.fullmatch(path)):
            break
    else:
        return None
    given = _plain_headers(scope["headers"])
    if given is None:
        return None
    words = given.get(b"authorization", b"").split()
    content = given.get(b"content-type")
    forwarded = given.get(b"x-forwarded-proto", b"")
    key = given.get(b"idempotency-key") if method == "POST" else None
    if len(words) != 2 or words[0].lower() != b"bearer" or content != b"application/json":
        return None
    if forwarded and forwarded not in _SCHEMES:
        return None
    client = scope.get("client")
    return QueuedCall(
        hot,
        match.groupdict(),
        body,
        words[1].decode("latin-1"),
        None if key is None else key.decode("latin-1"),
        scope[SCOPE_KEY],
        client[0] if client else "",
        _headers_of_all(scope["scheme"], forwarded),
        given.get(b"accept-encoding", b""),
    )


def _plain_headers(headers: Headers) -> dict[bytes, bytes] | None:
    """Returns the headers that are needed here; None if any header needs the endpoint."""
    given: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in _READ:
            if name in given:  # Django joins them
                return None
            given[name] = value
        elif name in _MEANING or (name == b"accept" and value not in _ACCEPTED):
            return None
    return given


@lru_cache(maxsize=8)
def _headers_of_all(scheme: str, forwarded: bytes) -> Headers:
    """Returns the headers that Django's middleware adds to every answer, by scheme and proxy."""
    headers = [(b"x-forwarded-proto", forwarded)] if forwarded else []
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": scheme, "headers": headers}
    response = HttpResponse()
    SecurityMiddleware(NoStoreMiddleware(lambda _: response))(ASGIRequest(scope, BytesIO()))
    return [
        (name.encode(), value.encode())
        for name, value in response.items()
        if name.lower() not in ("content-type", "content-length")
    ]


def _allowed(view: type[APIView]) -> list[str]:
    """Returns the methods of an endpoint, as its own answers name them."""
    has_get = hasattr(view, "get")
    return [
        name.upper()
        for name in view.http_method_names
        if hasattr(view, name) or (name == "head" and has_get)
    ]


async def _send(send: Send, call: QueuedCall, answer: bytes | HttpResponse) -> None:
    status, content, headers = 201, b"", call.hot.headers
    if isinstance(answer, HttpResponse):
        status, content = answer.status_code, answer.content
        headers = [(name.encode(), value.encode()) for name, value in answer.items()]
    else:
        content = answer
    every = [*headers, (b"X-Request-ID", call.facts.request_id.encode()), *call.headers]
    if len(content) > LEAST_BYTES:
        every.append((b"Vary", b"Accept-Encoding"))
        if accepts_gzip(call.accept_encoding):
            every.append((b"Content-Encoding", b"gzip"))
            content = await _gzipped(content)
    every.append((b"Content-Length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": every})
    await send({"type": "http.response.body", "body": content})


async def _gzipped(content: bytes) -> bytes:
    """Returns the content compressed, a large one in a thread."""
    if len(content) > INLINE_BYTES:
        parts = await asyncio.to_thread(gzipped, [content])
    else:
        parts = gzipped([content])
    return b"".join(parts)
