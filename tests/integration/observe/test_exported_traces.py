"""What a collector of traces receives, by OpenTelemetry's own exporter."""

from collections.abc import Callable, Iterator

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ctxadmin.telemetry import traces
from tests.factories import conversation, user
from tests.integration.fast_path import App
from tests.integration.observe.collector import Collector
from tests.integration.test_fast_path import append, complete, save

Sent = Callable[[], Collector]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sent]:
    """Tracing to a collector, which has all spans so far when it is called for."""
    for name in ("tracer", "shared"):
        monkeypatch.setattr(traces.tracing, name, None)
    with Collector() as collector:

        def flushed() -> Collector:
            assert provider.force_flush()
            return collector

        provider = traces.trace_to(OTLPSpanExporter(f"{collector.url}/v1/traces"))
        yield flushed
        provider.shutdown()


@pytest.fixture
def app() -> Iterator[App]:
    with App() as made:
        yield made


def told(span: Span) -> dict[str, object]:
    return {
        each.key: getattr(each.value, str(each.value.WhichOneof("value")))
        for each in span.attributes
    }


def below(spans: list[Span], parent: Span) -> list[Span]:
    return [each for each in spans if each.parent_span_id == parent.span_id]


class TestService:
    @pytest.fixture(autouse=True)
    def variables(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in request.param.items():
            monkeypatch.setenv(name, value)

    @pytest.mark.parametrize(
        ("variables", "name"),
        [
            ({}, "ctxadmin"),
            ({"OTEL_SERVICE_NAME": "control"}, "control"),
            ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=plane,team=a"}, "plane"),
            ({"OTEL_RESOURCE_ATTRIBUTES": "team=a"}, "ctxadmin"),
        ],
        indirect=["variables"],
    )
    def test_spans_come_from_the_service_of_the_settings_or_from_ctxadmin(
        self, sent: Sent, name: str
    ) -> None:
        with traces.span("enter"):
            pass
        assert sent().services() == {name}


@pytest.mark.django_db(transaction=True)
class TestWrites:
    @pytest.mark.parametrize(
        ("call", "work", "messages"),
        [
            (save("c0", "s1", messages=[user("a"), user("b")]), "save", 2),
            (append("c0"), "append", 1),
        ],
    )
    def test_the_trace_of_a_write_tells_its_turn_its_work_and_its_transaction(
        self, sent: Sent, app: App, call: tuple[str, str, object], work: str, messages: int
    ) -> None:
        conversation(user("hello"), public_id="c0")
        app.send(*save("c0", "before"))
        before = len(sent().spans())
        assert app.send(*call).status_code == 201
        spans = sent().spans()[before:]
        (request,) = [span for span in spans if span.kind == Span.SPAN_KIND_SERVER]
        (batch,) = [span for span in spans if span.name == "batch"]
        (write,) = below(spans, request)
        (own,) = below(spans, write)
        assert (write.name, own.name) == ("write", work)
        waited = told(write).pop("ctxadmin.waited_ms")
        assert isinstance(waited, float)
        assert 0 < waited * 1e6 < write.end_time_unix_nano - write.start_time_unix_nano
        named = {"ctxadmin.conversation": "c0", "gen_ai.conversation.id": "c0"}
        assert told(write) == {**named, "ctxadmin.waited_ms": waited}
        assert told(own) == {"ctxadmin.messages": messages}
        assert [link.span_id for link in write.links] == [batch.span_id]
        assert [link.span_id for link in batch.links] == [write.span_id]
        assert not batch.parent_span_id
        assert batch.trace_id != write.trace_id

    def test_a_completion_is_reported_too(self, sent: Sent, app: App) -> None:
        conversation(user("hello"), public_id="c0")
        app.send(*save("c0", "s1"))
        app.send(*complete("c0", "s2"))
        by_id = {span.span_id: span for span in sent().spans()}
        (own,) = [span for span in by_id.values() if span.name == "complete"]
        assert by_id[own.parent_span_id].name == "write"

    def test_a_shared_transaction_is_linked_with_all_that_it_served(
        self, sent: Sent, app: App
    ) -> None:
        names = [conversation(user("hello"), public_id=f"c{n}").public_id for n in range(3)]
        answers = app.send_together(*(append(name) for name in names))
        assert [answer.status_code for answer in answers] == [201] * 3
        spans = sent().spans()
        batch = max((span for span in spans if span.name == "batch"), key=lambda s: len(s.links))
        writes = {
            told(span)["ctxadmin.conversation"]: span.span_id
            for span in spans
            if any(link.span_id == batch.span_id for link in span.links)
            and "ctxadmin.conversation" in told(span)
        }
        assert told(batch) == {"ctxadmin.calls": 3}
        assert set(writes) == set(names)
        assert {link.span_id for link in batch.links} == set(writes.values())

    def test_a_refused_write_continues_to_its_endpoint(self, sent: Sent, app: App) -> None:
        conversation(user("hello"), public_id="c0")
        assert app.send(*save("c0", "s1", expected_version=7)).status_code == 409
        spans = sent().spans()
        (request,) = [span for span in spans if span.kind == Span.SPAN_KIND_SERVER]
        write, alone = below(spans, request)
        assert (write.name, told(write)["ctxadmin.alone"]) == ("write", True)
        assert (alone.name, [each.name for each in below(spans, alone)]) == (
            "save",
            ["transaction"],
        )

    def test_the_id_that_a_stranger_gives_is_not_reported(self, sent: Sent, app: App) -> None:
        app.secret = "unknown"
        assert app.send(*append("words-of-a-stranger")).status_code == 401
        assert sent().spans()
        assert b"stranger" not in b"".join(sent().bodies)

    def test_of_requests_that_are_not_sampled_nothing_is_reported(
        self, sent: Sent, app: App
    ) -> None:
        conversation(user("hello"), public_id="c0")
        unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
        assert app.send(*append("c0"), traceparent=unsampled).status_code == 201
        assert sent().spans() == []
