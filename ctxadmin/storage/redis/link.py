"""One Redis for this process: fails fast, and is left alone for a while after a failure."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha1
from typing import Final, TypeAlias, TypeVar, cast

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import NoScriptError, RedisClusterException, RedisError, ResponseError
from redis.retry import Retry
from redis.sentinel import Sentinel

from ctxadmin.storage.redis.address import RedisAddress, ServerKind
from ctxadmin.storage.redis.client import NO_ANSWER, Client, RedisDown
from ctxadmin.storage.redis.counts import count
from ctxadmin.storage.redis.redis_errors import describe_failure

logger = logging.getLogger(__name__)
AnswerT = TypeVar("AnswerT")
# redis-py's defaults blocked one GET for 58 s and ran one INCR twice.
TIMEOUT: Final = 0.25
PAUSE: Final = 2.0


# The keys and the arguments of a script, run once.
Call: TypeAlias = tuple[Sequence[str], Sequence[str | bytes | int]]
# What is entered around each call, by its name.
Span: TypeAlias = Callable[[str], AbstractContextManager[None]]


def no_span(name: str) -> AbstractContextManager[None]:
    """A span that does nothing."""
    return nullcontext()


class Script:
    """A Lua script, sent once to each server and called by its digest."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()

    def run(
        self, client: Client, keys: Sequence[str], arguments: Sequence[str | bytes | int]
    ) -> object:
        """Runs it once; all keys are of one conversation."""
        try:
            return client.evalsha(self.sha, len(keys), *keys, *arguments)
        except NoScriptError:
            return client.eval(self.text, len(keys), *keys, *arguments)

    def run_all(self, client: Client, calls: Sequence[Call]) -> list[object]:
        """Runs it for each of the calls; each is of one conversation.

        With one round trip, except for a cluster, to whose nodes redis-py sends no scripts
        together.
        """
        if len(calls) == 1 or isinstance(client, RedisCluster):
            return [self.run(client, *call) for call in calls]
        pipe = client.pipeline(transaction=False)
        for keys, arguments in calls:
            pipe.evalsha(self.sha, len(keys), *keys, *arguments)
        answers = pipe.execute(raise_on_error=False)
        for place, answer in enumerate(answers):
            if isinstance(answer, NoScriptError):  # this server has not seen it yet
                answers[place] = self.run(client, *calls[place])
            elif isinstance(answer, RedisError):
                raise answer
        return answers


class Link:
    """Calls one Redis. After a failure it is not called until a probe was answered.

    So a Redis that stalls costs one timeout, and not one for every call. The probe's thread runs
    ``on_return`` when Redis is back. ``span`` is entered around each call.
    """

    def __init__(
        self,
        address: RedisAddress,
        *,
        timeout: float = TIMEOUT,
        pause: float = PAUSE,
        span: Span = no_span,
    ) -> None:
        self.address = address
        self.timeout = timeout
        self.pause = pause
        self.span = span
        self.on_return: list[Callable[[], None]] = []
        self.failure = NO_ANSWER  # what kept Redis from answering last
        self.reset()

    def reset(self) -> None:
        """Resets to the initial state: a forked process has no probe, and connections of its
        own.
        """
        self._client: Client | None = None
        self._lock = threading.Lock()
        self._is_down = threading.Event()
        self._is_closed = threading.Event()

    @property
    def is_down(self) -> bool:
        """Returns True from a failure until a probe is answered."""
        return self._is_down.is_set()

    def call(self, call: Callable[[Client], AnswerT]) -> AnswerT:
        """Returns the result of ``call`` with the client; raises RedisDown if Redis fails."""
        if self.is_down:
            raise RedisDown
        try:
            with self.span("redis"):
                return call(self._connected())
        except (redis.ConnectionError, redis.TimeoutError, RedisClusterException, OSError) as error:
            self.failure = describe_failure(error)
            self._leave_alone(error)
            raise RedisDown from error
        except RedisError as error:
            count("failures")
            self.failure = describe_failure(error)
            self._resolve_again()
            logger.warning("Redis refused a call: %s", _kind_of(error))
            raise RedisDown from error

    def is_reachable(self) -> bool:
        """Returns True if Redis answers now."""
        try:
            self.call(lambda client: client.ping())
        except RedisDown:
            return False
        return True

    def close(self) -> None:
        """Stops the probing and all calls."""
        self._is_closed.set()

    def _connected(self) -> Client:
        client = self._client
        if client is None:
            with self._lock:
                client = self._client = self._client or connect(self.address, self.timeout)
        return client

    def _resolve_again(self) -> None:
        """Resolves again which server is which, where there are several.

        The client is not closed: another thread may be in the middle of a call, and redis-py then
        fails in ways of its own. Its connections end with their last user.
        """
        if self.address.kind is not ServerKind.SINGLE:
            self._client = None

    def _leave_alone(self, error: Exception) -> None:
        count("failures")
        with self._lock:
            if self.is_down:
                return
            self._is_down.set()
        count("openings")
        logger.warning("Redis is down (%s); everything is read from SQL.", _kind_of(error))
        self._resolve_again()
        threading.Thread(target=self._probe, name="redis-probe", daemon=True).start()

    def _probe(self) -> None:
        while not self._is_closed.wait(self.pause):
            try:
                self._connected().ping()
            except (RedisError, RedisClusterException, OSError) as error:
                self.failure = describe_failure(error)
                self._resolve_again()
                continue
            self._is_down.clear()
            logger.warning("Redis is back.")
            for run in self.on_return:
                run()
            return


def connect(address: RedisAddress, timeout: float) -> Client:
    """Returns a client that waits at most ``timeout`` seconds and retries nothing."""
    options: dict[str, object] = {
        "username": address.username,
        "password": address.password,
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
    }
    if address.tls:
        options |= {"ssl": True, **address.tls_files}
    return cast(Client, _MAKERS[address.kind](address, options))


def _single(address: RedisAddress, options: dict[str, object]) -> object:
    place: dict[str, object] = {"unix_socket_path": address.path}
    if not address.path:
        place = dict(zip(("host", "port"), address.hosts[0], strict=True))
    return _new(redis.Redis)(db=address.database, **place, **options)


def _cluster(address: RedisAddress, options: dict[str, object]) -> object:
    nodes = [_new(ClusterNode)(host, port) for host, port in address.hosts]
    return _new(RedisCluster)(startup_nodes=nodes, **options)


def _sentinel(address: RedisAddress, options: dict[str, object]) -> object:
    # The Sentinels have no database and, as a rule, no password.
    own = {
        name: value
        for name, value in options.items()
        if name not in ("username", "password", "protocol")
    }
    known = _new(Sentinel)(address.hosts, sentinel_kwargs=own)
    primary = _new(Sentinel.master_for)
    return primary(known, address.service, db=address.database, **options)


def _new(maker: object) -> Callable[..., object]:
    """Calls redis-py with options whose types it declares for single names only."""
    return cast(Callable[..., object], maker)


_MAKERS: Final = {
    ServerKind.SINGLE: _single,
    ServerKind.CLUSTER: _cluster,
    ServerKind.SENTINEL: _sentinel,
}


def _kind_of(error: Exception) -> str:
    """Returns what may be logged of an error: its kind, and Redis' own word for a refusal."""
    word = str(error).partition(" ")[0] if isinstance(error, ResponseError) else ""
    return f"{type(error).__name__} {word}".strip()
