"""No log line, metric or span has content, tokens or paths of callers, whatever they call.

A server of its own is called in every operation of the contract, with good and with bad input.
"""

import json
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.observe.collector import Collector
from tests.integration.observe.rest_surface import CANARY, TEXT, Call, every_operation
from tests.live_server import LiveServer
from tests.openapi import contract

pytestmark = pytest.mark.only("sqlite")

# Everything that a header can carry; none of it is an id that we take over.
HEADERS = {
    "X-Request-ID": TEXT,
    "traceparent": f"00-{CANARY}-00f067aa0ba902b7-01",
    "tracestate": f"{CANARY}={CANARY}",
    "baggage": f"{CANARY}={CANARY}",
    "User-Agent": TEXT,
    "Referer": f"http://127.0.0.1/{CANARY}?{CANARY}",
    "Cookie": f"{CANARY}={CANARY}",
}


class Told:
    """The log of a server during the calls."""

    def __init__(
        self, text: str, calls: Mapping[str, Call], metrics: str, collector: Collector
    ) -> None:
        self.text = text
        self.events = list(_events(text))
        self.calls = calls  # those that succeeded, by the ids that they were answered with
        self.metrics = metrics
        self.bodies = b"".join(collector.bodies)
        self.spans = collector.spans()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("told")
    with Collector() as collector, LiveServer(folder, _settings(collector), "--no-demo") as server:
        token = server.manage("create_token", "--name", CANARY, "--scopes", "admin,engine").strip()
        headers = HEADERS | {"Authorization": f"Bearer {token}"}
        calls = list(every_operation())
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
            learnt: dict[str, str] = {}
            answered = {
                _succeed(client, place, call, learnt): call for place, call in enumerate(calls)
            }
            for call in calls:
                _call_badly(client, call)
            metrics = client.get("/metrics").text
        with httpx.Client(base_url=server.url, headers=HEADERS, timeout=60) as stranger:
            _look_around(stranger)
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
            _call_without_a_table(client, folder / "data" / "ctxadmin.sqlite3")
        text = _log_with(server.log, answered)
        collector.wait_for(text.count('"event":"request"'))
        yield Told(text, answered, metrics, collector)
        assert token not in server.log.read_text()


def _log_with(log: Path, ids: Collection[str]) -> str:
    """The log with the events of these calls; one that is left half way ends when it is noticed."""
    deadline = time.monotonic() + 60
    while True:
        text = log.read_text().rpartition("\n")[0]  # whole lines
        missing = set(ids).difference(event.get("request_id") for event in _events(text))
        if not missing:
            return text
        assert time.monotonic() < deadline, f"no event tells of {missing}"
        time.sleep(0.1)


def _events(text: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line.startswith("{"))


def _settings(collector: Collector) -> dict[str, str]:
    return {
        "CTXADMIN_LOG_FORMAT": "json",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "OTEL_BSP_MAX_QUEUE_SIZE": "100000",
    }


def _succeed(client: httpx.Client, place: int, call: Call, learnt: dict[str, str]) -> str:
    """The id that the call was answered with."""
    headers = {"Idempotency-Key": f"{TEXT} {place}"}
    with client.stream(
        call.method, call.url_with(learnt), json=call.body, params=call.query, headers=headers
    ) as answer:
        if not call.path.endswith("/events"):  # which has no end
            answer.read()
        assert answer.is_success, f"{call.method} {call.url}"
        if call.learns:
            learnt[call.learns] = answer.json()["id"]
        return str(answer.headers["X-Request-ID"])


def _call_badly(client: httpx.Client, call: Call) -> None:
    """Input of every wrong form, with the text in it; what is answered is not looked at."""
    waits = call.path.endswith(("/wait", "/events"))  # whose bodies and headers are not looked at
    for body in () if waits else (f'{{"{CANARY}": '.encode(), f'{{"{CANARY}": "{TEXT}"}}'.encode()):
        client.request(call.method, call.url, content=body, params={CANARY: TEXT, "limit": TEXT})
    places = dict.fromkeys(call.places, f"{CANARY}.")  # an id is reported, this has not its form
    client.request(call.method, call.route.format(**places), json={CANARY: TEXT})
    client.request(CANARY.upper(), call.url, json=call.body)
    if not waits:
        client.request(call.method, call.url, headers={"If-Match": f'"{CANARY}"'}, json=call.body)
    client.request(call.method, call.url, headers={"Authorization": f"Bearer {CANARY}"})


def _look_around(stranger: httpx.Client) -> None:
    """What someone without a token may try: unknown paths, other hosts, signing in."""
    for path in (
        f"/{CANARY}",
        f"/api/v1/{CANARY}?{CANARY}",
        f"/conversations/{CANARY}/?q={CANARY}",
    ):
        stranger.get(path)
    stranger.get("/", headers={"Host": f"{CANARY}.example"})
    page = stranger.get("/sign-in/")
    form = {"username": "somebody", "password": TEXT}  # the name is logged, for operators
    stranger.post("/sign-in/", data=form)
    form["csrfmiddlewaretoken"] = page.cookies["csrftoken"]
    cookies = {"csrftoken": page.cookies["csrftoken"]}
    for _ in range(11):  # one more than it takes to be locked out
        stranger.post(
            "/sign-in/", data=form, headers={"Cookie": f"csrftoken={cookies['csrftoken']}"}
        )


def _call_without_a_table(client: httpx.Client, database: Path) -> None:
    """Have a fault of the database in the log."""
    with sqlite3.connect(database) as connection:
        connection.execute("DROP TABLE conversations_message")
    connection.close()
    answer = client.post(
        "/api/v1/conversations/run/messages", json={"messages": [{"role": "user", "content": TEXT}]}
    )
    assert answer.status_code >= 500


def test_every_operation_of_the_contract_is_called(told: Told) -> None:
    described = {
        (method.upper(), path)
        for path, methods in contract()["paths"].items()
        for method in methods
    }
    assert {(call.method, call.route) for call in told.calls.values()} == described


def test_no_log_line_holds_what_was_sent(told: Told) -> None:
    assert CANARY.lower() not in told.text.lower()


def test_no_metric_holds_what_was_sent(told: Told) -> None:
    assert CANARY.lower() not in told.metrics.lower()


def test_no_span_holds_what_was_sent(told: Told) -> None:
    assert CANARY.encode() not in told.bodies.lower()


def test_every_operation_is_a_span_by_its_route(told: Told) -> None:
    names = {span.name for span in told.spans}
    assert {f"{call.method} {call.route}" for call in told.calls.values()} <= names


def test_the_phases_of_a_call_are_spans_below_it(told: Told) -> None:
    by_id = {span.span_id: span for span in told.spans}
    parents = {
        (span.name, by_id[span.parent_span_id].name.rpartition("/")[2])
        for span in told.spans
        if span.parent_span_id in by_id
    }
    assert {
        ("complete", "complete"),
        ("enter", "enter"),
        ("save", "{checkpoint_id}"),
        ("transaction", "complete"),
        ("append", "messages"),
        ("transaction", "append"),
    } <= parents


def test_an_event_has_the_trace_of_its_span(told: Told) -> None:
    traces = {span.trace_id.hex() for span in told.spans}
    requests = [event for event in told.events if event["event"] == "request"]
    assert {event["trace_id"] for event in requests[-20:]} <= traces


def test_every_call_is_an_event_with_its_ids(told: Told) -> None:
    requests = [event for event in told.events if event["event"] == "request"]
    assert all(event["request_id"] and event["ms"] >= 0 for event in requests)
    by_id = {event["request_id"]: event for event in requests}
    for request_id, call in told.calls.items():
        event = by_id[request_id]
        assert (event["method"], event["route"]) == (call.method, call.route)
        assert event["actor"].startswith("token:token_")
        assert event["workspace"].isdigit()
        assert event.get("conversation") == call.places.get("conversation_id")


def test_every_operation_is_counted_under_its_route(told: Told) -> None:
    for call in told.calls.values():
        assert (
            f'ctxadmin_requests_total{{method="{call.method}",route="{call.route}"' in told.metrics
        )


def test_a_fault_of_the_database_is_reported_by_its_name_and_places(told: Told) -> None:
    faults = [event for event in told.events if "errors" in event]
    assert any(
        error.get("code") == "SQLITE_ERROR" and error["stack"]
        for event in faults
        for error in event["errors"]
    )
    assert all(event["request_id"] for event in faults)
