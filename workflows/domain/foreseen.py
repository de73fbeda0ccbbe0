"""What can be told of a node before it runs: that it could not, or not always, be entered."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from conversations.domain.configs import OperationConfig
from conversations.domain.message import Draft, read_message
from workflows.domain.builtin_processors import LLM_NAMES, TOOL_NAMES
from workflows.domain.compatibility import calls_a_model, find_lack
from workflows.domain.context import Messages, PromptContext, Sight
from workflows.domain.context_types import CONTEXT_TYPES, default_context_type, node_steps
from workflows.domain.elements import Problem, Severity, read_node
from workflows.domain.filters import ContextFilter, depends_on_state
from workflows.domain.graph import Node
from workflows.domain.processors import Registries

_NEVER: Final = "the filter leaves this node neither a message nor a variable that it could use"
_HALVES: Final = (
    "the rules keep only one half of tool calls and results; with such a call in view the node "
    "cannot be entered"
)
_SPLITS: Final = (
    "this operation may separate tool calls from their results, and then the node cannot be "
    'entered; set "pairing" to "keep"'
)


def node_problems(node: Node, registries: Registries, pointer: str) -> list[Problem]:
    """All that is wrong with a node that stands at ``pointer``; if nothing is, what will be.

    A node that no context whatever could enter is an error, one that some tool calls keep from
    being entered a warning (semantics 2.11). Filters with conditions and context types of
    installed packages are not judged.
    """
    reading = read_node(node, registries, pointer)
    if reading.problems:
        return reading.problems
    return list(_foreseen(node, reading.filters, registries, f"{pointer}/context_filter"))


def _foreseen(
    node: Node, filters: Sequence[ContextFilter], registries: Registries, pointer: str
) -> Iterator[Problem]:
    context_type = node.context_type or default_context_type(node.type)
    if not filters or context_type not in CONTEXT_TYPES or depends_on_state(filters):
        return
    # What operations leave depends on the texts, so that only the rules are tried.
    rules_only = [each.model_copy(update={"messages": ()}) for each in filters]
    operations = [config for each in filters for config in each.messages]
    seen = _seen(node, context_type, rules_only, registries, pending=True)
    lack = find_lack(node, context_type, seen)
    if lack and lack.missing and not any(each.operation == "insert" for each in operations):
        yield _problem(node, pointer, _NEVER, "error")
        return
    if not calls_a_model(node, context_type):
        return
    complete = _seen(node, context_type, rules_only, registries, pending=False)
    lack = find_lack(node, context_type, complete)
    if lack and lack.indices:
        yield _problem(node, pointer, _HALVES)
        return
    if not _shows_results(complete):
        return
    listed = isinstance(node.context_filter, list)
    for number, each in enumerate(filters):
        for index, config in enumerate(each.messages):
            if not _may_split(config):
                continue
            where = f"{pointer}/{number}" if listed else pointer
            where = f"{where}/messages/{index}"
            yield _problem(node, where, _SPLITS)


def _problem(node: Node, pointer: str, message: str, severity: Severity = "warning") -> Problem:
    return Problem(pointer, "incompatible_context", message, severity, node=node.id)


def _may_split(config: OperationConfig) -> bool:
    return config.operation in ("truncate", "filter") and config.pairing == "warn"


def _shows_results(sight: Sight) -> bool:
    visible = sight.messages.view.indices_as_runs()
    return bool(sight.messages.log.with_roles(frozenset({"tool"}), visible))


def _seen(
    node: Node,
    context_type: str,
    filters: Sequence[ContextFilter],
    registries: Registries,
    *,
    pending: bool,
) -> Sight:
    """What is left of a context with a message of each role and every name that matters."""
    sight = replace(
        Sight.of(PromptContext(template="", variables=dict.fromkeys(_names(filters), 1))),
        messages=Messages.of(tuple(_drafts(pending=pending))),
    )
    for label, step in node_steps(context_type, filters, registries, config=node.config):
        sight = step(sight, label, False).sight
    return sight


def _names(filters: Sequence[ContextFilter]) -> Iterator[str]:
    patterns = [rule.pattern for each in filters for rule in each.rules]
    for pattern in (*LLM_NAMES, *TOOL_NAMES, *patterns):
        yield pattern.replace("*", "x")


def _drafts(*, pending: bool) -> Iterator[Draft]:
    call: dict[str, JsonValue] = {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
    }
    yield read_message({"role": "system", "content": "s"})
    yield read_message({"role": "user", "content": "u"})
    yield read_message({"role": "assistant", "content": None, "tool_calls": [call]})
    if not pending:
        yield read_message({"role": "tool", "tool_call_id": "c", "content": "r"})
        yield read_message({"role": "assistant", "content": "a"})
