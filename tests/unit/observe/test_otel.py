"""OpenTelemetry's variables: when spans are sent."""

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

from ctxadmin.config import environment

COLLECTOR = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.fixture(autouse=True)
def collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COLLECTOR, "http://127.0.0.1:4318")


@pytest.mark.parametrize(
    ("variables", "on"),
    [
        ({COLLECTOR: ""}, False),
        ({}, True),
        ({COLLECTOR: "", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://[::1]:4318/v1"}, True),
        ({COLLECTOR: "https://collector.example/otlp"}, True),
        ({"OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_TRACES_EXPORTER": "none"}, False),
        ({COLLECTOR: "", "OTEL_TRACES_SAMPLER": "nonsense"}, False),
    ],
)
def test_an_endpoint_turns_it_on(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], on: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert environment.traces() is on


def test_a_header_that_cannot_be_read_is_not_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Bearer secret")
    OTLPSpanExporter()
    assert "secret" not in caplog.text
