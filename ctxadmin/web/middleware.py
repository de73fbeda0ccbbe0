"""What every request gets: an id."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from ctxadmin.observe.facts import current, facts_of, note_route


class RequestIdMiddleware:
    """``X-Request-ID`` of the caller if it is plain, else a new one; answered and audited."""

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
