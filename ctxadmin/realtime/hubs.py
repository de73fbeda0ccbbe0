"""The hubs of this process: one for each event loop, and one for commands without a loop."""

import asyncio
import atexit
import contextlib
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from types import FrameType
from typing import Any, Final

from django.conf import settings

from ctxadmin.lib.finding import Finding
from ctxadmin.realtime.hub import Hub
from ctxadmin.realtime.messages import Message

_hubs: Final[dict[asyncio.AbstractEventLoop, Hub]] = {}
_beside_lock: Final = threading.Lock()
_LAST_WORDS: Final = 2.0  # seconds that the end of a command may take for what is not sent yet


def current_hub() -> Hub:
    """Returns the hub of the running loop; creates it on first use."""
    loop = asyncio.get_running_loop()
    found = _hubs.get(loop)
    if found is None:
        for ended in [each for each in _hubs if each.is_closed()]:
            del _hubs[ended]
        found = _hubs[loop] = Hub(loop)
        _close_at_the_end(found)
    return found


def remove_hub(hub: Hub) -> None:
    """Removes a hub whose loop is about to end."""
    _hubs.pop(hub.loop, None)


def deliver(messages: Sequence[Message]) -> None:
    """Passes messages to all hubs; from any thread."""
    if not _hubs and settings.CHANNEL_REDIS is not None:
        _start_own_loop()
    for hub in tuple(_hubs.values()):
        hub.deliver(messages)


def findings() -> list[Finding]:
    """Returns the finding for /readyz: whether changes of other processes arrive."""
    if settings.CHANNEL_REDIS is None:
        text = (
            "Open pages receive the changes of their own process at once; those of other processes "
            "are polled."
        )
        return [Finding("channels", "ok", text)]
    if all(hub.is_shared for hub in tuple(_hubs.values())):
        return [Finding("channels", "ok", "Processes receive each other's changes through Redis.")]
    text = "Redis is down: processes poll for each other's changes, which takes seconds."
    fix = "Check Redis, CHANNEL_REDIS_URL and REDIS_URL."
    return [Finding("channels", "warning", text, fix)]


def _close_at_the_end(hub: Hub) -> None:
    """Releases listeners as soon as the server is told to stop, before it waits for them."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(name)
        if callable(before):
            signal.signal(name, _closing_first(hub, before))


def _closing_first(
    hub: Hub, before: Callable[[int, FrameType | None], Any]
) -> Callable[[int, FrameType | None], None]:
    def ended(number: int, frame: FrameType | None) -> None:
        if not hub.loop.is_closed():
            hub.loop.call_soon_threadsafe(_close, hub)
        before(number, frame)

    return ended


def _close(hub: Hub) -> None:
    if not hub.is_closed:
        hub.closing = hub.loop.create_task(hub.close())


def _start_own_loop() -> None:
    """Starts a loop of its own for a command, so that its changes are announced, too."""
    with _beside_lock:
        if _hubs:
            return
        begun = threading.Event()
        loop = asyncio.new_event_loop()

        def run() -> None:
            asyncio.set_event_loop(loop)
            loop.call_soon(current_hub)
            loop.call_soon(begun.set)
            loop.run_forever()

        threading.Thread(target=run, name="sockets", daemon=True).start()
        begun.wait(_LAST_WORDS)
        atexit.register(_flush_and_close, loop)


def _flush_and_close(loop: asyncio.AbstractEventLoop) -> None:
    hub = _hubs.get(loop)
    if hub is not None:
        with contextlib.suppress(TimeoutError, CancelledError, RuntimeError):
            asyncio.run_coroutine_threadsafe(hub.flush(), loop).result(_LAST_WORDS)
