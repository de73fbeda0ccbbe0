"""The context of a node that is entered: filtered variables and messages. Writes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson
from django.conf import settings
from pydantic import JsonValue

from checkpoints.contexts.known_view import KnownView, count_known_messages
from checkpoints.domain.opaque import value_of
from checkpoints.domain.status import Status
from checkpoints.live_copy.contents import contents_of, whole_list
from checkpoints.live_copy.port import Part
from checkpoints.models import Execution
from checkpoints.store.executions import find_checkpoint
from checkpoints.store.snapshots import StoredSnapshot, current_snapshot, snapshot_at, snapshot_of
from conversations.domain.formats.formats import ProviderFormat
from conversations.models import Conversation
from conversations.store.conversation import find_head, find_with_details
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError, NotFound, ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import limit_work
from ctxadmin.telemetry.traces import span
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext
from workflows.domain.running import flow
from workflows.domain.running.flow import Entered
from workflows.previews.node_inputs import messages_in_format, notices_of, shown_messages
from workflows.reading.sources import ExecutionState


@dataclass(frozen=True, slots=True)
class _State:
    """The parsed values and history of a version."""

    values: Mapping[str, JsonValue]
    history: Sequence[Mapping[str, JsonValue]]


@dataclass(frozen=True, slots=True)
class _EnterOptions:
    """The arguments of ``enter``: how a node is entered, and the form of the answer."""

    edges: Sequence[str] | None = None
    explain: bool = False
    provider: ProviderFormat | None = None
    known: KnownView | None = None


def enter(
    actor: Actor,
    public_id: str,
    node_id: str,
    *,
    edges: Sequence[str] | None = None,
    explain: bool = False,
    provider: ProviderFormat | None = None,
    known: KnownView | None = None,
) -> bytes:
    """Returns what a node would see now, in any status, as JSON (rest.md, ``enter``).

    Without ``edges``, uses those whose source waits for the node. The messages are in the format of
    a ``provider`` if one is named, without those that the engine has since ``known``. Raises
    NotFound for a node that the workflow lacks, ValidationFailed at ``/edges``,
    IncompatibleContext, and TooLarge for filters that take too much work or more messages than a
    format supports.
    """
    with span("enter"):
        moment = current_snapshot(find_with_details(actor.workspace, public_id), with_details=True)
        options = _EnterOptions(edges, explain, provider, known)
        return dumps(_answer(moment, node_id, options))


def enter_next(
    actor: Actor,
    public_id: str,
    execution: int,
    version: int,
    provider: ProviderFormat | None = None,
) -> bytes:
    """Returns what the next node sees right after a completion, as JSON; null if none runs next.

    ``execution`` and ``version`` are those that the completion wrote. The next node is the first
    ready one that an edge was taken to, else the first that is ready. A node that lacks something
    does not undo the completion: the answer says what is missing.
    """
    head = find_head(actor.workspace, public_id)
    row = Execution.objects.get(conversation=head.key, number=execution)
    try:
        checkpoint = find_checkpoint(head.key, execution, version)
    except NotFound as error:  # thinned: the call is repeated after more than a day
        gone = {"code": error.code, "detail": error.detail}
        return dumps({"node_id": None, "version": version, "problem": gone})
    moment = snapshot_of(head, row, checkpoint)
    ready = moment.ready if moment.status is Status.RUNNING else ()
    if not ready:
        return dumps(None)
    steps = orjson.loads(bytes(checkpoint.routing))
    taken = (step["to"] for step in steps if step["passes"] and step["to"] in ready)
    node_id = next(taken, ready[0])
    try:
        return dumps(_answer(moment, node_id, _EnterOptions(provider=provider)))
    except ContextError as error:
        problem = {"code": error.code, "detail": error.detail, **error.extra()}
        return dumps({"node_id": node_id, "version": moment.version, "problem": problem})


def _answer(moment: StoredSnapshot, node_id: str, options: _EnterOptions) -> dict[str, object]:
    origin = node_input_at(moment)
    entered = _entered(moment, node_id, origin, options)
    entered.require_compatible()
    answer: dict[str, object] = {
        "node_id": node_id,
        "node_type": _type_of(moment, node_id),
        "edges": entered.edges,
        "context": entered.node_input.context.as_json(),
        "warnings": [warning.as_json() for warning in entered.warnings],
        **_messages(moment, node_id, origin, entered, options),
        "conflicts": [conflict.as_json() for conflict in entered.conflicts],
        "execution": None if moment.row is None else moment.row.public_id,
        "version": moment.version,
        "revision": moment.revision,
        "count": moment.visible_count,
    }
    if options.explain:
        answer["explanation"] = [decision.as_json() for decision in entered.explanation]
    return answer


def _type_of(moment: StoredSnapshot, node_id: str) -> str | None:
    """Returns the type of a node; None in an execution without a workflow."""
    return None if moment.pinned is None else moment.pinned.graph.nodes[node_id].type


def _messages(
    moment: StoredSnapshot,
    node_id: str,
    origin: NodeInput,
    entered: Entered,
    options: _EnterOptions,
) -> dict[str, object]:
    """Returns the messages in the requested form, and the fields that belong to it."""
    seen = entered.node_input.messages
    if options.provider is not None:
        written = messages_in_format(moment.head, seen, options.provider)
        warnings = [warning.as_json() for warning in entered.warnings]
        system = {} if written.system is None else {"system": written.system}
        return {
            "format": options.provider,
            **system,
            "messages": written.messages,
            "warnings": [*warnings, *notices_of(written)],
        }
    if options.known is None:
        return {"messages": shown_messages(moment.head, seen)}
    with limit_work(settings.MAX_PREVIEW_WORK):
        start = count_known_messages(moment, node_id, options.known, origin, seen)
    new = seen.with_view(seen.view.slice(start, len(seen.view)))
    return {"messages_from": start, "messages": shown_messages(moment.head, new)}


def _entered(
    moment: StoredSnapshot, node_id: str, origin: NodeInput, options: _EnterOptions
) -> Entered:
    pinned, marking, edges = moment.pinned, moment.marking, options.edges
    if pinned is None:
        if edges:
            raise ValidationFailed.at(
                "/edges/0", say("an execution without a workflow has no edges")
            )
        return Entered(node_id, (), origin)
    pinned.require_node(node_id)
    if edges is None:
        edges = marking.arrived_edges(pinned.graph, node_id) if marking is not None else ()
    with limit_work(settings.MAX_PREVIEW_WORK):
        return flow.enter(pinned.plan, node_id, origin, edges, explain=options.explain)


def node_input_at(moment: StoredSnapshot) -> NodeInput:
    """Returns the whole state of a moment, before any filter (semantics 2.1)."""
    state = _state(moment)
    context = PromptContext.of_state(
        state.values, state.history, conversation_metadata=moment.metadata()
    )
    return NodeInput(context, Messages(moment.log, moment.view()))


def _state(moment: StoredSnapshot) -> _State:
    contents = contents_of(moment, (Part.STATE, Part.HISTORY))
    values = sorted(contents[Part.STATE].items())  # in one order, wherever they come from
    return _State(
        values={name: value_of(b"".join(value.pieces)) for name, value in values},
        history=orjson.loads(b"".join(whole_list(contents, Part.HISTORY))),
    )


def state_source(head: Conversation, version: int | None) -> ExecutionState | None:
    """Returns the state of a conversation's execution; a ``workflows.reading.sources`` source."""
    moment = current_snapshot(head)
    if moment.row is None:
        return None
    if version is not None:
        moment = snapshot_at(head, moment.row, version)
    state = _state(moment)
    return ExecutionState(
        version=moment.version,
        values=state.values,
        history=state.history,
        metadata=orjson.loads(bytes(moment.row.details.metadata)) if moment.row else {},
        revision=moment.revision,
        visible_count=moment.visible_count,
        workflow=moment.row.workflow_key if moment.row else None,
        waiting=frozenset() if moment.marking is None else frozenset(moment.marking.waiting),
    )
