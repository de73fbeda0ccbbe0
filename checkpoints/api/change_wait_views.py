"""The endpoints that wait.

They check the request in a thread and wait on the event loop.
"""

from functools import partial
from typing import Any, Final

from django.http import HttpResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request

from checkpoints.api.answers import StreamedEvent, WaitedAnswer
from checkpoints.api.change_waits import MOST_SECONDS, WaitCondition, answer, events, wait
from checkpoints.api.endpoints import ExecutionEndpoint
from checkpoints.domain.status import Status
from checkpoints.events import page_updates
from conversations.store.conversation import find_head
from ctxadmin.http.described import DIGITS, NAME, Parameter, described, one_or_more_of
from ctxadmin.http.endpoints.renderers import JsonRenderer
from ctxadmin.http.requests.deferred_response import DeferredResponse
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.realtime.callers import caller_of_request
from ctxadmin.realtime.topics import Topic

_STREAM: Final = "text/event-stream"
_WAIT: Final = (
    Parameter(
        "status", "The statuses to wait for, separated by commas.", limits=one_or_more_of(Status)
    ),
    Parameter("after_version", "Wait for a version later than this.", int),
    Parameter(
        "execution",
        "Id of the execution that is meant. When another one began, it has ended: the call "
        "answers with its last status and version.",
        limits=NAME,
    ),
    Parameter(
        "timeout",
        "Seconds after which the call answers in any case.",
        int,
        limits={"minimum": 0, "maximum": MOST_SECONDS, "default": 30},
    ),
)
_LAST: Final = Parameter(
    "Last-Event-ID",
    "The number of the last change received; the stream continues after it.",
    place="header",
    limits=DIGITS,
)


class Wait(ExecutionEndpoint):
    @described("Wait for a change", answer=WaitedAnswer, query=_WAIT, errors=("rate_limited",))
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        """Waits until the execution has one of the statuses and a later version than the given
        one.

        Without both, waits for any change. `changed` is false if the timeout came first.
        """
        wanted, seconds = self._condition_in(request), self._seconds()
        key, now = page_updates.find(self.actor, conversation_id)
        if wanted.is_over(now):
            ended = page_updates.of_execution(key, wanted.execution or "", now)
            return answer(ended, changed=True)
        if seconds == 0 or wanted.is_met(now, now):
            return answer(now, changed=wanted.is_met(now, now))
        topic = Topic(page_updates.KIND, key, self.actor.workspace)
        caller = caller_of_request(request._request, self.actor)
        return DeferredResponse(partial(wait, topic, caller, wanted, now, seconds))

    def _condition_in(self, request: Request) -> WaitCondition:
        named = [each for each in request.query_params.get("status", "").split(",") if each]
        unknown = sorted(set(named) - set(Status))
        if unknown:
            text = say(
                "There is no status {unknown}; known: {status}.",
                unknown=repr(unknown[0][:32]),
                status=", ".join(Status),
            )
            raise ValidationFailed.at("?status", text)
        execution = request.query_params.get("execution")
        return WaitCondition(
            frozenset(map(Status, named)), self.query_int("after_version"), execution
        )

    def _seconds(self) -> int:
        seconds = self.query_int("timeout", 30)
        if seconds is None or not 0 <= seconds <= MOST_SECONDS:
            text = say(
                "timeout must be a number of seconds from 0 to {most_seconds}.",
                most_seconds=MOST_SECONDS,
            )
            raise ValidationFailed.at("?timeout", text)
        return seconds


class AnyNegotiation(BaseContentNegotiation):
    """Negotiation for streams: they have one format, and errors are always problem+json."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[JsonRenderer, str]:
        return renderers[0], renderers[0].media_type


class Events(ExecutionEndpoint):
    content_negotiation_class = AnyNegotiation

    @described(
        "Follow the changes",
        answer=str,
        headers=(_LAST,),
        errors=("rate_limited",),
        answer_types=(_STREAM,),
        event=StreamedEvent,
    )
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        """Streams changes as server-sent events.

        Their ids are the numbers of changes, across executions.

        The first event is `state`, or, with `Last-Event-ID`, the first change after that id; a
        `changed` event follows for each change. `reset` has the current state if the changes after
        `Last-Event-ID` are no longer on record; `erased` is the last event. The data are `{seq,
        execution, status, version, revision, count}`, and for a change also `what`, `who` and the
        names of the changed `keys`. The stream ends when the token is revoked or the server stops.
        """
        after = self._after(request)
        key = find_head(self.actor.workspace, conversation_id).key
        topic = Topic(page_updates.KIND, key, self.actor.workspace)
        caller = caller_of_request(request._request, self.actor)
        stream = DeferredResponse(partial(events, topic, caller, after), content_type=_STREAM)
        stream["Cache-Control"] = "no-store"
        stream["X-Accel-Buffering"] = "no"
        return stream

    def _after(self, request: Request) -> int | None:
        text = request.headers.get("Last-Event-ID")
        if text is None:
            return None
        seen = whole_number(text, digits=18)
        if seen is None:
            text = say("Last-Event-ID must be the number of a change.")
            raise ValidationFailed.at("Last-Event-ID", text)
        return seen
