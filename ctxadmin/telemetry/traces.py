"""Spans of requests and of their phases for OpenTelemetry, if a collector is named.

The packages are those of the production set and are only imported then. Attributes are ids and
counts; exceptions appear by their type, because their texts may quote content.
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
    """The tracer of this process, if there is one, and that of shared work.

    The second samples every span: it is used only for requests that are sampled.
    """

    tracer: Tracer | None = None
    shared: Tracer | None = None


tracing: Final = _Tracing()


def start_tracing() -> None:
    """Starts tracing, if the settings name a collector; ImproperlyConfigured without packages.

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
    """Sends spans by a thread of its own; the returned object ends it."""
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
    """Opens a phase of the current request; without tracing it does nothing, in 0.1 us."""
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
    """Opens the span of a whole request, below that of the caller; the facts get its trace id."""
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
    """Returns the caller's span, without its ``tracestate`` and other data."""
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
    """Returns attributes by the names of OpenTelemetry's conventions where there are some."""
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
    """Sets the conversation of a span; not an unknown one, which can be any text."""
    if facts.actor is None or not conversation:
        return {}
    return {"ctxadmin.conversation": conversation, "gen_ai.conversation.id": conversation}


def note_model_usage(usage: Mapping[str, object]) -> None:
    """Sets model and token counts of a reported usage on the current span, as far as known.

    ``usage`` has the fields of ``complete``. A model whose name is not plain is omitted: it could
    be any text.
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
    """Marks a span as failed, with a code or the type of an exception."""
    from opentelemetry.trace import Status, StatusCode

    made.set_attribute("error.type", kind)
    made.set_status(Status(StatusCode.ERROR))
