"""The spans of an engine and those of ctxadmin are one trace, with the names of the conventions."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from opentelemetry.propagate import inject
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from ctxadmin.telemetry import traces
from tests.factories import conversation, user
from tests.integration.fast_path import App
from tests.integration.test_fast_path import complete, save


class Spans:
    """What was exported by this process and by an engine in it."""

    def __init__(self) -> None:
        self.ours = InMemorySpanExporter()
        self._provider = traces.trace_to(self.ours)
        self.engines = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.engines))
        self.tracer = provider.get_tracer("engine")

    def finished(self) -> list[ReadableSpan]:
        assert self._provider.force_flush()
        return list(self.ours.get_finished_spans())

    def end(self) -> None:
        self._provider.shutdown()


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    for name in ("tracer", "shared"):
        monkeypatch.setattr(traces.tracing, name, None)
    made = Spans()
    yield made
    made.end()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("call", [save("c0", "s1"), complete("c0", "s1")], ids=["save", "complete"])
def test_a_request_is_a_child_of_the_engines_span(
    spans: Spans, call: tuple[str, str, Mapping[str, Any]]
) -> None:
    conversation(user("hello"), public_id="c0")
    with App() as app:
        with spans.tracer.start_as_current_span("chat", attributes={"gen_ai.system": "x"}):
            carrier: dict[str, str] = {}
            inject(carrier)
            assert app.send(*call, **carrier).status_code == 201
        (of_engine,) = spans.engines.get_finished_spans()
        (request,) = [each for each in spans.finished() if each.kind is SpanKind.SERVER]
    assert request.context is not None
    assert of_engine.context is not None
    assert request.context.trace_id == of_engine.context.trace_id
    assert request.parent is not None
    assert request.parent.span_id == of_engine.context.span_id
    assert (request.attributes or {})["gen_ai.conversation.id"] == "c0"


@pytest.mark.django_db(transaction=True)
def test_the_conversation_of_a_stranger_is_not_reported(spans: Spans) -> None:
    with App() as app:
        app.secret = "unknown"
        assert app.send(*save("words-of-a-stranger", "s1")).status_code == 401
    finished = spans.finished()
    assert finished
    assert not any("gen_ai.conversation.id" in (each.attributes or {}) for each in finished)


def told(spans: Spans, usage: Mapping[str, object]) -> dict[str, object]:
    with traces.span("complete"):
        traces.note_model_usage(usage)
    (span,) = spans.finished()
    return dict(span.attributes or {})


def test_a_model_and_its_tokens_are_reported_by_the_names_of_the_conventions(spans: Spans) -> None:
    usage = {"model": "small-3:latest", "input_tokens": 1200, "output_tokens": 80}
    usage |= {"cached_tokens": 1000, "cache_write_tokens": None, "cost": 0.02}
    assert told(spans, usage) == {
        "gen_ai.response.model": "small-3:latest",
        "gen_ai.usage.input_tokens": 1200,
        "gen_ai.usage.output_tokens": 80,
        "gen_ai.usage.cache_read.input_tokens": 1000,
    }


@pytest.mark.parametrize("model", ["said this and that", "", "x" * 129, "two\nlines", 7])
def test_what_is_no_name_of_a_model_is_not_reported(spans: Spans, model: object) -> None:
    assert told(spans, {"model": model, "input_tokens": 1}) == {"gen_ai.usage.input_tokens": 1}
