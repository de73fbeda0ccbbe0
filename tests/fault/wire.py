"""One client's way to the workers: HTTP with lasting connections, and nothing is hidden.

No library that tries again by itself: whether a request was sent has to be known.
"""

import http.client
import json
import random
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from tests.fault.history import Attempt, Json, Outcome

# The server closes a connection that was idle for 5 s, perhaps while the next request comes.
_IDLE_SECONDS: Final = 3.0
PATIENCE_SECONDS: Final = 20.0  # far beyond what is promised, so that a breach is seen as a wait


class Sender(Protocol):
    """What a client needs: a request becomes an attempt, whatever happens."""

    def send(self, method: str, path: str, body: Json | None = None, *, key: str = "") -> Attempt:
        """One request to one worker; ``key`` goes along as Idempotency-Key."""

    def close(self) -> None:
        """Close all connections."""


class Wire:
    """Sends each request to a worker by chance, over one connection to each."""

    def __init__(
        self,
        ports: Sequence[int],
        token: str,
        name: str,
        chance: random.Random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ports = ports
        self.token = token
        self.name = name
        self.chance = chance
        self.clock = clock
        self._sent = 0
        self._connections: dict[int, http.client.HTTPConnection] = {}
        self._used: dict[int, float] = {}

    def send(self, method: str, path: str, body: Json | None = None, *, key: str = "") -> Attempt:
        return self.send_to(self.chance.randrange(len(self.ports)), method, path, body, key=key)

    def send_to(
        self, worker: int, method: str, path: str, body: Json | None = None, *, key: str = ""
    ) -> Attempt:
        """The same to a certain worker."""
        self._sent += 1
        request = f"{self.name}.{self._sent}"
        headers = {
            "Authorization": f"Bearer {self.token}",
            "X-Request-ID": request,
            "Content-Type": "application/json",
        }
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        sent = self.clock()

        def ended(outcome: Outcome, why: str) -> Attempt:
            self._drop(worker)
            return Attempt(request, worker, sent, self.clock(), outcome, why=why)

        try:
            connection = self._connected(worker)
        except OSError as error:
            return ended(Outcome.UNREACHED, repr(error))
        try:
            connection.request(method, f"/api/v1{path}", data, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            return ended(Outcome.UNKNOWN, repr(error))
        self._used[worker] = self.clock()
        if response.will_close:
            self._drop(worker)
        return answered(
            Attempt(
                request,
                worker,
                sent,
                self.clock(),
                Outcome.REFUSED,
                response.status,
                retry_after=response.headers.get("Retry-After", ""),
            ),
            content,
        )

    def close(self) -> None:
        for worker in list(self._connections):
            self._drop(worker)

    def _connected(self, worker: int) -> http.client.HTTPConnection:
        if self.clock() - self._used.get(worker, 0.0) > _IDLE_SECONDS:
            self._drop(worker)
        connection = self._connections.get(worker)
        if connection is None:
            port = self.ports[worker]
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            connection.connect()
            self._connections[worker] = connection
        return connection

    def _drop(self, worker: int) -> None:
        connection = self._connections.pop(worker, None)
        if connection is not None:
            connection.close()


def answered(attempt: Attempt, content: bytes) -> Attempt:
    """The attempt with what its answer says; an answer that is no JSON object is kept as text."""
    try:
        answer = json.loads(content)
    except ValueError:
        answer = None
    why = "" if isinstance(answer, dict) else content[:200].decode(errors="replace")
    answer = answer if isinstance(answer, dict) else {}
    outcome = Outcome.REFUSED
    if attempt.status < 300 and not why:
        outcome = Outcome.ACKNOWLEDGED
    elif attempt.status >= 500:
        outcome = Outcome.UNAVAILABLE if attempt.status == 503 else Outcome.UNKNOWN
    return Attempt(
        attempt.request,
        attempt.worker,
        attempt.sent,
        attempt.ended,
        outcome,
        attempt.status,
        str(answer.get("code", "")),
        attempt.retry_after,
        answer,
        why,
    )
