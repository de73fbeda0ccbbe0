"""The feed of a workspace: pages of JSON, or a stream."""

from collections.abc import AsyncGenerator
from functools import partial
from typing import ClassVar, Final

from django.http import HttpResponse
from pydantic import Field
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from checkpoints.api.change_wait_views import AnyNegotiation
from checkpoints.api.change_waits import Waiter
from checkpoints.domain.status import Status
from checkpoints.domain.usage import ModelUsage
from checkpoints.events import feed
from checkpoints.events.feed import FeedQuery
from conversations.api.endpoints import json_answer
from conversations.workspace.feed import last_position
from ctxadmin.http.described import (
    DIGITS,
    NAME,
    Answer,
    FromZero,
    Parameter,
    Time,
    described,
    one_or_more_of,
)
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.requests.deferred_response import DeferredResponse
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.realtime import admission
from ctxadmin.realtime.callers import Caller, caller_of_request
from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.topics import WORKSPACE, Topic

_STREAM: Final = "text/event-stream"
_MOST_KINDS: Final = 50
_BEAT_SECONDS: Final = 15.0
_QUERY: Final = (
    Parameter(
        "after",
        "The cursor behind which to go on; the oldest kept change without one.",
        limits=DIGITS,
    ),
    Parameter("workflow", "Only conversations of this workflow.", limits=NAME),
    Parameter(
        "kinds",
        "Only these kinds of changes: `execution,messages.append`.",
        limits=one_or_more_of(sorted(feed.KINDS)),
    ),
    Parameter(
        "status",
        "Only changes that led to one of these statuses, with commas between.",
        limits=one_or_more_of(Status),
    ),
    Parameter(
        "limit",
        "Number of events at most.",
        int,
        limits={"minimum": 1, "maximum": feed.MOST, "default": 100},
    ),
)
_LAST: Final = Parameter(
    "Last-Event-ID",
    "The cursor of the last event received, instead of `after`.",
    place="header",
    limits=DIGITS,
)


class WhoAnswer(Answer):
    """The author of a change: a `token`, a `person` or the `system`."""

    kind: str = Field(description="`token`, `person` or `system`.", examples=["token"])
    name: str = Field(description="Name of the token, person or process.", examples=["engine"])


class FeedEventAnswer(Answer):
    """One change of a conversation.

    Only changes that wrote a version have `execution` to `keys`.
    """

    cursor: str = Field(description="Place in the feed; send it as `after`.", examples=["120"])
    conversation: str = Field(description="Id of the conversation.", examples=["support-42"])
    seq: FromZero = Field(description="Number of the change in its conversation.", examples=[8])
    what: str = Field(
        description="Name of the change, as in the audit.", examples=["messages.append"]
    )
    who: WhoAnswer = Field(description="Who made it.")
    at: Time = Field(description="When it was made (ISO 8601, UTC).")
    revision: FromZero | None = Field(
        None, description="Revision of the view after it.", examples=[3]
    )
    count: FromZero | None = Field(
        None, description="Number of visible messages after it.", examples=[12]
    )
    execution: str | None = Field(
        None, description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"]
    )
    version: FromZero | None = Field(None, description="Version that it wrote.", examples=[13])
    status: str | None = Field(None, description="Status that it led to.", examples=["RUNNING"])
    keys: list[str] | None = Field(
        None, description="Names of the state keys that it changed.", examples=[["draft"]]
    )
    more_keys: bool | None = Field(
        None, description="Whether it changed more keys than are listed."
    )
    usage: ModelUsage | None = Field(None, description="What the model of a step used.")


class CursorAnswer(Answer):
    """The data of `state` and `reset` in a stream of the feed."""

    cursor: str = Field(description="Place in the feed; send it as `after`.", examples=["120"])


class FeedAnswer(Answer):
    """A page of the feed. `next` is the cursor of the next request, also at the end of the feed.

    `reset`: changes after the given cursor are no longer on record.
    """

    results: list[FeedEventAnswer] = Field(description="The changes, oldest first.")
    next: str = Field(description="Cursor of the next call, always given.", examples=["120"])
    more: bool = Field(description="Whether there is more now.")
    reset: bool = Field(description="Whether changes after the given cursor are lost.")


class Events(Endpoint):
    content_negotiation_class = AnyNegotiation
    keep_answers: ClassVar[bool] = False

    @described(
        "Follow the changes of all conversations",
        answer=FeedAnswer,
        query=_QUERY,
        headers=(_LAST,),
        errors=("rate_limited",),
        answer_types=("application/json", _STREAM),
        event=FeedEventAnswer | CursorAnswer,
    )
    def get(self, request: Request) -> HttpResponse:
        """Lists every committed change at least once, those of one conversation in order.

        The cursor never skips a change that is committed later. With `Accept: text/event-stream`
        the same events arrive as they happen, each with its cursor as id; without a cursor the
        stream begins with `state`, which has the current cursor. An erased conversation leaves one
        event, `conversation.erase`. Changes are kept for 30 days.
        """
        wanted, workspace = self._query_of(request), self.actor.workspace
        after = self._cursor(request)
        if _STREAM in request.headers.get("Accept", ""):
            caller = caller_of_request(request._request, self.actor)
            work = partial(_stream, workspace, caller, after, wanted)
            stream = DeferredResponse(work, content_type=_STREAM)
            stream["Cache-Control"] = "no-store"
            stream["X-Accel-Buffering"] = "no"
            return stream
        part = feed.read(workspace, after or 0, wanted, self._limit())
        return json_answer(
            dumps(
                {
                    "results": [event.as_json() for event in part.events],
                    "next": str(part.cursor),
                    "more": part.has_more,
                    "reset": part.is_reset,
                }
            )
        )

    def _query_of(self, request: Request) -> FeedQuery:
        kinds = _listed(request, "kinds")
        if len(kinds) > _MOST_KINDS:
            raise ValidationFailed.at(
                "?kinds", say("send at most {most_kinds} kinds", most_kinds=_MOST_KINDS)
            )
        if unknown_kinds := sorted(kinds - feed.KINDS):
            known = ", ".join(sorted(feed.KINDS))
            text = say(
                "There is no kind {unknown_kinds}; known: {known}.",
                unknown_kinds=repr(unknown_kinds[0][:32]),
                known=known,
            )
            raise ValidationFailed.at("?kinds", text)
        statuses = _listed(request, "status")
        if unknown := sorted(statuses - set(Status)):
            text = say(
                "There is no status {unknown}; known: {status}.",
                unknown=repr(unknown[0][:32]),
                status=", ".join(Status),
            )
            raise ValidationFailed.at("?status", text)
        return FeedQuery(request.query_params.get("workflow", ""), kinds, statuses)

    def _limit(self) -> int:
        limit = self.query_int("limit", 100)
        if limit is None or not 1 <= limit <= feed.MOST:
            text = say("limit must be a number from 1 to {most}.", most=feed.MOST)
            raise ValidationFailed.at("?limit", text)
        return limit

    def _cursor(self, request: Request) -> int | None:
        header, query = request.headers.get("Last-Event-ID"), request.query_params.get("after")
        for name, text in (("Last-Event-ID", header), ("?after", query)):
            if text is None:
                continue
            cursor = whole_number(text, digits=18)
            if cursor is None:
                raise ValidationFailed.at(name, say("This is not the cursor of an event."))
            return cursor
        return None


def _listed(request: Request, name: str) -> frozenset[str]:
    return frozenset(each for each in request.query_params.get(name, "").split(",") if each)


async def _stream(
    workspace: int, caller: Caller, after: int | None, wanted: FeedQuery
) -> AsyncGenerator[bytes]:
    """Yields a stream: the missed changes, then each change in order."""
    hub, waiter = current_hub(), Waiter(Topic(WORKSPACE, workspace, workspace), caller)
    if not admission.admit(caller):
        raise Throttled(wait=5, detail="Too many calls of this caller are waiting.")
    try:
        await hub.add(waiter)
        if after is None:
            after = await hub.query(last_position, workspace)
            yield _event("state", after, {"cursor": str(after)})
        else:
            yield b": alive\n\n"  # the head is sent with the first part
        while not waiter.code:
            reads = hub.reads_of_feed(workspace)
            name = (after, wanted)
            part = await reads.once(name, feed.read, workspace, after, wanted, feed.MOST)
            after = part.cursor
            if part.is_reset:
                yield _event("reset", after, {"cursor": str(after)})
            for event in part.events:
                yield _event("changed", event.position, event.as_json())
            if not part.has_more and not await waiter.wait_for_change(_BEAT_SECONDS):
                yield b": alive\n\n"
    finally:
        admission.release(caller)
        await hub.remove(waiter)


def _event(kind: str, cursor: int, data: dict[str, object]) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (cursor, kind.encode(), dumps(data))
