"""The first middlewares of a request: an id for each, and answers for probes."""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.urls import resolve

from ctxadmin.telemetry.facts import current, facts_of, note_route


class RequestIdMiddleware:
    """``X-Request-ID`` of the caller if it is plain, else a new one; returned and audited."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        facts = facts_of(request)
        request.request_id = facts.request_id  # type: ignore[attr-defined]
        entered = current.set(facts)  # also in a thread that has not the context of the server
        try:
            response = self.get_response(request)
        finally:
            note_route(request, facts)
            current.reset(entered)
        response["X-Request-ID"] = facts.request_id
        return response


class ProbesMiddleware:
    """``/healthz`` and ``/readyz`` for any host, because load balancers probe by address.

    It comes before everything that checks the host. Its answers contain no secret of a host.
    """

    PATHS: Final = frozenset({"/healthz", "/readyz"})

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in self.PATHS:
            return self.get_response(request)
        request.resolver_match = resolve(request.path_info)
        response: HttpResponse = request.resolver_match.func(request)
        return response


class NoStoreMiddleware:
    """``Cache-Control: no-store`` on every answer without a cache policy of its own.

    Pages and answers contain what only their reader can see: no browser or proxy may store them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
