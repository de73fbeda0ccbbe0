"""Calls that wait for a change of a conversation: one answer, or events as they come.

They hold no thread: the hub of the process wakes them, and looks itself every few seconds, should
nobody tell.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from django.http import HttpResponse
from rest_framework.exceptions import NotAuthenticated, Throttled

from checkpoints.domain.status import Status
from checkpoints.events import Event, read_events, state_at_event
from checkpoints.frames import ConversationChanged, ConversationState
from checkpoints.page_updates import of_execution
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.realtime import admission
from ctxadmin.realtime.callers import Caller
from ctxadmin.realtime.following import follow
from ctxadmin.realtime.hub import Hub
from ctxadmin.realtime.hubs import hub_here
from ctxadmin.realtime.protocol import (
    SIGNED_OUT,
    Activity,
    Change,
    Gone,
    State,
)
from ctxadmin.realtime.topics import Topic

MOST_SECONDS: Final = 60
_ALIVE: Final = b": alive\n\n"
_BEAT_SECONDS: Final = 15.0  # between signs of life of a stream in which nothing happens
_MOST_UNSENT: Final = 256


@dataclass(frozen=True, slots=True)
class WaitCondition:
    """What a call waits for: any of the statuses, and a version after this one; else any change.

    With ``execution`` of that one: it is over when another one began.
    """

    statuses: frozenset[Status]
    after_version: int | None
    execution: str | None = None

    def is_over(self, now: ConversationState) -> bool:
        """True if the execution that is meant is not the current one, and will not change."""
        return self.execution is not None and now.execution != self.execution

    def is_met(self, now: ConversationState, start: ConversationState) -> bool:
        """True if what is wanted holds; another execution has versions of its own."""
        if self.is_over(now):
            return True
        if not self.statuses and self.after_version is None:
            return now.seq > start.seq
        if self.statuses and now.status not in self.statuses:
            return False
        later = self.after_version is None or now.version > self.after_version
        return later or now.execution != start.execution


class Waiter:
    """A listener that is woken by what happens to its conversation."""

    person = None

    def __init__(self, topic: Topic, caller: Caller) -> None:
        self.topic = topic
        self.caller = caller
        self.code = 0
        self.is_gone = False
        self.heard: deque[ConversationChanged] = deque(maxlen=_MOST_UNSENT)
        self._wakes = asyncio.Event()

    def hear(self, frame: Change | Gone | Activity, text: str) -> None:
        self.is_gone = self.is_gone or isinstance(frame, Gone)
        if isinstance(frame, ConversationChanged):
            self.heard.append(frame)
        self._wakes.set()

    def catch_up(self, state: State) -> None:
        self._wakes.set()

    def see(self, text: str) -> None:
        """People are not told of here."""

    def end(self, code: int) -> None:
        self.code = code
        self._wakes.set()

    async def news(self, seconds: float) -> bool:
        """Wait for the next thing to happen; False if nothing did."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wakes.wait()
        woken = self._wakes.is_set()
        self._wakes.clear()
        return woken


def state_json(state: ConversationState, *, changed: bool) -> dict[str, object]:
    """The answer of a call that waited."""
    return {
        "status": state.status,
        "version": state.version,
        "revision": state.revision,
        "changed": changed,
    }


def answer(state: ConversationState, *, changed: bool) -> HttpResponse:
    body = dumps(state_json(state, changed=changed))
    return HttpResponse(body, content_type="application/json")


async def wait(
    topic: Topic, caller: Caller, wanted: WaitCondition, start: ConversationState, seconds: float
) -> HttpResponse:
    """The answer when what is wanted holds, or when the time is over."""
    async with _listening(topic, caller) as (hub, waiter):
        until, now = hub.loop.time() + seconds, start
        while True:
            now = _now(hub, waiter) or now
            if wanted.is_over(now):
                now = await hub.ask(of_execution, topic.key, wanted.execution or "", now)
                return answer(now, changed=True)
            if wanted.is_met(now, start):
                return answer(now, changed=True)
            left = until - hub.loop.time()
            if left <= 0 or waiter.code:
                return answer(now, changed=False)
            await waiter.news(left)


async def events(topic: Topic, caller: Caller, after: int | None) -> AsyncGenerator[bytes]:
    """The parts of a stream: where it stands or what was missed, then each change in its order."""
    async with _listening(topic, caller) as (hub, waiter):
        if waiter.code or waiter.is_gone or (now := _now(hub, waiter)) is None:
            return
        shown = now
        if after is None:
            yield _standing("state", shown)
        elif after > now.seq:
            yield _standing("reset", shown)  # that change is not on record, as after a restore
        else:
            yield _ALIVE  # the head is sent with the first part, and nothing may have been missed
            shown = await hub.ask(state_at_event, topic.key, now.id, after)
        while True:
            while waiter.heard:
                heard = _told(shown, waiter.heard.popleft())
                if heard is not None:
                    shown = heard.after
                    yield _sent(heard)
            if waiter.code:
                return
            now = None if waiter.is_gone else _now(hub, waiter)
            if now is not None and now.seq <= shown.seq:
                if not await waiter.news(_BEAT_SECONDS):
                    yield _ALIVE
                continue
            missed = await hub.ask(read_events, topic.key, shown)
            for event in missed:
                shown = event.after
                yield _sent(event)
            if now is None and not missed:
                return
            if now is not None and not missed:
                shown = now
                yield _standing("reset", shown)


@asynccontextmanager
async def _listening(topic: Topic, caller: Caller) -> AsyncIterator[tuple[Hub, Waiter]]:
    """A waiter that is told of what happens from now on, with the state of now known."""
    hub, waiter = hub_here(), Waiter(topic, caller)
    if not admission.admit(caller):
        raise Throttled(wait=5, detail="Too many calls of this caller are waiting.")
    try:
        await hub.join(waiter)
        if await hub.read(topic) is None:
            waiter.is_gone = True
        yield hub, waiter
    finally:
        admission.leave(caller)
        await hub.leave(waiter)


def _now(hub: Hub, waiter: Waiter) -> ConversationState | None:
    """Where the conversation stands; NotFound and NotAuthenticated as for any call."""
    if waiter.code == SIGNED_OUT:
        raise NotAuthenticated("The token or session is no longer valid.")
    if waiter.is_gone:
        raise NotFound(say("The conversation was erased."))
    state = hub.state_of(waiter.topic)
    return state if isinstance(state, ConversationState) else None


def _told(shown: ConversationState, frame: ConversationChanged) -> Event | None:
    """The change that a frame tells, if it is the next one and was not found by looking."""
    after = follow(shown, frame)
    if frame.who is None or after is shown or not isinstance(after, ConversationState):
        return None
    who = (frame.who.kind, frame.who.name)
    return Event(frame.what, who, after, frame.keys, frame.more_keys)


def _standing(kind: str, state: ConversationState) -> bytes:
    """Where a conversation stands, as an event."""
    return _event(kind, state, {})


def _sent(event: Event) -> bytes:
    kind, name = event.who
    data: dict[str, object] = {"what": event.what, "who": {"kind": kind, "name": name}}
    data["keys"] = list(event.keys)
    if event.more_keys:
        data["more_keys"] = True
    return _event("erased" if event.is_erasure else "changed", event.after, data)


def _event(kind: str, state: ConversationState, more: Mapping[str, object]) -> bytes:
    data = {
        "seq": state.seq,
        "execution": state.execution,
        "status": state.status,
        "version": state.version,
        "revision": state.revision,
        "count": state.count,
        **more,
    }
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (state.seq, kind.encode(), dumps(data))
