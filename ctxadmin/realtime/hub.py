"""One hub for each process: it receives changes once and passes them to all listeners here.

Channels' layers would deliver a change to every socket through a queue of its own, and on Redis the
process would unpack it for each. Here the process is in the group of a workspace once, and a frame
is built once. The hub also polls: a change that nobody announced, because Redis is down or a
process died, is found by one statement for all followed objects.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

from channels.layers import BaseChannelLayer, InMemoryChannelLayer, get_channel_layer
from django.db import Error, close_old_connections

from ctxadmin.realtime import rights
from ctxadmin.realtime.followed import Followed
from ctxadmin.realtime.listeners import Listener
from ctxadmin.realtime.messages import (
    EVERYBODY,
    Announced,
    HereNow,
    Message,
    Rights,
    WhoIsThere,
    group_of_workspace,
    pack_all,
    unpacked,
)
from ctxadmin.realtime.presence import TOLD_EVERY
from ctxadmin.realtime.protocol import GOING_DOWN, State
from ctxadmin.realtime.sending import PATIENCE, MessageSender
from ctxadmin.realtime.shared_reads import SharedReads
from ctxadmin.realtime.topics import WORKSPACE, Topic, source_of

logger = logging.getLogger(__name__)
P = ParamSpec("P")
ResultT = TypeVar("ResultT")

LOOK_EVERY: Final = 15.0  # seconds, where all processes are heard
LOOK_ALONE_EVERY: Final = 2.0  # where others may write who are not
HEAR_OWN_EVERY: Final = 5.0
ASK_RIGHTS_EVERY: Final = 30.0
ASK_RIGHTS_ALONE_EVERY: Final = 5.0
_THREADS: Final = 2  # for what the loop asks of the database: seldom and short


class Hub:
    """What one event loop follows. All methods except ``deliver`` are called on that loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.process = secrets.token_hex(8)
        self.loop = loop
        self.look_every = 0.0  # if not 0, instead of the times above
        self.is_closed = False
        self._is_running = False
        self.closing: asyncio.Task[None] | None = None
        self._followed: dict[Topic, Followed] = {}
        self._groups: dict[str, int] = {}
        self._channel = ""
        self._receiving: asyncio.Task[None] | None = None
        self._own_is_due = False  # what it told itself did not come back yet
        self._joining = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sockets")
        layer = get_channel_layer()
        shared = layer is not None and not isinstance(layer, InMemoryChannelLayer)
        self._layer: BaseChannelLayer | None = layer if shared else None
        self._sender = MessageSender(self.process, self._layer)
        self._news = asyncio.Event()
        self.reads = SharedReads(self.query)
        self._reads_of_feeds: dict[int, SharedReads] = {}

    @property
    def is_shared(self) -> bool:
        """Returns True if changes of other processes arrive, as far as is known."""
        return self._layer is not None and not self._sender.is_down

    async def query(
        self, call: Callable[P, ResultT], /, *args: P.args, **kwargs: P.kwargs
    ) -> ResultT:
        """Runs a database query in a thread that keeps its connection.

        After ``close`` other threads serve the remaining requests.
        """
        pool = None if self.is_closed else self._pool
        return await self.loop.run_in_executor(pool, partial(_fresh, call, *args, **kwargs))

    def deliver(self, messages: Sequence[Message]) -> None:
        """Sends messages to everyone; from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self.loop.call_soon_threadsafe(self._spread, messages)

    async def add(self, listener: Listener, state: State | None = None) -> None:
        """Adds a listener for future changes.

        After ``close`` it only learns that the server ends.
        """
        await self._hear(EVERYBODY)
        await self._hear(group_of_workspace(listener.topic.workspace))
        followed = self._followed.get(listener.topic)
        if followed is None:
            followed = self._followed[listener.topic] = Followed(listener.topic, self._lost)
            if listener.topic.kind != WORKSPACE:
                self._sender.put(WhoIsThere(listener.topic))
        followed.add(listener, state)
        if listener.person is not None:
            self.people_changed(listener.topic)
        if self.is_closed:
            listener.end(GOING_DOWN)
        else:
            self._start()

    async def remove(self, listener: Listener) -> None:
        """Removes a listener."""
        followed = self._followed.get(listener.topic)
        if followed is None or not followed.remove(listener):
            return
        if listener.person is not None:
            self.people_changed(listener.topic)
        if followed.is_empty:
            self._followed.pop(listener.topic, None)
        await self._unhear(group_of_workspace(listener.topic.workspace))
        await self._unhear(EVERYBODY)

    def state_of(self, topic: Topic) -> State | None:
        """Returns the state of an object as far as this process knows.

        None if it is not followed.
        """
        followed = self._followed.get(topic)
        return None if followed is None else followed.state

    def reads_of_feed(self, workspace: int) -> SharedReads:
        """Returns the reads of a workspace's feed, which hold up no others."""
        return self._reads_of_feeds.setdefault(workspace, SharedReads(self.query))

    async def read(self, topic: Topic) -> State | None:
        """Reads the state of an object from the database, for all followers; None if it is gone."""
        source = source_of(topic.kind)
        if source is None:
            return None
        state = await self.reads.state(source, topic.key)
        followed = self._followed.get(topic)
        if followed is not None:
            followed.store_state(state)
        return state

    def listeners(self) -> list[Listener]:
        return [each for followed in self._followed.values() for each in followed.listeners]

    def people_changed(self, topic: Topic) -> None:
        """Handles a person who came, left, or looks at something else."""
        followed = self._followed.get(topic)
        if followed is None:
            return
        self._sender.put(HereNow(topic, self.process, followed.people()))
        followed.show_people_soon(self.loop)

    async def poll(self) -> None:
        """Polls all followed objects, and sends changes that nobody announced."""
        by_kind: dict[str, dict[int, Followed]] = {}
        for topic, followed in self._followed.items():
            by_kind.setdefault(topic.kind, {})[topic.key] = followed
        for kind, found in by_kind.items():
            source = source_of(kind)
            if source is None:
                continue
            states = await self.query(source.read, sorted(found))
            for key, followed in found.items():
                followed.store_state(states.get(key))

    async def flush(self) -> None:
        """Waits until everything carried is sent, or cannot be."""
        await self._sender.flush()

    async def close(self) -> None:
        """Tells all listeners that the server ends, and stops."""
        self.is_closed = True
        for listener in self.listeners():
            listener.end(GOING_DOWN)
        for task in list(self._tasks):
            task.cancel()
        await self._sender.close()
        self._pool.shutdown(wait=False)

    def _spread(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._handle(message)
            self._sender.put(message)
        self._start()

    def _handle(self, message: Message) -> None:
        match message:
            case Announced(topic, frame, activity):
                if (followed := self._followed.get(topic)) is not None:
                    followed.send_to_all(frame)
                if (listing := self._followed.get(_listing(topic))) is not None:
                    listing.send_to_all(activity)
            case Rights(kind, name):
                self._begin(self._ask_rights(rights.recheck(self, kind, name)))
            case HereNow(topic, process, people):
                followed = self._followed.get(topic)
                if followed and followed.elsewhere.report(process, people, self.loop.time()):
                    followed.show_people_soon(self.loop)
            case WhoIsThere(topic):
                if (followed := self._followed.get(topic)) is not None and followed.people():
                    self._sender.put(HereNow(topic, self.process, followed.people()))

    def _lost(self, followed: Followed) -> None:
        """Reads the object once for all listeners, because changes were missed."""
        self._begin(self._read_again(followed))

    async def _read_again(self, followed: Followed) -> None:
        with _database_away():
            await self.read(followed.topic)

    async def _hear(self, group: str) -> None:
        self._groups[group] = self._groups.get(group, 0) + 1
        if self._layer is None or self._groups[group] > 1:
            return
        await self._enter(self._layer, group)

    async def _enter(self, layer: BaseChannelLayer, group: str) -> None:
        """Joins a group of the layer; postponed while it is down."""
        if self._sender.is_down:
            return
        async with self._joining:
            with _not_there(self._sender):
                if not self._channel:
                    self._channel = await layer.new_channel()
                    self._receiving = self._begin(self._receive(layer, self._channel))
                await layer.group_add(group, self._channel)

    async def _unhear(self, group: str) -> None:
        self._groups[group] -= 1
        if self._groups[group]:
            return
        del self._groups[group]
        if self._layer is not None and self._channel:
            async with self._joining:
                if group not in self._groups:
                    with _not_there(self._sender):
                        await self._layer.group_discard(group, self._channel)

    async def _receive(self, layer: BaseChannelLayer, channel: str) -> None:
        """Receives the messages of other processes, for the life of this one."""
        while True:
            packed = await layer.receive(channel)
            if packed.get("from") == self.process:
                self._own_is_due = False
                continue
            try:
                messages = [unpacked(each) for each in packed["all"]]
            except (ValueError, KeyError, TypeError):
                logger.warning("A message of another process cannot be read.")
                continue
            for message in messages:
                if message is not None:
                    self._handle(message)

    def _start(self) -> None:
        """Starts the background tasks on first use."""
        self._news.set()
        if not self._is_running:
            self._is_running = True
            self._begin(self._sender.run())
            self._begin(self._poll())
            if self._layer is not None:
                self._begin(self._test_connection(self._layer))
            self._begin(self._report_presence())

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
        if self.is_closed:
            work.close()
            return None
        task = self.loop.create_task(_log_failure(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # if it was cancelled before it began
        return task

    async def _poll(self) -> None:
        while True:
            alone = LOOK_EVERY if self.is_shared else LOOK_ALONE_EVERY
            await self._sender.wait_for_turn(self.look_every or alone)
            if not self._followed:
                self._news.clear()
                await self._news.wait()
            with _database_away():
                await self.poll()
            if self._layer is not None and self._sender.has_recovered():
                await self._hear_again(self._layer)

    async def _hear_again(self, layer: BaseChannelLayer) -> None:
        """Joins all groups with a new connection.

        The former one may wait indefinitely for a server that hangs, while another answers; and
        later groups could not be joined.
        """
        async with self._joining:
            with _not_there(self._sender):
                await layer.flush()
            if self._receiving is not None:
                self._receiving.cancel()
            self._channel, self._own_is_due = "", False
        for group in list(self._groups):
            await self._enter(layer, group)

    async def _test_connection(self, layer: BaseChannelLayer) -> None:
        """Sends messages to itself: a silent connection makes no error."""
        while True:
            await asyncio.sleep(HEAR_OWN_EVERY)
            if self._sender.is_down or not self._channel:
                continue
            if self._own_is_due:
                await self._hear_again(layer)
                continue
            self._own_is_due = True
            with _not_there(self._sender):
                async with asyncio.timeout(PATIENCE):
                    await layer.send(self._channel, pack_all(self.process, []))

    async def _report_presence(self) -> None:
        """Announces the people here to other processes, and checks who may still listen."""
        asked = reported_at = self.loop.time()
        while True:
            await asyncio.sleep(ASK_RIGHTS_ALONE_EVERY)
            now = self.loop.time()
            if now - reported_at >= TOLD_EVERY:
                reported_at = now
                self._announce_people()
            if not self.is_shared or now - asked >= ASK_RIGHTS_EVERY:
                asked = now
                await self._ask_rights(rights.recheck_all(self))

    def _announce_people(self) -> None:
        for topic, followed in self._followed.items():
            if people := followed.people():
                self._sender.put(HereNow(topic, self.process, people))
            if followed.elsewhere.expire(self.loop.time()):
                followed.show_people_soon(self.loop)

    async def _ask_rights(self, question: Coroutine[Any, Any, None]) -> None:
        with _database_away():
            await question


def _listing(topic: Topic) -> Topic:
    return Topic(WORKSPACE, topic.workspace, topic.workspace)


def _fresh(call: Callable[P, ResultT], /, *args: P.args, **kwargs: P.kwargs) -> ResultT:
    close_old_connections()
    return call(*args, **kwargs)


async def _log_failure(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:  # the outermost loop of work that nobody waits for
        logger.exception("the task that follows changes failed")


@contextlib.contextmanager
def _database_away() -> Iterator[None]:
    try:
        yield
    except Error as error:
        logger.warning("The followed objects cannot be read now: %s", type(error).__name__)


@contextlib.contextmanager
def _not_there(sender: MessageSender) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever a layer raises, it is down
        sender.record_failure(error)
