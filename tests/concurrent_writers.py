"""Writers that start at the same moment, each in its own thread and connection."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

from ctxadmin.lib.errors import ContextError

ResultT = TypeVar("ResultT")


def together(tasks: Sequence[Callable[[], ResultT]]) -> list[ResultT | ContextError]:
    """The results of the tasks, in their order; a refusal is a result."""
    start = Barrier(len(tasks))

    def run(task: Callable[[], ResultT]) -> ResultT | ContextError:
        try:
            start.wait(timeout=20)
            return task()
        except ContextError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))
