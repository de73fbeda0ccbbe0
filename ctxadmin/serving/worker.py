"""A worker that is forked from its supervisor, which has imported the program already.

The import takes 2.8 s of processor time, which each worker spent when it began as a new program.
"""

import logging
import signal
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context
from socket import socket
from typing import Final

from uvicorn import Config
from uvicorn.supervisors.multiprocess import SIGNALS, Process

log: Final = logging.getLogger(__name__)
_FORK: Final = get_context("fork")


def preload(config: Config) -> None:
    """Imports what workers serve, so that they share its memory.

    If that fails, so will each of them.
    """
    try:
        import_module(str(config.app).partition(":")[0])
    except Exception:
        log.exception("The program could not be imported.")


class Worker(Process):
    """Uvicorn's worker process, forked instead of spawned.

    Signals are blocked meanwhile: one for the worker would be handled by the inherited handlers of
    its supervisor, and lost.
    """

    def __init__(self, config: Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        self.process = _FORK.Process(target=self._begin, args=(sockets,))  # type: ignore[assignment]

    def start(self) -> None:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def _begin(self, sockets: list[socket]) -> None:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        with suppress(KeyboardInterrupt):
            self.target(sockets)
