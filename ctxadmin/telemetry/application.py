"""The outermost ASGI application: times every request and counts its result."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from django.conf import settings

from ctxadmin.telemetry import metrics
from ctxadmin.telemetry.facts import NO_ROUTE, SCOPE_KEY, Facts, current, facts_of_headers
from ctxadmin.telemetry.logs import log_request
from ctxadmin.telemetry.traces import request_span

AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]

_STATIC: Final = f"/{settings.STATIC_URL.strip('/')}/"


class Observed:
    """Attaches the facts of a request for everything that answers it, and reports them
    afterward.
    """

    def __init__(self, app: AsgiApp) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        facts = scope[SCOPE_KEY] = facts_of_headers(scope["headers"])
        entered = current.set(facts)

        async def noting(message: Any) -> None:
            if message["type"] == "http.response.start":
                facts.status = message["status"]
            await send(message)

        metrics.count_request_start()
        try:
            with request_span(scope["method"], facts):
                await self._answer(facts, scope, receive, noting)
        finally:
            current.reset(entered)
            _log_request(facts, scope, time.perf_counter() - began)

    async def _answer(self, facts: Facts, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self.app(scope, receive, send)
        except Exception:
            facts.status = 500
            raise
        finally:
            if facts.status == 404:
                facts.conversation = ""  # what is not there is no id but some text
            if facts.route == NO_ROUTE and scope["path"].startswith(_STATIC):
                facts.route = _STATIC + "{file}"


def _log_request(facts: Facts, scope: Any, seconds: float) -> None:
    log_request(facts, scope["method"], seconds)
    metrics.count_request_end(facts.route, scope["method"], facts.status, seconds)
