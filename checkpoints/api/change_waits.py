"""Waits for a change of a conversation, with one answer or a stream of events.

A wait holds no thread: the hub of the process wakes it. The hub also polls every few seconds, in
case a notification is lost.
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
from checkpoints.events.conversation import Event, read_events, read_events_after
from checkpoints.events.frames import ConversationChanged, ConversationState
from checkpoints.events.page_updates import of_execution
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.realtime import admission
from ctxadmin.realtime.callers import Caller
from ctxadmin.realtime.following import next_state
from ctxadmin.realtime.hub import Hub
from ctxadmin.realtime.hubs import current_hub
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
    """The condition that ends a wait: one of the statuses and a version after this one.

    Without both, any change ends it. With ``execution``, it also ends when another execution
    starts.
    """

    statuses: frozenset[Status]
    after_version: int | None
    execution: str | None = None

    def is_over(self, now: ConversationState) -> bool:
        """Returns whether the requested execution is no longer current, so that it cannot
        change.
        """
        return self.execution is not None and now.execution != self.execution

    def is_met(self, now: ConversationState, start: ConversationState) -> bool:
        """Returns whether the condition is met; another execution has versions of its own."""
        if self.is_over(now):
            return True
        if not self.statuses and self.after_version is None:
            return now.seq > start.seq
        if self.statuses and now.status not in self.statuses:
            return False
        later = self.after_version is None or now.version > self.after_version
        return later or now.execution != start.execution


class Waiter:
    """A listener that wakes when its conversation changes."""

    person = None

    def __init__(self, topic: Topic, caller: Caller) -> None:
        self.topic = topic
        self.caller = caller
        self.code = 0
        self.is_gone = False
        self.heard: deque[ConversationChanged] = deque(maxlen=_MOST_UNSENT)
        self._wakes = asyncio.Event()

    def on_change(self, frame: Change | Gone | Activity, text: str) -> None:
        self.is_gone = self.is_gone or isinstance(frame, Gone)
        if isinstance(frame, ConversationChanged):
            self.heard.append(frame)
        self._wakes.set()

    def catch_up(self, state: State) -> None:
        self._wakes.set()

    def on_presence(self, text: str) -> None:
        """Ignores presence: a wait has no use for it."""

    def end(self, code: int) -> None:
        self.code = code
        self._wakes.set()

    async def wait_for_change(self, seconds: float) -> bool:
        """Waits for the next notification; returns False if none arrived in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wakes.wait()
        woken = self._wakes.is_set()
        self._wakes.clear()
        return woken


def state_json(state: ConversationState, *, changed: bool) -> dict[str, object]:
    """Returns the JSON answer of a wait."""
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
    """Returns the answer when the condition is met or the time is over."""
    async with _listening(topic, caller) as (hub, waiter):
        until, now = hub.loop.time() + seconds, start
        while True:
            now = _current_state(hub, waiter) or now
            if wanted.is_over(now):
                now = await hub.query(of_execution, topic.key, wanted.execution or "", now)
                return answer(now, changed=True)
            if wanted.is_met(now, start):
                return answer(now, changed=True)
            left = until - hub.loop.time()
            if left <= 0 or waiter.code:
                return answer(now, changed=False)
            await waiter.wait_for_change(left)


async def events(topic: Topic, caller: Caller, after: int | None) -> AsyncGenerator[bytes]:
    """Yields a stream: the current state or the missed changes, then each change in order."""
    async with _listening(topic, caller) as (hub, waiter):
        if waiter.code or waiter.is_gone or (now := _current_state(hub, waiter)) is None:
            return
        shown = now
        if after is None:
            yield _state_event("state", shown)
        elif after > now.seq:
            yield _state_event("reset", shown)  # that change is not on record, as after a restore
        else:
            yield _ALIVE  # the head is sent with the first part, and nothing may have been missed
            name = (topic, after)
            shown, missed = await hub.reads.once(name, read_events_after, topic.key, now.id, after)
            for event in missed:
                shown = event.after
                yield _sent(event)
        while True:
            while waiter.heard:
                change = _change_in(shown, waiter.heard.popleft())
                if change is not None:
                    shown = change.after
                    yield _sent(change)
            if waiter.code:
                return
            now = None if waiter.is_gone else _current_state(hub, waiter)
            if now is not None and now.seq <= shown.seq:
                if not await waiter.wait_for_change(_BEAT_SECONDS):
                    yield _ALIVE
                continue
            missed = await hub.reads.once((topic, shown), read_events, topic.key, shown)
            for event in missed:
                shown = event.after
                yield _sent(event)
            if now is None and not missed:
                return
            if now is not None and not missed:
                shown = now
                yield _state_event("reset", shown)


@asynccontextmanager
async def _listening(topic: Topic, caller: Caller) -> AsyncIterator[tuple[Hub, Waiter]]:
    """Returns a subscribed waiter and the current state of its conversation."""
    hub, waiter = current_hub(), Waiter(topic, caller)
    if not admission.admit(caller):
        raise Throttled(wait=5, detail="Too many calls of this caller are waiting.")
    try:
        await hub.add(waiter)
        if await hub.read(topic) is None:
            waiter.is_gone = True
        yield hub, waiter
    finally:
        admission.release(caller)
        await hub.remove(waiter)


def _current_state(hub: Hub, waiter: Waiter) -> ConversationState | None:
    """Returns the state of the conversation.

    Raises NotFound and NotAuthenticated, as any request does.
    """
    if waiter.code == SIGNED_OUT:
        raise NotAuthenticated("The token or session is no longer valid.")
    if waiter.is_gone:
        raise NotFound(say("The conversation was erased."))
    state = hub.state_of(waiter.topic)
    return state if isinstance(state, ConversationState) else None


def _change_in(shown: ConversationState, frame: ConversationChanged) -> Event | None:
    """Returns the change in a frame if it is the next one and was not yet found by polling."""
    after = next_state(shown, frame)
    if frame.who is None or after is shown or not isinstance(after, ConversationState):
        return None
    who = (frame.who.kind, frame.who.name)
    return Event(frame.what, who, after, frame.keys, frame.more_keys)


def _state_event(kind: str, state: ConversationState) -> bytes:
    """Returns the state of a conversation as an event."""
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
