"""Spans of requests and of their phases for OpenTelemetry, if a collector is named; else nothing.

The packages are those of the production set and are only imported then. Attributes are ids and
counts; exceptions are told by their type, because their texts may quote content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ctxadmin.telemetry.facts import Facts

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

# Fields of a usage, and what OpenTelemetry's conventions for generative AI call them.
_USAGE: Final = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_write_tokens": "gen_ai.usage.cache_creation.input_tokens",
}
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][\w.:/@+-]{0,127}", re.ASCII)

NOTHING: Final[AbstractContextManager[None]] = nullcontext()


class _Tracing:
    """The tracer of this process, if there is one, and that of what many requests share.

    The second takes every span: it is asked only for requests that are sampled.
    """

    tracer: Tracer | None = None
    shared: Tracer | None = None


tracing: Final = _Tracing()


def start_tracing() -> None:
    """Trace from now on, if the settings name a collector; ImproperlyConfigured without packages.

    Sampling, resource and times are those of OpenTelemetry's own variables.
    """
    if not settings.TRACES:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise ImproperlyConfigured(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed:"
            " pip install -r requirements.txt, or unset it."
        ) from None
    trace_to(OTLPSpanExporter())


def trace_to(exporter: SpanExporter) -> TracerProvider:
    """Have spans gathered and sent by a thread of their own, which ends with what is returned."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ALWAYS_ON

    named = Resource.create()
    if str(named.attributes[SERVICE_NAME]).startswith("unknown_service"):  # and the program
        named = named.merge(Resource({SERVICE_NAME: "ctxadmin"}))
    processor = BatchSpanProcessor(exporter)
    provider = TracerProvider(resource=named)
    shared = TracerProvider(resource=named, sampler=ALWAYS_ON, shutdown_on_exit=False)
    for each in (provider, shared):
        each.add_span_processor(processor)
    tracing.tracer = provider.get_tracer("ctxadmin")
    tracing.shared = shared.get_tracer("ctxadmin")
    return provider


def span(name: str, **counts: int) -> AbstractContextManager[None]:
    """A phase of the current request; without tracing nothing, for 0.1 us."""
    if tracing.tracer is None:
        return NOTHING
    return _phase(tracing.tracer, name, counts)


@contextmanager
def _phase(tracer: Tracer, name: str, counts: dict[str, int]) -> Iterator[None]:
    with tracer.start_as_current_span(
        name,
        attributes={f"ctxadmin.{key}": count for key, count in counts.items()},
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        try:
            yield
        except BaseException as error:
            mark_failed(made, type(error).__name__)
            raise


def request_span(method: str, facts: Facts) -> AbstractContextManager[None]:
    """The span of a whole request, below that of the caller; the facts get its trace id."""
    if tracing.tracer is None:
        return NOTHING
    return _request(tracing.tracer, method, facts)


@contextmanager
def _request(tracer: Tracer, method: str, facts: Facts) -> Iterator[None]:
    from opentelemetry.trace import SpanKind

    with tracer.start_as_current_span(
        method,
        context=_parent(facts),
        kind=SpanKind.SERVER,
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        facts.trace_id = f"{made.get_span_context().trace_id:032x}"
        try:
            yield
        finally:
            made.update_name(f"{method} {facts.route}")
            made.set_attributes(_attributes(method, facts))
            if facts.status >= 500:
                mark_failed(made, facts.code or str(facts.status))


def _parent(facts: Facts) -> Context:
    """The caller's span; of what else it says, as in ``tracestate``, nothing is taken over."""
    from opentelemetry.context import Context
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        set_span_in_context,
    )

    if not facts.parent:
        return Context()
    _, trace, parent, flags = facts.parent.split("-")[:4]
    context = SpanContext(
        int(trace, 16), int(parent, 16), is_remote=True, trace_flags=TraceFlags(int(flags, 16))
    )
    return (
        set_span_in_context(NonRecordingSpan(context), Context()) if context.is_valid else Context()
    )


def _attributes(method: str, facts: Facts) -> dict[str, str | int]:
    """The names of OpenTelemetry's conventions where there are some."""
    found: dict[str, str | int] = {
        "http.request.method": method,
        "http.route": facts.route,
        "http.response.status_code": facts.status,
        **{f"ctxadmin.{name}": value for name, value in facts.ids().items() if name != "trace_id"},
    }
    found |= conversation_attributes(facts, facts.conversation)
    if facts.code:
        found["error.type"] = facts.code
    return found


def conversation_attributes(facts: Facts, conversation: str) -> dict[str, str]:
    """The conversation of a span; none of a stranger's, which may be any text."""
    if facts.actor is None or not conversation:
        return {}
    return {"ctxadmin.conversation": conversation, "gen_ai.conversation.id": conversation}


def note_model_usage(usage: Mapping[str, object]) -> None:
    """Tell on the span at hand which model worked and how many tokens it took, as far as known.

    ``usage`` has the fields of ``complete``. A model whose name is no plain name is not told: it
    could be any text.
    """
    if tracing.tracer is None:
        return
    from opentelemetry.trace import get_current_span

    made = get_current_span()
    for name, attribute in _USAGE.items():
        tokens = usage.get(name)
        if isinstance(tokens, int):
            made.set_attribute(attribute, tokens)
    model = usage.get("model")
    if isinstance(model, str) and _PLAIN_NAME.fullmatch(model):
        made.set_attribute("gen_ai.response.model", model)


def mark_failed(made: Span, kind: str) -> None:
    """Say that it failed, and by what code or type of an exception."""
    from opentelemetry.trace import Status, StatusCode

    made.set_attribute("error.type", kind)
    made.set_status(Status(StatusCode.ERROR))
