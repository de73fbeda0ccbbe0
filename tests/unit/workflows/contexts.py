"""Short constructors for contexts, messages and filters in tests."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from conversations.domain.message import MessageDraft, read_message
from workflows.domain.context.explain import Decision, Step, StepOutcome, run_steps
from workflows.domain.context.prompt_context import HistoryEntry, Messages, NodeInput, PromptContext
from workflows.domain.filters.context_filter import filter_step, read_filter
from workflows.domain.filters.edge_filter import edge_step, read_edge_filter
from workflows.domain.processors.registries import Registries

# No entry points: what is installed on a machine must not decide about a test.
REGISTRIES = Registries.build(processors=lambda: (), transforms=lambda: ())

CHAT: tuple[Mapping[str, JsonValue], ...] = (
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "How warm is it?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "21 degrees"},
    {"role": "assistant", "content": "It is 21 degrees."},
    {"role": "user", "content": "Thank you."},
)


def chat(*messages: Mapping[str, JsonValue]) -> list[MessageDraft]:
    return [read_message(dict(message)) for message in messages or CHAT]


def node_input(
    variables: Mapping[str, JsonValue] | None = None,
    *,
    history: Sequence[str | HistoryEntry] = (),
    metadata: Mapping[str, JsonValue] | None = None,
    messages: Sequence[MessageDraft] = (),
    tools: str | None = None,
) -> NodeInput:
    """An input with the template ``"T"``; history entries may be given by their node ids."""
    entries = tuple(
        HistoryEntry(each, f"{each}?", f"{each}!") if isinstance(each, str) else each
        for each in history
    )
    context = PromptContext("T", variables or {}, entries, metadata or {})
    return NodeInput(context, Messages.of(messages, tools=tools))


def of_filter(*filters: Mapping[str, JsonValue], default: str = "pass") -> Step:
    read = [read_filter(dict(each)) for each in filters]
    return filter_step(read, REGISTRIES, default="block" if default == "block" else "pass")


def of_edge(**fields: JsonValue) -> Step:
    return edge_step(read_edge_filter(fields), REGISTRIES)


def rule(kind: str, pattern: str, **fields: JsonValue) -> dict[str, JsonValue]:
    return {"type": kind, "pattern": pattern, **fields}


def applied(step: Step, given: NodeInput) -> NodeInput:
    return step(given, 0, False).node_input


def explained(step: Step, given: NodeInput) -> StepOutcome:
    return run_steps(given, [(0, step)], explain=True)


def verdicts(decisions: Sequence[Decision], section: str) -> dict[str | int | None, str]:
    """Verdicts by name, of messages by index."""
    return {
        decision.index if section == "messages" else decision.name: decision.verdict
        for decision in decisions
        if decision.section == section
    }


def names(given: NodeInput) -> list[str]:
    return list(given.context.variables)


def nodes(given: NodeInput) -> list[str]:
    return [entry.node_id for entry in given.context.history]


def shown(given: NodeInput) -> list[int]:
    return list(given.messages.view)


def block(*rules: JsonValue, **fields: JsonValue) -> dict[str, JsonValue]:
    return {"rules": list(rules), "default_behavior": "block", **fields}


def let_pass(*rules: JsonValue, **fields: JsonValue) -> dict[str, JsonValue]:
    return {"rules": list(rules), "default_behavior": "pass", **fields}


GIVEN = node_input(
    {"llm.model": "gpt", "llm.temperature": 1, "tool.name": "search", "llm": "x", "secret": "s"},
    history=["llm_1", "tool_1", "llm_1"],
    metadata={"llm.user": "ada", "team": "red"},
    messages=chat(),
)
