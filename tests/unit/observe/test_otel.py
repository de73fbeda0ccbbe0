"""OpenTelemetry's variables: when spans are sent, and which values are refused by name."""

import pytest
from django.core.exceptions import ImproperlyConfigured

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


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (COLLECTOR, "nonsense", "must be an address like http://collector.example:4318"),
        (COLLECTOR, "collector:4318", "must be an address like"),
        (COLLECTOR, "http://", "must be an address like"),
        (COLLECTOR, "http://collector:port", "must be an address like"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces", "must be an address like"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "must be http/protobuf"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "zip", "must be none, gzip or deflate, not 'zip'"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "long", "must be a number of seconds above 0, not 'long'"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "Bearer secret", "must be pairs like name=value"),
        ("OTEL_RESOURCE_ATTRIBUTES", "a=1,b", "must be pairs like name=value"),
        ("OTEL_TRACES_SAMPLER", "sometimes", "must be one of always_on, .*, not 'sometimes'"),
        ("OTEL_BSP_SCHEDULE_DELAY", "5s", "must be a whole number from 1 on, not '5s'"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "100", "must be at least OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} {words}"):
        environment.traces()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (COLLECTOR, "ftp://anna:secret@collector"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "Bearer secret"),
    ],
)
def test_what_may_hold_a_secret_is_not_quoted(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured) as refused:
        environment.traces()
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("share", [None, "", "often", "1.5", "nan"])
def test_a_sampler_by_share_wants_one(monkeypatch: pytest.MonkeyPatch, share: str | None) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    if share is not None:
        monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", share)
    with pytest.raises(ImproperlyConfigured, match="OTEL_TRACES_SAMPLER_ARG must be a share from"):
        environment.traces()


def test_right_values_and_empty_ones_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OTEL_TRACES_SAMPLER": "traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.25",
        "OTEL_BSP_SCHEDULE_DELAY": "",
        "OTEL_BSP_MAX_QUEUE_SIZE": "4096",
        "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20YTpi==, x-team = a",
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=shop,deployment.environment=live",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2.5",
    }.items():
        monkeypatch.setenv(name, value)
    assert environment.traces()
