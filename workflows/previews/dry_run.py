"""Tries filters, joins and nodes on a context; nothing is stored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import orjson
from django.conf import settings
from pydantic import Field, JsonValue, model_validator

from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft
from conversations.domain.pairing import place_drafts
from conversations.domain.view import View
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import limit_work
from workflows.domain.context.explain import Decision, Label, Step, StepNotice, run_steps
from workflows.domain.context.join import Arrival, ArrivalConflict, join
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext
from workflows.domain.document.graph import Filters, FilterSource, TypeName, filters_in
from workflows.domain.filters.context_filter import filter_step, read_filter
from workflows.domain.filters.context_types import (
    context_type_problem,
    default_context_type,
    node_steps,
)
from workflows.domain.filters.edge_filter import edge_step, read_edge_filter
from workflows.domain.processors.registries import Registries, processor_step, standard
from workflows.previews.node_inputs import shown_list

_FORMS = "node_type, context_type (perhaps with context_filter), context_filter, edge_filter"


class FilterStep(Contract):
    """One step of ``POST /filters/apply``: a node type, a filter or a processor."""

    node_type: TypeName | None = Field(
        None, description="Type of a node, with the filters of its context type.", examples=["llm"]
    )
    context_type: TypeName | None = Field(
        None, description="Context type whose filter to apply.", examples=["llm_context"]
    )
    context_filter: Filters | None = Field(
        None,
        description="Context filter, or a list of them.",
        examples=[
            {"rules": [{"type": "exclude", "pattern": "internal.*"}], "default_behavior": "pass"}
        ],
    )
    edge_filter: FilterSource | None = Field(
        None,
        description="Edge filter.",
        examples=[{"type": "include", "include_patterns": ["order.*"]}],
    )
    processor: TypeName | None = Field(
        None, description="Name of a processor to run.", examples=["budget"]
    )
    config: dict[str, JsonValue] | None = Field(
        None, description="Settings of the processor.", examples=[{"max_tokens": 4000}]
    )

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = self.model_fields_set
        allowed = ({"context_type", "context_filter"}, {"processor", "config"})
        if not given or given == {"config"}:
            raise ValueError(say("a step has one of {forms} or processor", forms=_FORMS))
        if len(given) > 1 and given not in allowed:
            raise ValueError(say("a step has only one of {forms} or processor", forms=_FORMS))
        return self


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """What came out: the context, its messages as the JSON of a list, and why.

    ``written`` are the messages in a provider's format, if one was asked for.
    """

    context: PromptContext
    messages: orjson.Fragment
    explanation: Sequence[Decision] = ()
    warnings: Sequence[StepNotice] = ()
    conflicts: Sequence[ArrivalConflict] = ()
    written: FormattedView | None = None


@dataclass(frozen=True, slots=True)
class GivenContext:
    """A context and messages that a caller sends."""

    context: PromptContext
    drafts: Sequence[MessageDraft] = ()

    def open(self) -> tuple[NodeInput, MemoryLog]:
        """Returns the input for filters, and the log of its messages."""
        log = MemoryLog()
        log.append(place_drafts(self.drafts, log))
        return NodeInput(self.context, Messages(log, View([(0, len(log))]))), log


@dataclass(frozen=True, slots=True)
class GivenEdgeContext:
    """What arrives along one edge: a name for the edge, its filter, and the filter's input."""

    edge: str
    given: GivenContext
    edge_filter: FilterSource | None = None


def apply_steps(
    given: GivenContext, steps: Sequence[FilterStep], pointer: str = "/steps"
) -> DryRunResult:
    """Returns the context and messages after the steps, each decision with the step that made
    it.
    """
    registries = standard()
    labelled: list[tuple[Label, Step]] = []
    for number, wanted in enumerate(steps):
        found = _steps_of(wanted, registries, f"{pointer}/{number}")
        labelled += [(number, step) for step in found]
    node_input, log = given.open()
    with limit_work(settings.MAX_WORK):
        applied = run_steps(node_input, labelled, explain=True)
    shown = shown_list(log, applied.node_input.messages)
    return DryRunResult(applied.node_input.context, shown, applied.decisions, applied.warnings)


def _steps_of(wanted: FilterStep, registries: Registries, pointer: str) -> list[Step]:
    if wanted.edge_filter is not None:
        where = f"{pointer}/edge_filter"
        return [edge_step(read_edge_filter(wanted.edge_filter, where), registries, where)]
    if wanted.processor is not None:
        where = f"{pointer}/processor"
        return [processor_step(wanted.processor, registries, config=wanted.config, pointer=where)]
    listed = isinstance(wanted.context_filter, list)
    where = f"{pointer}/context_filter"
    filters = [
        read_filter(each, f"{where}/{number}" if listed else where)
        for number, each in enumerate(filters_in(wanted.context_filter))
    ]
    context_type = wanted.context_type
    if wanted.node_type is not None:
        context_type = default_context_type(wanted.node_type)
    if context_type is None:
        return [filter_step(filters, registries, pointer=where, listed=listed)]
    unknown = context_type_problem(context_type, registries, f"{pointer}/context_type")
    if unknown is not None:
        raise ValidationFailed(unknown.message, problems=[unknown])
    steps = node_steps(context_type, filters, registries, pointer=pointer, listed=listed)
    return [step for _, step in steps]


def join_arrivals(arrivals: Sequence[GivenEdgeContext], pointer: str = "/arrivals") -> DryRunResult:
    """Joins what several edges bring to one node, each filtered by its own filter first."""
    registries = standard()
    came: list[Arrival] = []
    warnings: list[StepNotice] = []
    logs: list[MemoryLog] = []
    with limit_work(settings.MAX_WORK):
        for number, each in enumerate(arrivals):
            node_input, log = each.given.open()
            if each.edge_filter is not None:
                where = f"{pointer}/{number}/edge_filter"
                step = edge_step(read_edge_filter(each.edge_filter, where), registries, where)
                applied = run_steps(node_input, [(each.edge, step)])
                node_input = replace(
                    applied.node_input, messages=_logged(log, applied.node_input.messages)
                )
                warnings += applied.warnings
            came.append(Arrival(each.edge, node_input))
            logs.append(log)
        joined = join(came)
    log_of_all = joined.node_input.messages.log
    source = log_of_all if isinstance(log_of_all, MemoryLog) else logs[0]
    shown = shown_list(source, joined.node_input.messages)
    return DryRunResult(
        joined.node_input.context, shown, warnings=warnings, conflicts=joined.conflicts
    )


def _logged(log: MemoryLog, messages: Messages) -> Messages:
    """Returns the messages with those that a filter added as a part of their log.

    The log belongs to nobody else, and arrivals with logs of their own can be joined only in this
    way.
    """
    log.append(messages.inserted)
    return replace(messages, log=log, inserted=())
