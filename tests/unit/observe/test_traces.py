"""The spans of a request and its phases, in memory instead of a collector."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from ctxadmin.telemetry import traces
from ctxadmin.telemetry.facts import SCOPE_KEY
from ctxadmin.telemetry.traces import span
from tests.unit.observe.test_application import ROUTE, answering, ask

CONTENT = "what-somebody-wrote"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(traces.tracing, "tracer", provider.get_tracer("tests"))
    yield exporter
    provider.shutdown()


def only(exporter: InMemorySpanExporter) -> ReadableSpan:
    (found,) = exporter.get_finished_spans()
    return found


def attributes(made: ReadableSpan) -> dict[str, Any]:
    return dict(made.attributes or {})


def test_without_a_collector_a_span_is_nothing() -> None:
    assert span("transaction") is span("enter", messages=2)


def test_a_request_is_a_span_by_its_route(exported: InMemorySpanExporter) -> None:
    facts = ask(answering(201), method="POST")
    made = only(exported)
    assert (made.name, made.kind) == (f"POST {ROUTE}", SpanKind.SERVER)
    assert attributes(made) == {
        "http.request.method": "POST",
        "http.route": ROUTE,
        "http.response.status_code": 201,
        "ctxadmin.request_id": facts.request_id,
    }


def test_the_span_stands_below_that_of_the_caller(exported: InMemorySpanExporter) -> None:
    facts = ask(answering(200), (b"traceparent", f"00-{TRACE}-{PARENT}-01".encode()))
    made = only(exported)
    assert made.context is not None
    assert made.parent is not None
    assert f"{made.context.trace_id:032x}" == facts.trace_id == TRACE
    assert f"{made.parent.span_id:016x}" == PARENT


def test_a_trace_that_the_caller_does_not_sample_is_not_sent(
    exported: InMemorySpanExporter,
) -> None:
    facts = ask(answering(200), (b"traceparent", f"00-{TRACE}-{PARENT}-00".encode()))
    assert exported.get_finished_spans() == ()
    assert facts.trace_id == TRACE


def test_of_tracestate_and_of_zeros_nothing_is_taken_over(exported: InMemorySpanExporter) -> None:
    zeros = f"00-{'0' * 32}-{'0' * 16}-01".encode()
    facts = ask(answering(200), (b"traceparent", zeros), (b"tracestate", CONTENT.encode()))
    made = only(exported)
    assert made.parent is None
    assert facts.trace_id.strip("0")
    assert CONTENT not in made.to_json()


def test_a_phase_stands_below_its_request_and_tells_counts(exported: InMemorySpanExporter) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        with span("transaction", messages=3):
            pass

    ask(app)
    phase, request = exported.get_finished_spans()
    assert phase.parent is not None
    assert request.context is not None
    assert (phase.name, attributes(phase)) == ("transaction", {"ctxadmin.messages": 3})
    assert phase.parent.span_id == request.context.span_id


def test_a_phase_that_fails_tells_the_type_and_not_the_text(
    exported: InMemorySpanExporter,
) -> None:
    def fail() -> None:
        with span("enter"):
            raise ValueError(CONTENT)

    with pytest.raises(ValueError, match=CONTENT):
        fail()
    made = only(exported)
    assert attributes(made) == {"error.type": "ValueError"}
    assert not made.status.is_ok
    assert CONTENT not in made.to_json()


def test_a_refused_request_tells_the_code_and_only_a_fault_is_marked(
    exported: InMemorySpanExporter,
) -> None:
    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        scope[SCOPE_KEY].code = "version_conflict"
        await answering(409)(scope, receive, send)

    ask(refusing)
    ask(answering(503))
    refused, fault = exported.get_finished_spans()
    assert attributes(refused)["error.type"] == "version_conflict"
    assert refused.status.is_ok
    assert not fault.status.is_ok
