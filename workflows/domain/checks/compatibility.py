"""Checks whether a node would see what it needs (semantics 2.11 and 1.11)."""

from dataclasses import dataclass
from typing import Final

from conversations.domain.pairing import find_splits, validate_for_model
from ctxadmin.lib.errors import IncompatibleContext
from ctxadmin.lib.sentence import say
from workflows.domain.context.prompt_context import Messages, NodeInput
from workflows.domain.document.graph import Node, title_of

_MODEL_TYPE: Final = "llm"
_TOOL_NAMES: Final = ("tool", "function")


@dataclass(frozen=True, slots=True)
class MissingContext:
    """What a node would lack: names, and log indices of messages that a model rejects."""

    message: str
    missing: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()

    def refusal(self) -> IncompatibleContext:
        """Returns the error that refuses to enter the node."""
        return IncompatibleContext(self.message, missing=self.missing, indices=self.indices)


def find_missing_context(
    node: Node, context_type: str, node_input: NodeInput
) -> MissingContext | None:
    """What ``node_input`` lacks for ``node``, whose effective type is ``context_type``; or None.

    ``llm_context`` needs a variable or a visible message that is no line about hidden ones,
    ``tool_context`` a variable of a tool or function or a call without an answer; the other types
    need nothing. What a node sees that
    calls a model (of type ``llm``, or with that context type) has no split tool pairs either.
    """
    if context_type == "llm_context" and not (
        node_input.context.variables or _sees_a_message(node_input.messages)
    ):
        return MissingContext(
            say("{node} would see neither a variable nor a message.", node=title_of(node)),
            ("variables", "messages"),
        )
    if context_type == "tool_context" and not _has_tool_call(node_input):
        return MissingContext(
            say(
                "{node} would see neither a tool or function variable nor an unanswered call.",
                node=title_of(node),
            ),
            ("tool.*", "function.*", "tool_calls"),
        )
    if calls_a_model(node, context_type):
        return _rejected(node, node_input.messages)
    return None


def calls_a_model(node: Node, context_type: str) -> bool:
    """Returns True for a node of type ``llm`` and for one with the context type ``llm_context``."""
    return node.type == _MODEL_TYPE or context_type == "llm_context"


def _rejected(node: Node, messages: Messages) -> MissingContext | None:
    indices = validate_for_model(messages.view, messages.log)
    if not indices:
        return None
    return MissingContext(
        say(
            "A model would reject what {node} sees: calls without their results, or results "
            "without their calls.",
            node=node.id,
        ),
        indices=indices,
    )


def _sees_a_message(messages: Messages) -> bool:
    """True if anything is visible but lines about what is hidden."""
    view = messages.view
    return bool(view) and len(view) > sum(line in view for line in messages.log.pointers())


def _has_tool_call(node_input: NodeInput) -> bool:
    named = any(name.partition(".")[0] in _TOOL_NAMES for name in node_input.context.variables)
    return named or _has_unanswered_call(node_input.messages)


def _has_unanswered_call(messages: Messages) -> bool:
    """Returns True if a visible message has a call for which no result is in the log."""
    splits = find_splits(messages.view, messages.log)
    return any(
        group.unanswered and group.call in messages.view
        for group in (*splits.groups, *splits.pending)
    )
