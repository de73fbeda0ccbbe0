"""Processes that end as by ``kill -9`` between any two of their calls, and what continues.

Moment 0 is before the first call, moment N behind the answer of call N. Each has a conversation of
its own, and processes that run the same lines again until they come to their end.

Every process forks while it has one thread: a lock that another thread holds at that moment would
never be free in the child.
"""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence

import httpx

NOBODY = -1
TIRED = 4  # processes that continue after the first
Work = Callable[[str, "Death"], None]


class Death:
    """When a process ends: counted by the transports of its clients, in whichever thread."""

    def __init__(self, moment: int) -> None:
        self._moment = moment
        self._calls = 0
        self._lock = threading.Lock()

    def before_a_call(self) -> None:
        if self._moment == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def behind_an_answer(self) -> None:
        with self._lock:
            self._calls += 1
            if self._calls == self._moment:
                os.kill(os.getpid(), signal.SIGKILL)


class Mortal(httpx.HTTPTransport):
    """Passes calls on until the moment comes."""

    def __init__(self, death: Death) -> None:
        super().__init__()
        self._death = death

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._death.before_a_call()
        response = super().handle_request(request)
        response.read()
        self._death.behind_an_answer()
        return response


class AsyncMortal(httpx.AsyncHTTPTransport):
    """Passes calls on until the moment comes."""

    def __init__(self, death: Death) -> None:
        super().__init__()
        self._death = death

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._death.before_a_call()
        response = await super().handle_async_request(request)
        await response.aread()
        self._death.behind_an_answer()
        return response


def forked(do: Callable[..., None], *arguments: object) -> int:
    """The id of a child that does something and ends: with 0, or 1 if it raised."""
    threads = os.listdir("/proc/self/task")
    if len(threads) > 1:
        raise RuntimeError(f"{len(threads)} threads: a child could hang")
    child = os.fork()
    if child:
        return child
    try:
        do(*arguments)
    except BaseException:  # noqa: BLE001 - told, and the process ends
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def end_of(child: int) -> int:
    """0 if a child came to its end, 1 if it raised, or the negative signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _die_and_go_on(work: Work, before: Work | None, name: str, moments: Sequence[str]) -> None:
    for moment in moments:
        place = f"{name}-{moment}"
        if before is not None and end_of(forked(before, place, Death(NOBODY))):
            raise RuntimeError(f"{place} could not be prepared")
        ended = end_of(forked(work, place, Death(int(moment))))
        if ended == -signal.SIGKILL:
            os.write(sys.stdout.fileno(), f"{moment} ".encode())
        for _ in range(TIRED):
            if ended == 0:
                break
            ended = end_of(forked(work, place, Death(NOBODY)))
        else:
            raise RuntimeError(f"{place} never came to its end")


def die_at_all(
    work: Work, name: str, moments: Sequence[str], *, lanes: int = 4, before: Work | None = None
) -> int:
    """Let ``work`` die at each moment and continue; print the moments at which it did.

    ``before`` prepares a conversation, and does not die. Ends with 1 if something went wrong.
    """
    children = [
        forked(_die_and_go_on, work, before, name, moments[lane::lanes]) for lane in range(lanes)
    ]
    ends = [end_of(child) for child in children]
    return int(any(ends))
