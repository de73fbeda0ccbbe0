"""What the outermost application keeps of a request, with an application of one line inside."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from ctxadmin.telemetry import metrics
from ctxadmin.telemetry.application import Observed
from ctxadmin.telemetry.facts import SCOPE_KEY, Facts, current, facts_of_headers, template_of

ROUTE = "/things/{thing_id}"


def ask(
    app: Callable[[Any, Any, Any], Awaitable[None]],
    *headers: tuple[bytes, bytes],
    method: str = "GET",
    path: str = "/things/1",
) -> Facts:
    """What is known of a request after ``app`` answered it."""
    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "headers": headers}

    async def send(message: Any) -> None:
        pass

    asyncio.run(Observed(app)(scope, None, send))
    facts = scope[SCOPE_KEY]
    assert isinstance(facts, Facts)
    return facts


def answering(status: int, route: str | None = ROUTE) -> Callable[[Any, Any, Any], Awaitable[None]]:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if route is not None:
            scope[SCOPE_KEY].route = route
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return app


def requests(route: str, method: str, status: int) -> float:
    labels = {"route": route, "method": method, "status": str(status)}
    return metrics.REGISTRY.get_sample_value("ctxadmin_requests_total", labels) or 0.0


def test_a_request_is_counted_by_the_template_of_its_route() -> None:
    before = requests(ROUTE, "GET", 204)
    ask(answering(204))
    assert requests(ROUTE, "GET", 204) == before + 1


def test_a_request_is_timed() -> None:
    labels = {"route": "/timed", "method": "GET"}
    ask(answering(200, "/timed"))
    assert metrics.REGISTRY.get_sample_value("ctxadmin_request_seconds_count", labels) == 1


def test_methods_that_callers_make_up_are_counted_as_one() -> None:
    before = requests(ROUTE, "other", 405)
    ask(answering(405), method="FETCH")
    ask(answering(405), method="GRAB")
    assert requests(ROUTE, "other", 405) == before + 2
    assert requests(ROUTE, "FETCH", 405) == 0


def test_an_application_that_breaks_counts_as_500() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError

    before = requests("unknown", "GET", 500)
    with pytest.raises(RuntimeError):
        ask(broken)
    assert requests("unknown", "GET", 500) == before + 1


def test_a_client_that_went_before_anything_was_answered_counts_as_499() -> None:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        pass

    before = requests("unknown", "GET", 499)
    ask(silent)
    assert requests("unknown", "GET", 499) == before + 1


def test_what_is_in_progress_goes_back_to_none() -> None:
    seen: list[float | None] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(metrics.REGISTRY.get_sample_value("ctxadmin_requests_in_progress"))

    ask(app)
    after = metrics.REGISTRY.get_sample_value("ctxadmin_requests_in_progress")
    assert (seen, after) == ([1.0], 0.0)


def test_files_are_one_route() -> None:
    assert ask(answering(200, None), path="/static/css/a.css").route == "/static/{file}"


def test_paths_that_no_route_takes_are_not_reported() -> None:
    assert ask(answering(404, None), path="/a secret").route == "unknown"


def test_the_facts_are_at_hand_while_the_request_is_answered_and_no_longer() -> None:
    seen: list[Facts | None] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(current.get())

    facts = ask(app)
    assert seen == [facts]
    assert current.get() is None


def test_a_websocket_goes_through_untouched() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        scope["touched"] = SCOPE_KEY in scope

    scope: dict[str, Any] = {"type": "websocket"}
    asyncio.run(Observed(app)(scope, None, None))
    assert scope["touched"] is False


def test_a_plain_request_id_of_the_caller_is_kept_and_any_other_replaced() -> None:
    assert facts_of_headers([(b"x-request-id", b"from-engine.1")]).request_id == "from-engine.1"
    assert len(facts_of_headers([(b"x-request-id", b"two words")]).request_id) == 16
    assert len(facts_of_headers([]).request_id) == 16


def test_the_trace_of_the_caller_is_taken_over_if_it_is_well_formed() -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    good = f"00-{trace}-00f067aa0ba902b7-01".encode()
    assert facts_of_headers([(b"traceparent", good)]).trace_id == trace
    assert facts_of_headers([(b"traceparent", b"00-zz-00f067aa0ba902b7-01")]).trace_id == ""


def test_a_route_is_reported_as_the_contract_writes_paths() -> None:
    route = "api/v1/conversations/<str:conversation_id>/rollback/<int:batch>/"
    told = "/api/v1/conversations/{conversation_id}/rollback/{batch}/"
    assert template_of(route) == told
    assert template_of("api/v1/.*$") == "unknown"


def test_counts_of_the_live_copy_are_taken_over_as_they_rise() -> None:
    counts = {"hits": 3}
    hits = {"event": "hits"}
    before = metrics.REGISTRY.get_sample_value("ctxadmin_live_copy_total", hits) or 0.0

    def of_copy() -> dict[str, int]:
        return counts

    metrics.count_live_copy(of_copy)
    metrics.pull()
    counts["hits"] = 5
    metrics.pull()
    metrics.pull()
    assert metrics.REGISTRY.get_sample_value("ctxadmin_live_copy_total", hits) == before + 5
