"""Runs LangGraph's suite for savers with both savers, and prints passed and failed tests as JSON.

python conformance.py URL ENGINE_TOKEN
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.langgraph import AsyncCtxAdminSaver, CtxAdminSaver
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.conformance import checkpointer_test, validate

URL, TOKEN = sys.argv[1:3]


class InThreads(BaseCheckpointSaver[int]):
    """The saver for threads as the suite takes one."""

    def __init__(self, saver: CtxAdminSaver) -> None:
        super().__init__()
        self.saver = saver

    async def aget_tuple(self, *given: Any, **named: Any) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.saver.get_tuple, *given, **named)

    async def alist(self, *given: Any, **named: Any) -> AsyncIterator[CheckpointTuple]:
        for each in await asyncio.to_thread(lambda: [*self.saver.list(*given, **named)]):
            yield each

    async def aput(self, *given: Any, **named: Any) -> Any:
        return await asyncio.to_thread(self.saver.put, *given, **named)

    async def aput_writes(self, *given: Any, **named: Any) -> None:
        await asyncio.to_thread(self.saver.put_writes, *given, **named)

    async def adelete_thread(self, *given: Any) -> None:
        await asyncio.to_thread(self.saver.delete_thread, *given)

    async def adelete_for_runs(self, *given: Any) -> None:
        await asyncio.to_thread(self.saver.delete_for_runs, *given)

    async def acopy_thread(self, *given: Any) -> None:
        await asyncio.to_thread(self.saver.copy_thread, *given)

    async def aprune(self, *given: Any, **named: Any) -> None:
        await asyncio.to_thread(self.saver.prune, *given, **named)


@checkpointer_test(name="asyncio")
async def for_asyncio() -> AsyncIterator[BaseCheckpointSaver[int]]:
    async with AsyncClient(URL, TOKEN) as client:
        yield AsyncCtxAdminSaver(client)


@checkpointer_test(name="threads")
async def for_threads() -> AsyncIterator[BaseCheckpointSaver[int]]:
    with Client(URL, TOKEN) as client:
        yield InThreads(CtxAdminSaver(client))


def main() -> None:
    told: dict[str, Any] = {}
    for saver in (for_asyncio, for_threads):
        report = asyncio.run(validate(saver))
        told[saver.name] = {
            name: {"passed": result.tests_passed, "failures": list(result.failures or ())}
            for name, result in report.results.items()
        }
    print(json.dumps(told))


main()
