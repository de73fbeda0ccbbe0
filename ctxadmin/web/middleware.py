"""What every request gets: an id."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from ctxadmin.observe.facts import facts_of, note_route


class RequestIdMiddleware:
    """``X-Request-ID`` of the caller if it is plain, else a new one; answered and audited."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        facts = facts_of(request)
        request.request_id = facts.request_id  # type: ignore[attr-defined]
        response = self.get_response(request)
        note_route(request, facts)
        response["X-Request-ID"] = facts.request_id
        return response
