"""Sends calls and repeats them after temporary failures, each time with the same key."""

import json
import logging
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx

from ctxadmin_client.calls import (
    BASE,
    Call,
    Retries,
    answer_of,
    is_temporary,
    problem_of,
    requested_pause,
    secret,
)
from ctxadmin_client.errors import NoAnswer, Refused
from ctxadmin_client.streams import Reader, Sent

_SECONDS = 60.0
_LOG: Final = logging.getLogger("ctxadmin_client")
_FIRST_LOGGED: Final = 3  # the first repeat that is logged: a short break is not worth a line
_REPEATED: Final = "%s. The call is repeated for at most %d seconds."
_BROKEN: Final = (httpx.TransportError, httpx.DecodingError)  # the answer was cut off, or garbled


class Transport:
    """Sends calls with a token; ``http`` is the httpx client that does it."""

    def __init__(self, http: httpx.Client, retries: Retries) -> None:
        self._http = http
        self._retries = retries

    def send(self, call: Call) -> Any:
        """Returns the JSON of the answer; raises Refused or, without an answer, NoAnswer.

        A repeated DELETE that finds nothing counts as done.
        """
        started, repeats = time.monotonic(), 0
        retries = self._retries.within(call.patience)
        content = call.content()
        timeout = httpx.Timeout(_SECONDS + call.wait, connect=10.0)
        while True:
            failure: Exception
            requested = None
            try:
                response = self._http.request(
                    call.method, call.target, content=content, headers=call.headers, timeout=timeout
                )
            except _BROKEN as error:
                failure = NoAnswer(f"{call.method} {call.target}: {error or type(error).__name__}")
                failure.__cause__ = error
            else:
                if response.is_success:
                    try:
                        return answer_of(response.content)
                    except json.JSONDecodeError as error:
                        failure = NoAnswer(f"{call.method} {call.target}: no JSON in the answer")
                        failure.__cause__ = error
                elif call.method == "DELETE" and response.status_code == 404 and repeats:
                    return None
                else:
                    failure = problem_of(response.status_code, response.content, response.headers)
                    requested = requested_pause(response.headers)
                    if not is_temporary(response.status_code):
                        raise failure
            pause = retries.pause(repeats, time.monotonic() - started, requested)
            if pause is None:
                raise failure
            if repeats == _FIRST_LOGGED:
                _LOG.warning(_REPEATED, failure, retries.seconds)
            time.sleep(pause)
            repeats += 1

    def stream(
        self, target: str, last_id: str = "", *, beats: bool = False
    ) -> Iterator[Sent]:
        """Yields the events of a stream without end; connects again after a break.

        It continues after the last event received. With ``beats`` there is an event ``beat`` after
        every 15 seconds without another event. Raises Refused if the server refuses the call.
        """
        reader = Reader(last_id)
        timeout = httpx.Timeout(_SECONDS, connect=10.0)  # a beat comes every 15 seconds
        repeats, lost_at = 0, time.monotonic()
        while True:
            requested, failure = None, Exception()
            headers = {"Accept": "text/event-stream"}
            if reader.last_id:
                headers["Last-Event-ID"] = reader.last_id
            try:
                with self._http.stream(
                    "GET", BASE + target, headers=headers, timeout=timeout
                ) as response:
                    if not response.is_success:
                        requested = requested_pause(response.headers)
                        response.read()
                        raise problem_of(response.status_code, response.content, response.headers)
                    for line in response.iter_lines():
                        sent = reader.feed(line)
                        repeats, lost_at = 0, time.monotonic()
                        if sent is None and beats and line.startswith(":"):
                            sent = Sent("beat", {}, reader.last_id)
                        if sent is not None:
                            yield sent
                            lost_at = time.monotonic()  # the reader may be slow
                failure = NoAnswer(f"{target}: the stream ended")
            except Refused as error:
                if not is_temporary(error.status):
                    raise
                failure = error
            except _BROKEN as error:
                failure = NoAnswer(f"{target}: {error or type(error).__name__}")
                failure.__cause__ = error
            reader.broken()
            pause = self._retries.pause(repeats, time.monotonic() - lost_at, requested)
            if pause is None:
                raise failure
            if repeats == _FIRST_LOGGED:
                _LOG.warning(_REPEATED, failure, self._retries.seconds)
            time.sleep(pause)
            repeats += 1

    def close(self) -> None:
        self._http.close()


def headers_of(token: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {secret(token)}", "User-Agent": "ctxadmin-client"}
