"""The step of one node: the edges that are taken, and what becomes of the execution."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from checkpoints.domain.execution import Decision, Step, advance
from checkpoints.domain.status import Status
from checkpoints.execution_writing import ExecutionWriting
from checkpoints.models import Checkpoint
from checkpoints.moments import metadata_of
from checkpoints.pinned import Pinned
from workflows.domain import routing
from workflows.domain.conditions import compile_condition
from workflows.domain.routing import Marking, Next, replay


@dataclass(frozen=True, slots=True)
class Sent:
    """What the engine said of a node that ended: its failure, a status, the nodes executed."""

    failure: str | None = None
    status: Status | None = None
    executed: tuple[str, ...] | None = None

    @property
    def failed(self) -> bool:
        return self.failure is not None or self.status is Status.FAILED


@dataclass(frozen=True, slots=True)
class Taken:
    """The decision on the execution and those on the edges that leave the node."""

    decision: Decision
    routing: tuple[Next, ...] = ()


def take_step(run: ExecutionWriting, node_id: str, sent: Sent) -> Taken:
    """Decide on the execution and its edges after a node; marking and executed nodes are set.

    What was changed of the state counts for the conditions. Raises InvalidState.
    """
    step = Step(
        node_id,
        run.opened.at,
        failure=sent.failure,
        status=sent.status,
        executed=sent.executed,
    )
    if run.pinned is None or run.marking is None:
        taken = Taken(advance(run.now, step))
    else:
        taken = _through(run, run.pinned, run.marking, step, failed=sent.failed)
    run.add_executed(taken.decision.done)
    return taken


def _through(
    run: ExecutionWriting, pinned: Pinned, marking: Marking, step: Step, *, failed: bool
) -> Taken:
    """``take_step`` through the edges of a workflow."""
    decided = _decide(run, pinned, step.node_id, failed=failed)
    edges = [each.edge for each in decided if each.passes]
    if step.executed is None:
        after = marking.after(pinned.graph, step.node_id, edges)
    else:
        after = _replayed(run, pinned, marking, step.node_id, step.executed, edges)
    ready = after.ready(pinned.graph)
    decision = advance(
        run.now,
        Step(
            step.node_id,
            step.at,
            failure=step.failure,
            error_edges=failed and bool(edges),
            status=step.status,
            executed=step.executed,
            ready=ready,
            nothing_left=not ready,
        ),
        pinned.rules,
    )
    if decision.done.added or decision.done.whole is not None:
        run.marking = after
    return Taken(decision, decided)


def _decide(
    run: ExecutionWriting, pinned: Pinned, node_id: str, *, failed: bool
) -> tuple[Next, ...]:
    """The decisions on the node's edges; only what their conditions mention is read."""
    names: set[str] = set()
    for edge in pinned.graph.outgoing.get(node_id, ()):
        if edge.condition is not None and failed == (edge.type == "error"):
            for name in compile_condition(edge.condition).names():
                parts = name.split(".")
                names.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
    variables = run.values_after(names) if names else {}
    metadata = metadata_of(run.opened.head, run.row) if names else {}
    return routing.decide(pinned.plan, node_id, variables, metadata, failed=failed)


def _replayed(
    run: ExecutionWriting,
    pinned: Pinned,
    marking: Marking,
    node_id: str,
    executed: Sequence[str],
    edges: Sequence[str],
) -> Marking:
    """The marking after exactly the nodes that the engine names.

    If they only add to those that were known, the tokens move on from where they are; else all
    are moved again, by the decisions on record.
    """
    before = run.executed()
    if list(executed[: len(before)]) != before:
        known = _recorded(run, before)
        return replay(pinned.graph, executed, known)
    for place in range(len(before), len(executed)):
        name = executed[place]
        last = name == node_id and place == len(executed) - 1
        ways = pinned.graph.outgoing.get(name, ())
        taken = edges if last else [edge.id for edge in ways if edge.type != "error"]
        marking = marking.after(pinned.graph, name, taken)
    return marking


def _recorded(run: ExecutionWriting, executed: Sequence[str]) -> list[routing.Decision]:
    """The decisions on record that led to the nodes executed so far."""
    rows = Checkpoint.objects.filter(
        conversation=run.row.conversation, execution=run.row.number
    ).only("version", "saved_node", "routing", "executed_count", "whole", "restored_from")
    by_version = {row.version: row for row in rows}
    occurrences = _occurrences(executed)
    found: list[routing.Decision] = []
    version = run.now.version
    while version > 0:
        row = by_version[version]
        version = version - 1 if row.restored_from is None else row.restored_from
        place = row.executed_count - 1
        if 0 <= place < len(executed) and executed[place] == row.saved_node:
            found += (
                routing.Decision(row.saved_node, occurrences[place], each["edge"], each["passes"])
                for each in orjson.loads(bytes(row.routing))
            )
        if row.whole:
            break
    return found


def _occurrences(executed: Sequence[str]) -> list[int]:
    """Of each executed node the how manieth of its name it is, from 1."""
    seen: Counter[str] = Counter()
    places: list[int] = []
    for name in executed:
        seen[name] += 1
        places.append(seen[name])
    return places
