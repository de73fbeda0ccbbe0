"""Calls of LangGraph that a saver lacks; their errors name what to use instead."""

from collections.abc import Iterator
from typing import Any, NoReturn


class AsyncOtherCalls:
    """The calls for threads, of the saver for asyncio."""

    def get_tuple(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("CtxAdminSaver(Client(...))", "invoke, stream and get_state")

    def list(self, *_: Any, **__: Any) -> Iterator[NoReturn]:
        self.get_tuple()

    put = put_writes = delete_thread = delete_for_runs = copy_thread = prune = get_tuple


class OtherCalls:
    """The calls for asyncio, of the saver for threads."""

    async def aget_tuple(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("AsyncCtxAdminSaver(AsyncClient(...))", "ainvoke, astream and aget_state")

    async def alist(self, *_: Any, **__: Any) -> Any:
        await self.aget_tuple()
        yield

    aput = aput_writes = adelete_thread = adelete_for_runs = acopy_thread = aprune = aget_tuple


def _refuse(saver: str, calls: str) -> NoReturn:
    raise NotImplementedError(f"For {calls} compile the graph with {saver}.")
