"""The socket of a page: it receives changes and reports presence; it writes nothing."""

import asyncio
import secrets
from collections import deque
from typing import Any, Final

from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import Error

from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from ctxadmin.realtime import admission
from ctxadmin.realtime.callers import Caller, caller_of, has_own_origin
from ctxadmin.realtime.hub import Hub
from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.protocol import (
    MOST_BYTES,
    NOT_FOUND,
    SIGNED_OUT,
    TOO_MANY,
    UNAVAILABLE,
    UNREADABLE,
    Activity,
    Change,
    Gone,
    Here,
    Person,
    State,
    Welcome,
)
from ctxadmin.realtime.topics import WORKSPACE, Topic, source_of

_MOST_UNSENT: Final = 64  # frames for a slow client; the oldest go first and leave a gap
_MOST_MESSAGES: Final = 20  # frames of a client in the time below
_MESSAGE_SECONDS: Final = 5.0


class PageSocket(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """One open page, as a listener of the hub.

    Frames wait in a short queue of its own, so that a slow client delays nobody else.
    """

    channel_layer_alias = "none"  # the hub hears for all sockets of the process

    topic: Topic
    caller: Caller
    hub: Hub

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.id = secrets.token_hex(6)
        self._here = Here(type="here", where="")
        self._unsent: deque[str] = deque(maxlen=_MOST_UNSENT)
        self._people = ""
        self._code = 0
        self._wakes = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._message_times: deque[float] = deque(maxlen=_MOST_MESSAGES)
        self._is_admitted = False
        self._is_welcome = False  # nothing is sent before the welcome

    @property
    def person(self) -> Person | None:
        actor = self.caller.actor
        if actor.kind != "person" or self.topic.kind == WORKSPACE:
            return None
        here = self._here
        return Person(
            socket=self.id,
            id=actor.id,
            name=actor.name,
            where=here.where,
            editing=here.editing,
            keys=here.keys,
            kept=here.kept,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._clean_up()

    async def connect(self) -> None:
        if not has_own_origin(self.scope):
            await self.close()  # before it is accepted: an answer of 403
            return
        await self.accept()
        self.hub = current_hub()
        try:
            found = await self.hub.query(caller_of, self.scope["headers"], self._address())
            if found is None:
                await self.close(SIGNED_OUT)
                return
            self.caller = found
            if not admission.admit(found):
                await self.close(TOO_MANY)
                return
            self._is_admitted = True
            await self._follow()
        except NotFound:
            await self.close(NOT_FOUND)
        except Error:
            await self.close(UNAVAILABLE)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        now = self.hub.loop.time()
        busy = (
            len(self._message_times) == _MOST_MESSAGES
            and now - self._message_times[0] < _MESSAGE_SECONDS
        )
        self._message_times.append(now)
        if busy:
            self.end(TOO_MANY)
            return
        try:
            if text_data is None or len(text_data) > MOST_BYTES:
                raise ValueError
            presence = Here.model_validate_json(text_data)
        except ValueError:  # pydantic's is one
            self.end(UNREADABLE)
            return
        if presence != self._here and self._writer is not None:
            self._here = presence
            self.hub.people_changed(self.topic)

    async def _clean_up(self) -> None:
        """Removes all traces, however the socket ended."""
        if self._is_admitted:
            self._is_admitted = False
            admission.release(self.caller)
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)  # the client may be gone
            await self.hub.remove(self)

    def on_change(self, frame: Change | Gone | Activity, text: str) -> None:
        self._unsent.append(text)
        self._wakes.set()

    def catch_up(self, state: State) -> None:
        """Ignores the state: the same change arrives as a frame."""

    def on_presence(self, text: str) -> None:
        self._people = text
        self._wakes.set()

    def end(self, code: int) -> None:
        self._code = self._code or code
        self._wakes.set()

    async def _follow(self) -> None:
        kind, name = self._named()
        actor = self.caller.actor
        source = source_of(kind)
        state: State | None = None
        if source is not None:
            key, state = await self.hub.query(source.find, actor, name)
            self.topic = Topic(kind, key, actor.workspace)
        elif kind == WORKSPACE:
            self.topic = Topic(kind, actor.workspace, actor.workspace)
        else:
            raise NotFound(say("There is no such object."))
        self._writer = self.hub.loop.create_task(self._write())
        await self.hub.add(self, state)
        if source is not None:  # what changed before it was listened to is in no frame
            _, state = await self.hub.query(source.find, actor, name)
        self._unsent.appendleft(
            Welcome(
                socket=self.id,
                person=actor.id,
                scopes=tuple(sorted(scope.value for scope in actor.scopes)),
                state=state,
            ).model_dump_json()
        )
        self._is_welcome = True
        self._wakes.set()

    async def _write(self) -> None:
        """Sends queued frames in order; the last action is to close."""
        while True:
            await self._wakes.wait()
            self._wakes.clear()
            while self._is_welcome and self._unsent and not self._code:
                await self.send(self._unsent.popleft())
            if self._code:
                await self.close(self._code)
                return
            if self._is_welcome and self._people:
                text, self._people = self._people, ""
                await self.send(text)

    def _named(self) -> tuple[str, str]:
        places = self.scope["url_route"]["kwargs"]
        return places.get("kind", WORKSPACE), places.get("name", "")

    def _address(self) -> str:
        client = self.scope.get("client")
        return client[0] if client else ""
