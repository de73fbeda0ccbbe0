"""Spans of writes that share a transaction: one in the trace of each request, and a shared one.

A span has one parent and the transaction serves many requests, so they are linked, both ways.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import Context
from typing import TYPE_CHECKING

from ctxadmin.telemetry.facts import Facts
from ctxadmin.telemetry.traces import NOTHING, conversation_attributes, mark_failed, tracing

if TYPE_CHECKING:
    from opentelemetry.trace import Span, SpanContext, Tracer


class OwnWrite:
    """The span of one request's write, from its queueing to its answer."""

    __slots__ = ("_began", "made")

    def __init__(self, made: Span) -> None:
        self.made = made
        self._began = time.perf_counter()

    def link_transaction(self, transaction: SpanContext) -> None:
        """Links the span to that of the transaction that now executes the write."""
        if self.made.is_recording():  # else its caller went
            waited = time.perf_counter() - self._began
            self.made.set_attribute("ctxadmin.waited_ms", round(waited * 1e3, 3))
            self.made.add_link(transaction)

    def mark_alone(self) -> None:
        """Marks the write as left to its endpoint, which does it alone."""
        self.made.set_attribute("ctxadmin.alone", True)


def own_write(
    context: Context, facts: Facts, conversation: str
) -> AbstractContextManager[OwnWrite | None]:
    """Returns the write of the current request, which continues in ``context``.

    None without tracing.
    """
    if tracing.tracer is None:
        return NOTHING
    return _own_write(tracing.tracer, context, facts, conversation)


@contextmanager
def _own_write(
    tracer: Tracer, context: Context, facts: Facts, conversation: str
) -> Iterator[OwnWrite]:
    from opentelemetry.context import attach
    from opentelemetry.trace import set_span_in_context

    with tracer.start_as_current_span(
        "write", record_exception=False, set_status_on_exception=False
    ) as made:
        context.run(lambda: attach(set_span_in_context(made)))
        try:
            yield OwnWrite(made)
        except BaseException as error:
            mark_failed(made, type(error).__name__)
            raise
        finally:
            made.set_attributes(conversation_attributes(facts, conversation))


def shared_span(writes: Sequence[OwnWrite | None]) -> AbstractContextManager[None]:
    """Opens the span of a transaction of some writes, if one of them is traced."""
    if tracing.shared is None:
        return NOTHING
    return _shared(tracing.shared, [write for write in writes if write is not None])


@contextmanager
def _shared(tracer: Tracer, writes: Sequence[OwnWrite]) -> Iterator[None]:
    from opentelemetry import trace
    from opentelemetry.context import Context

    recorded = [write for write in writes if write.made.is_recording()]
    if not recorded:
        # What is asked within stands below a span that is not told, and so is not told either.
        untold = writes[0].made if writes else trace.INVALID_SPAN
        with trace.use_span(untold, record_exception=False, set_status_on_exception=False):
            yield
        return
    with tracer.start_as_current_span(
        "batch",
        context=Context(),
        links=[trace.Link(write.made.get_span_context()) for write in recorded],
        attributes={"ctxadmin.calls": len(writes)},
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        for write in recorded:
            write.link_transaction(made.get_span_context())
        try:
            yield
        except BaseException as error:
            mark_failed(made, type(error).__name__)
            raise
