"""Static checks of nodes: finds those that no context could enter."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from conversations.domain.message import read_message
from ctxadmin.lib.sentence import say
from workflows.domain.checks.compatibility import find_missing_context
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext
from workflows.domain.document.elements import Problem, read_node
from workflows.domain.document.graph import Document, Node, filters_in, title_of
from workflows.domain.document.topology import Graph
from workflows.domain.filters.context_filter import ContextFilter, depends_on_state
from workflows.domain.filters.context_types import CONTEXT_TYPES, default_context_type, node_steps
from workflows.domain.processors.builtin import LLM_NAMES, TOOL_NAMES
from workflows.domain.processors.registries import Registries

_CALL: Final[dict[str, JsonValue]] = {
    "type": "function",
    "function": {"name": "f", "arguments": "{}"},
}
# One of each role, the last with a call that has no result: what a tool's node is there for.
_MESSAGES: Final[tuple[dict[str, JsonValue], ...]] = (
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "a", "tool_calls": [{**_CALL, "id": "b"}]},
    {"role": "tool", "tool_call_id": "b", "content": "r"},
    {"role": "assistant", "content": None, "tool_calls": [{**_CALL, "id": "c"}]},
)


_FEW: Final = 20
_NEEDS_SOMETHING: Final = frozenset({"llm_context", "tool_context"})


def node_problems(node: Node, registries: Registries, pointer: str) -> list[Problem]:
    """Returns the problems of a node at ``pointer``.

    Without any, those it will have when it runs.

    A node that no context could enter gets a warning (semantics 2.11). Filters with conditions and
    context types of installed packages are not checked.
    """
    reading = read_node(node, registries, pointer)
    if reading.problems or not _is_never_entered(node, reading.filters, registries):
        return reading.problems
    message = say("the filter leaves this node neither a message nor a variable that it could use")
    where = f"{pointer}/context_filter"
    return [Problem(where, "incompatible_context", message, "warning", node=node.id)]


def cut_off_nodes(document: Document, graph: Graph, pointer: str) -> Iterator[Problem]:
    """Yields a warning for each node that needs something, while all edges to it pass nothing.

    It is at the filter of the first of these edges. Nodes with a message of their own are not
    checked.
    """
    for node in document.nodes:
        edges = graph.incoming.get(node.id, ())
        context_type = node.context_type or default_context_type(node.type)
        if not edges or node.id in graph.starts or context_type not in _NEEDS_SOMETHING:
            continue
        if all((edge.context_filter or {}).get("type") == "pass_none" for edge in edges):
            if _inserts_a_message(node):
                continue
            message = say(
                "{node} can never be entered: no edge to it passes a message or a variable",
                node=title_of(node),
            )
            where = f"{pointer}/edges/{graph.edge_places[edges[0].id]}/context_filter"
            yield Problem(where, "incompatible_context", message, "warning", edge=edges[0].id)


def _inserts_a_message(node: Node) -> bool:
    listed = (each.get("messages") for each in filters_in(node.context_filter))
    return any(
        isinstance(config, dict) and config.get("operation") == "insert"
        for configs in listed
        if isinstance(configs, list)
        for config in configs
    )


def _is_never_entered(node: Node, filters: Sequence[ContextFilter], registries: Registries) -> bool:
    context_type = node.context_type or default_context_type(node.type)
    if not filters or context_type not in CONTEXT_TYPES or depends_on_state(filters):
        return False
    # An operation may put a message in; what others leave depends on the texts, so that only the
    # rules are tried.
    if any(config.operation == "insert" for each in filters for config in each.messages):
        return False
    rules_only = [each.model_copy(update={"messages": ()}) for each in filters]
    names = list(dict.fromkeys(_names(rules_only)))
    # Most nodes see a message, or one of a few names: to try all of many takes milliseconds.
    for given in ([], names[:_FEW], names):
        node_input = _remaining_context(node, context_type, rules_only, registries, given)
        lack = find_missing_context(node, context_type, node_input)
        if lack is None or not lack.missing:
            return False
    return True


def _remaining_context(
    node: Node,
    context_type: str,
    filters: Sequence[ContextFilter],
    registries: Registries,
    names: Sequence[str],
) -> NodeInput:
    """Returns what is left of a context with a message of each role and these variables."""
    given = PromptContext(template="", variables=dict.fromkeys(names, 1))
    node_input = replace(NodeInput.of(given), messages=_messages())
    for label, step in node_steps(context_type, filters, registries, config=node.config):
        node_input = step(node_input, label, False).node_input
    return node_input


def _names(filters: Sequence[ContextFilter]) -> Iterator[str]:
    """Returns every name that matters, one for each pattern."""
    patterns = [rule.pattern for each in filters for rule in each.rules]
    for pattern in (*LLM_NAMES, *TOOL_NAMES, *patterns):
        yield pattern.replace("*", "x")


@functools.cache
def _messages() -> Messages:
    return Messages.of(tuple(read_message(each) for each in _MESSAGES))
