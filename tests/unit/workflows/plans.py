"""Small workflows as plans, and states that flow through them, in tests."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from conversations.domain.message import read_messages
from workflows.domain.context.prompt_context import HistoryEntry, Messages, NodeInput, PromptContext
from workflows.domain.document.graph import read
from workflows.domain.running.flow import Entered
from workflows.domain.running.plan import Plan

Fields = Mapping[str, object]


def plan(nodes: Mapping[str, Fields], edges: Mapping[str, Fields] | None = None) -> Plan:
    """Nodes by id (type ``step`` by default), edges by ``a-b`` (type ``sequence``)."""
    return Plan(
        read(
            {
                "name": "w",
                "nodes": [{"id": name, "type": "step", **fields} for name, fields in nodes.items()],
                "edges": [
                    {
                        "id": name,
                        "type": "sequence",
                        "from": name.split("-")[0],
                        "to": name.split("-")[1],
                        **fields,
                    }
                    for name, fields in (edges or {}).items()
                ],
            }
        )
    )


Message = Mapping[str, JsonValue]


def user(text: str, **more: JsonValue) -> Message:
    return {"role": "user", "content": text, **more}


def node_input(
    variables: Mapping[str, JsonValue] | None = None,
    *messages: Message,
    history: Sequence[HistoryEntry] = (),
    metadata: Mapping[str, JsonValue] | None = None,
    template: str = "",
) -> NodeInput:
    context = PromptContext(template, variables or {}, tuple(history), metadata or {})
    return NodeInput(
        context,
        Messages.of(read_messages([dict(message) for message in messages]) if messages else ()),
    )


def entry(node: str, response: str = "r", time: str | None = None) -> HistoryEntry:
    return HistoryEntry(node, "p", response, time, {})


def seen(entered: Entered) -> dict[str, JsonValue]:
    return dict(entered.node_input.context.variables)


def selective(*include: str, exclude: Sequence[str] = ()) -> dict[str, object]:
    chosen = {"type": "selective", "include_patterns": list(include)}
    return {"context_filter": {**chosen, "exclude_patterns": list(exclude)}}


def include(*patterns: str, **more: object) -> dict[str, object]:
    rules = [{"type": "include", "pattern": pattern} for pattern in patterns]
    return {"rules": rules, "default_behavior": "block", **more}


def texts(messages: Messages) -> list[str]:
    """The texts of visible messages, wherever they are kept."""
    found = dict(messages.log.texts(messages.view.indices_as_runs()))
    return [found[index] for index in messages.view]


THREE: Mapping[str, Fields] = {"a": {}, "b": {}, "J": {"type": "join"}}


def put_in(text: str, position: int = 0) -> dict[str, object]:
    message = {"role": "system", "content": text}
    operation = {"operation": "insert", "insert": {"position": position, "messages": [message]}}
    return {"context_filter": {"type": "pass_all", "messages": [operation]}}
