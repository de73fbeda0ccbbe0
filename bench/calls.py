"""The calls of an engine as bytes, on conversations created for them."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import httpx
import orjson
from pydantic import JsonValue

from bench.documents import state_of
from bench.load import Caller

TEXT: Final = "x" * 400
MANY: Final = 32  # clients of most loads
MOST: Final = 128
HISTORY: Final = 20  # messages of a conversation before the measurement
SIZES: Final = {"10 KB": 10_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
_TWO: Final = orjson.dumps([{"role": role, "content": TEXT} for role in ("user", "assistant")])
_serial = itertools.count()

Requests = Iterator[bytes]


class Calls:
    """Creates conversations over REST, and endless requests of one client to each."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.each: dict[str, Callable[[], Requests]] = {
            "append": self.appends,
            "complete": self.completions,
            "save of a checkpoint": self.saves,
            "enter": self.enters,
            "snapshot of 10 KB": self.small_snapshots,
            "read of a conversation": self.reads,
        }
        self._http = httpx.Client(
            base_url=f"http://127.0.0.1:{caller.port}/api/v1",
            headers={"Authorization": f"Bearer {caller.token}"},
            timeout=60,
        )
        self._kept: dict[str, list[str]] = {}

    def _one_of(self, count: int, make: Callable[[], str], kind: str) -> str:
        """Returns some conversations in rotation; they are created when first needed."""
        kept = self._kept.setdefault(kind, [])
        if len(kept) < count:
            kept.append(make())
        else:
            kept.append(kept.pop(0))
        return kept[-1]

    def small(self) -> str:
        """Returns one of as many conversations as there are clients."""
        return self._one_of(MOST, self.conversation, "small")

    def conversation(self) -> str:
        """Creates a conversation with some messages and a running free execution."""
        name = f"bench-{next(_serial)}"
        messages = orjson.loads(_TWO) * (HISTORY // 2)
        self._send("POST", "/conversations", {"id": name, "messages": messages})
        save: JsonValue = {"node_id": "a", "state_data": {"step": 0}}
        self._send("PUT", f"/conversations/{name}/checkpoints/start", save)
        return name

    def with_state(self, size: str) -> str:
        """Creates a conversation with a state of this size."""
        name = self.conversation()
        save: JsonValue = {"node_id": "a", "state_data": state_of(SIZES[size])}
        self._send("PUT", f"/conversations/{name}/checkpoints/state", save)
        return name

    def appends(self) -> Requests:
        path = f"/api/v1/conversations/{self.small()}/messages"
        return itertools.repeat(self.caller.request("POST", path, b'{"messages":' + _TWO + b"}"))

    def completions(self) -> Requests:
        path = f"/api/v1/conversations/{self.small()}/nodes/a/complete"
        for number in itertools.count():
            body = (
                b'{"checkpoint_id":"c%d","result":{"prompt":"%b","response":"%b"},'
                b'"state_data":{"step":%d},"messages":%b}'
            ) % (next(_serial), TEXT.encode(), TEXT.encode(), number, _TWO)
            yield self.caller.request("POST", path, body)

    def saves(self) -> Requests:
        return self.saves_of(self.small())

    def saves_of(self, name: str, state: Callable[[int], bytes] | None = None) -> Requests:
        """Yields saves of two messages and a small key, or of the given state."""
        for number in itertools.count():
            path = f"/api/v1/conversations/{name}/checkpoints/c{next(_serial)}"
            if state is None:
                body = b'{"node_id":"a","state_data":{"step":%d},"messages":%b}' % (number, _TWO)
            else:
                body = b'{"node_id":"a","state_data":%b}' % state(number)
            yield self.caller.request("PUT", path, body)

    def enters(self) -> Requests:
        name = self._one_of(MANY, self.conversation, "entered")  # of a constant length
        path = f"/api/v1/conversations/{name}/nodes/b/enter"
        return itertools.repeat(self.caller.request("POST", path, b"{}"))

    def small_snapshots(self) -> Requests:
        make = partial(self.with_state, "10 KB")
        return self.snapshots_of(self._one_of(MANY // 4, make, "10 KB"))

    def snapshots(self, size: str) -> Requests:
        return self.snapshots_of(self.with_state(size))

    def snapshots_of(self, name: str) -> Requests:
        path = f"/api/v1/conversations/{name}/snapshot"
        return itertools.repeat(self.caller.request("GET", path))

    def reads(self) -> Requests:
        path = f"/api/v1/conversations/{self.small()}"
        return itertools.repeat(self.caller.request("GET", path))

    def _send(self, method: str, path: str, body: JsonValue) -> None:
        json = {"Content-Type": "application/json"}
        self._http.request(
            method, path, content=orjson.dumps(body), headers=json
        ).raise_for_status()
