"""Reads for many listeners, made one after the other, and equal ones once.

When a server restarts, thousands of streams connect again within seconds, and each reads what it
missed. Threads that read for all of them would take processor time from those that write.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from itertools import islice
from typing import Any, Final, ParamSpec, TypeVar

from ctxadmin.realtime.protocol import State
from ctxadmin.realtime.topics import TopicSource

P = ParamSpec("P")
ResultT = TypeVar("ResultT")
Ask = Callable[..., Awaitable[Any]]

_MOST: Final = 200  # objects that are read with one statement


class SharedReads:
    """The reads that wait for their turn on one event loop; ``ask`` runs a query in a thread.

    A read that has begun is not shared: who asks for it later would not see what was written since.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.turn = asyncio.Lock()
        self._waiting: dict[Hashable, asyncio.Task[Any]] = {}
        self._wanted: dict[str, dict[int, asyncio.Future[State | None]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def once(
        self, name: Hashable, call: Callable[P, ResultT], /, *args: P.args, **kwargs: P.kwargs
    ) -> ResultT:
        """Returns what the call returns; those of the same name that wait are made as one."""
        task = self._waiting.get(name)
        if task is None:

            async def made() -> ResultT:
                async with self.turn:
                    del self._waiting[name]
                    result: ResultT = await self._ask(call, *args, **kwargs)
                    return result

            task = self._waiting[name] = self._begin(made())
        found: ResultT = await asyncio.shield(task)
        return found

    async def state(self, source: TopicSource, key: int) -> State | None:
        """Returns the state of an object in the database, None if it is gone.

        Those that wait are read together.
        """
        wanted = self._wanted.setdefault(source.kind, {})
        if not wanted:
            self._begin(self._read_wanted(source))
        if key not in wanted:
            wanted[key] = asyncio.get_running_loop().create_future()
        return await asyncio.shield(wanted[key])

    async def _read_wanted(self, source: TopicSource) -> None:
        async with self.turn:
            wanted = self._wanted[source.kind]
            keys = sorted(islice(wanted, _MOST))  # those that wait longest
            taken = {key: wanted.pop(key) for key in keys}
            if wanted:
                self._begin(self._read_wanted(source))
            try:
                states = await self._ask(source.read, keys)
            except Exception as error:  # noqa: BLE001 - it is that of all who wait
                for found in taken.values():
                    found.set_exception(error)
                    found.exception()  # else one that nobody waits for any longer is logged
                return
        for key, found in taken.items():
            found.set_result(states.get(key))

    def _begin(self, work: Coroutine[Any, Any, ResultT]) -> asyncio.Task[ResultT]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # as above
