"""Node context types: what each kind of node sees before its own filter."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.errors import FieldProblem
from workflows.domain.context.explain import Label, Step
from workflows.domain.filters.context_filter import Behavior, ContextFilter, filter_step
from workflows.domain.processors.builtin import BUILTIN_PROCESSORS
from workflows.domain.processors.registries import Registries, processor_step

CONTEXT_TYPES: Final = tuple(BUILTIN_PROCESSORS)

_BY_NODE_TYPE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "llm": "llm_context",
        "tool": "tool_context",
        "user_interaction": "human_context",
        "human_relay": "human_context",
        "merge": "merge",
        "join": "merge",
        "subworkflow": "isolate",
    }
)


def default_context_type(node_type: str) -> str:
    """Returns the context type of a node that names none, by its type (semantics 2.5)."""
    return _BY_NODE_TYPE.get(node_type, "pass_through")


def default_behavior(context_type: str) -> Behavior:
    """Returns the default of a filter without a ``default_behavior``: only ``filter_in`` blocks."""
    return "block" if context_type == "filter_in" else "pass"


def context_type_problem(
    context_type: str, registries: Registries, pointer: str
) -> FieldProblem | None:
    """Returns the problem of a name that is neither a context type nor a registered processor."""
    return registries.processors.problem(context_type, pointer)


def node_steps(
    context_type: str,
    filters: Sequence[ContextFilter],
    registries: Registries,
    *,
    config: Mapping[str, JsonValue] | None = None,
    pointer: str = "",
    listed: bool | None = None,
) -> list[tuple[Label, Step]]:
    """Returns the labelled steps of a node: its type first, then its own filter if it has one.

    ``filter_in`` and ``filter_out`` are the default of the filter that follows; without a filter
    they pass nothing and everything. Labels are ``type:NAME`` and ``filter``; the type is at
    ``pointer + "/context_type"``, the filters at ``pointer + "/context_filter"`` (``listed`` as in
    ``filter_step``). Raises ValidationFailed. Source: semantics 2.5.
    """
    typed = processor_step(
        context_type, registries, config=config, pointer=f"{pointer}/context_type"
    )
    label = f"type:{context_type}"
    if not filters:
        return [(label, typed)]
    own = filter_step(
        filters,
        registries,
        default=default_behavior(context_type),
        pointer=f"{pointer}/context_filter",
        listed=listed,
    )
    if context_type in ("filter_in", "filter_out"):
        return [("filter", own)]
    return [(label, typed), ("filter", own)]
